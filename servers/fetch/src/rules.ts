// What a robots.txt says, as RFC 9309 has it: bounded in every way, as anybody may have written it.

/** Longer lines are left out: an address that is read has fewer characters, so hardly one would fit. */
const MOST_LINE = 4_096;
/** Most rules that are kept of one site. */
const MOST_RULES = 10_000;

interface Rule {
  readonly allow: boolean;
  /** What has to be there, with anything between. */
  readonly parts: readonly string[];
  /** Does it end with the last part? */
  readonly isWhole: boolean;
  /** How much the rule counts: the longest that fits does. */
  readonly length: number;
}

/** Rules of a site for one program; those for everybody where there are none for it. */
export type Rules = readonly Rule[];

/** The name of a program: its first word, without a version. */
const tokenOf = (userAgent: string): string => userAgent.toLowerCase().split('/', 1)[0]!.trim();

const upperEscapes = (path: string): string => path.replaceAll(/%[\da-f]{2}/gi, (escape) => escape.toUpperCase());

/** A pattern with what is not ASCII written as an address has it. */
const encoded = (pattern: string): string => {
  try {
    return upperEscapes(encodeURI(pattern).replaceAll('%25', '%'));
  } catch {
    return pattern;
  }
};

const ruleOf = (allow: boolean, value: string): Rule => {
  const pattern = encoded(value);
  const isWhole = pattern.endsWith('$');
  const parts = (isWhole ? pattern.slice(0, -1) : pattern).split(/\*+/);
  return { allow, parts, isWhole, length: pattern.length };
};

/** Each part is looked for once, from where the one before it ends: a pattern of many stars takes no longer than another. */
const fits = ({ parts, isWhole }: Rule, path: string): boolean => {
  const [first = ''] = parts;
  if (!path.startsWith(first)) return false;
  let end = first.length;
  for (let index = 1; index < parts.length; index++) {
    const part = parts[index]!;
    if (isWhole && index === parts.length - 1) return path.length - end >= part.length && path.endsWith(part);
    const start = path.indexOf(part, end);
    if (start === -1) return false;
    end = start + part.length;
  }
  return !isWhole || end === path.length;
};

/** The lines that say something: what about, and what. */
function* fieldsOf(text: string): Generator<readonly [name: string, value: string]> {
  for (const [line] of text.matchAll(/[^\r\n]+/g)) {
    const said = line.split('#', 1)[0]!.trim();
    const colon = said.indexOf(':');
    if (colon > 0 && said.length <= MOST_LINE)
      yield [said.slice(0, colon).trim().toLowerCase(), said.slice(colon + 1).trim()];
  }
}

/** Reads the rules for a program. */
export const rulesIn = (text: string, userAgent: string): Rules => {
  const token = tokenOf(userAgent);
  const found: Readonly<Record<'own' | 'all', Rule[]>> = { own: [], all: [] };
  let isNamed = false;
  let forOwn = false;
  let forAll = false;
  let isList = false;
  for (const [name, value] of fieldsOf(text)) {
    if (name === 'user-agent') {
      // Lines that name programs one after the other name them for the same rules.
      if (!isList) forOwn = forAll = false;
      isList = true;
      forOwn ||= tokenOf(value) === token;
      forAll ||= value === '*';
      continue;
    }
    // What a site says besides, such as where its map is, does not come between.
    if (name !== 'allow' && name !== 'disallow' && name !== 'crawl-delay') continue;
    isList = false;
    isNamed ||= forOwn;
    if (name === 'crawl-delay' || value === '') continue;
    if (forOwn && found.own.length < MOST_RULES) found.own.push(ruleOf(name === 'allow', value));
    if (forAll && found.all.length < MOST_RULES) found.all.push(ruleOf(name === 'allow', value));
  }
  return isNamed ? found.own : found.all;
};

/** May the page at this address be read? The longest rule that fits says so, and one that allows before one that does not. */
export const isAllowed = (rules: Rules, address: string): boolean => {
  const { pathname, search } = new URL(address);
  const path = upperEscapes(pathname + search);
  let longest: Rule | undefined;
  for (const rule of rules) {
    const { allow, length } = rule;
    if (longest !== undefined && (length < longest.length || (length === longest.length && !allow))) continue;
    if (fits(rule, path)) longest = rule;
  }
  return longest?.allow ?? true;
};
