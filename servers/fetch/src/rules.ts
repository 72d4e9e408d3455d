// Parses robots.txt as specified in RFC 9309. Everything has a limit, because the file is untrusted.

/** Longer lines are ignored: the URL of a page is shorter, so they could hardly match. */
const MAX_LINE_LENGTH = 4_096;
/** How many rules are kept for one site. */
const MAX_RULES = 10_000;

interface Rule {
  readonly allow: boolean;
  /** The literal parts between the `*` wildcards. */
  readonly parts: readonly string[];
  /** Whether the pattern ends with `$`, so that the path must end with the last part. */
  readonly isAnchored: boolean;
  /** The precedence of the rule: the longest matching rule wins. */
  readonly length: number;
}

/** The rules of a site for one user agent, or those for `*` if there are none for it. */
export type Rules = readonly Rule[];

/** The product token of a User-Agent header: its first word, without the version. */
function tokenOf(userAgent: string): string {
  return userAgent.toLowerCase().split('/', 1)[0]!.trim();
}

function upperEscapes(path: string): string {
  return path.replaceAll(/%[\da-f]{2}/gi, (escape) => escape.toUpperCase());
}

/** Percent-encodes a pattern like the path of a URL. */
function encoded(pattern: string): string {
  try {
    return upperEscapes(encodeURI(pattern).replaceAll('%25', '%'));
  } catch {
    return pattern;
  }
}

function ruleOf(allow: boolean, value: string): Rule {
  const pattern = encoded(value);
  const isAnchored = pattern.endsWith('$');
  const parts = (isAnchored ? pattern.slice(0, -1) : pattern).split(/\*+/);
  return { allow, parts, isAnchored, length: pattern.length };
}

/** Searches for each part once, from the end of the previous one, so that many wildcards do not make matching slower. */
function fits({ parts, isAnchored }: Rule, path: string): boolean {
  const [first = ''] = parts;
  if (!path.startsWith(first)) return false;
  let end = first.length;
  for (let index = 1; index < parts.length; index++) {
    const part = parts[index]!;
    if (isAnchored && index === parts.length - 1) return path.length - end >= part.length && path.endsWith(part);
    const start = path.indexOf(part, end);
    if (start === -1) return false;
    end = start + part.length;
  }
  return !isAnchored || end === path.length;
}

/** The fields of the file: their names in lower case, and their values. */
function* fieldsOf(text: string): Generator<readonly [name: string, value: string]> {
  for (const [line] of text.matchAll(/[^\r\n]+/g)) {
    const content = line.split('#', 1)[0]!.trim();
    const colon = content.indexOf(':');
    if (colon > 0 && content.length <= MAX_LINE_LENGTH)
      yield [content.slice(0, colon).trim().toLowerCase(), content.slice(colon + 1).trim()];
  }
}

/** Parses the rules for a user agent. */
export function rulesIn(text: string, userAgent: string): Rules {
  const token = tokenOf(userAgent);
  const found: Readonly<Record<'own' | 'all', Rule[]>> = { own: [], all: [] };
  let isNamed = false;
  let forOwn = false;
  let forAll = false;
  let isList = false;
  for (const [name, value] of fieldsOf(text)) {
    if (name === 'user-agent') {
      // Consecutive user-agent lines belong to the same group of rules.
      if (!isList) forOwn = forAll = false;
      isList = true;
      forOwn ||= tokenOf(value) === token;
      forAll ||= value === '*';
      continue;
    }
    // Other fields, such as Sitemap, do not separate groups.
    if (name !== 'allow' && name !== 'disallow' && name !== 'crawl-delay') continue;
    isList = false;
    isNamed ||= forOwn;
    if (name === 'crawl-delay' || value === '') continue;
    if (forOwn && found.own.length < MAX_RULES) found.own.push(ruleOf(name === 'allow', value));
    if (forAll && found.all.length < MAX_RULES) found.all.push(ruleOf(name === 'allow', value));
  }
  return isNamed ? found.own : found.all;
}

/** Whether a page may be read. The longest matching rule decides; of two equally long ones, the one that allows. */
export function isAllowed(rules: Rules, address: string): boolean {
  const { pathname, search } = new URL(address);
  const path = upperEscapes(pathname + search);
  let longest: Rule | undefined;
  for (const rule of rules) {
    const { allow, length } = rule;
    if (longest !== undefined && (length < longest.length || (length === longest.length && !allow))) continue;
    if (fits(rule, path)) longest = rule;
  }
  return longest?.allow ?? true;
}
