import type { Facts, MessageKind, Outcome } from './facts.ts';
import { NO_UNITS, numbersOf, oneOf, partOfText, SIZES, TIMES, type Units, wholeText } from './filter-values.ts';
import { FilterProblem, type FilterValue, type FilterWord, readFilterWords } from './filter-words.ts';
import { LINE_KINDS, type TraceLine } from './line.ts';

// The filter language of a trace: terms separated by spaces, all of which must match. A `-` before a term negates it.
//
//   method:tools/call ms:>500      a request or answer of tools/call that took more than 500 ms
//   status:error,tool-error        either of them
//   -kind:stderr text:"not found"  no line of stderr, and these words in it

/** The name of a session for people, if it is known. */
export type NameOfSession = (session: string) => string | undefined;

/** Tests the facts of a line. Undefined: its text decides. */
type FactsTest = (facts: Facts, nameOf: NameOfSession) => boolean | undefined;

interface Term {
  readonly negated: boolean;
  readonly facts: FactsTest;
  /** Called only if the facts do not decide. */
  readonly text: (lowerCase: string) => boolean;
}

/** A parsed filter. */
export interface Filter {
  readonly terms: readonly Term[];
  /** It depends on facts that a request gets with its answer: such lines must be tested again then. */
  readonly settles: boolean;
}

export type ParsedFilter =
  | { readonly filter: Filter; readonly problem?: undefined }
  | { readonly problem: string; readonly filter?: undefined };

interface Key {
  /** A comma separates values; one of them must match. */
  readonly lists: boolean;
  /** Depends on facts that a request gets only with its answer. */
  readonly settles?: true;
  readonly facts?: (value: FilterValue, key: string) => FactsTest;
  readonly text?: (value: FilterValue) => (lowerCase: string) => boolean;
}

const MESSAGES: readonly MessageKind[] = ['request', 'response', 'notification', 'batch', 'invalid'];
const OUTCOMES: readonly Outcome[] = [
  'ok',
  'error',
  'tool-error',
  'input',
  'task',
  'pending',
  'cancelled',
  'timeout',
  'lost',
];

function numbers(key: string, value: FilterValue, units: Units, example: string): (given: number) => boolean {
  const test = numbersOf(value, units);
  if (test === undefined) throw new FilterProblem(value.at, `${key}: needs a number, for example ${example}`);
  return test;
}

function numberKey(of: (facts: Facts) => number | undefined, units: Units, example: string, settles?: true): Key {
  return {
    lists: true,
    settles,
    facts(value, key) {
      const test = numbers(key, value, units, example);
      return (facts) => {
        const given = of(facts);
        return given !== undefined && test(given);
      };
    },
  };
}

function nameKey(of: (facts: Facts) => string | undefined, lists: boolean): Key {
  return {
    lists,
    facts(value) {
      const test = wholeText(value);
      return (facts) => {
        const given = of(facts);
        return given !== undefined && test(given);
      };
    },
  };
}

function choiceKey<T extends string>(of: (facts: Facts) => T | undefined, names: readonly T[]): Key {
  return {
    lists: true,
    facts(value, key) {
      const wanted = oneOf(key, names, value);
      return (facts) => of(facts) === wanted;
    },
  };
}

const sessionKey: Key = {
  lists: true,
  facts(value) {
    const test = wholeText(value);
    return ({ session }, nameOf) => test(session) || test(nameOf(session) ?? '');
  },
};

const subjectKey = nameKey(({ subject }) => subject, false);

/** How a request ended, or the status of an HTTP answer. */
const statusKey: Key = {
  lists: true,
  settles: true,
  facts(value) {
    const outcome = OUTCOMES.find((name) => name === value.text.toLowerCase());
    if (outcome !== undefined) return (facts) => facts.outcome === outcome;
    const hundreds = /^([1-5])xx$/i.exec(value.text)?.[1];
    const range = hundreds === undefined ? value : { ...value, text: `${hundreds}00..${hundreds}99` };
    const test = numbersOf(range, NO_UNITS);
    if (test === undefined)
      throw new FilterProblem(value.at, `status: is one of ${OUTCOMES.join(', ')}, or of HTTP: 404, 4xx, >=400`);
    return ({ status }) => status !== undefined && test(status);
  },
};

const idKey: Key = {
  lists: true,
  facts({ text }) {
    // `id:1` matches 1 as well as "1"; the rows show the difference.
    const quoted = JSON.stringify(text);
    return ({ id }) => id !== undefined && (id === text || id === quoted);
  },
};

const textKey: Key = { lists: false, text: partOfText };

const KEYS: ReadonlyMap<string, Key> = new Map<string, Key>([
  ['method', nameKey(({ method }) => method, true)],
  ['kind', choiceKey(({ kind }) => kind, LINE_KINDS)],
  ['message', choiceKey(({ message }) => message, MESSAGES)],
  ['from', choiceKey(({ from }) => from, ['client', 'server'])],
  ['session', sessionKey],
  ['server', sessionKey],
  ['id', idKey],
  ['subject', subjectKey],
  ['tool', subjectKey],
  ['status', statusKey],
  ['code', numberKey(({ code }) => code, NO_UNITS, '-32602')],
  ['ms', numberKey(({ ms }) => ms, TIMES, '>500', true)],
  ['size', numberKey(({ size }) => size, SIZES, '>1kb')],
  ['at', numberKey(({ at }) => at, TIMES, '>2s')],
  ['n', numberKey(({ n }) => n, NO_UNITS, '10..20')],
  ['text', textKey],
]);

/** The keys, for completion of typed filters. */
export const FILTER_KEYS: readonly string[] = [...KEYS.keys()];

/** A word without a key matches the method, its target, or the text. */
function wordTerm(value: FilterValue): Omit<Term, 'negated'> {
  const test = partOfText(value);
  const isIn = (text: string | undefined): boolean => text !== undefined && test(text.toLowerCase());
  return { facts: ({ method, subject }) => isIn(method) || isIn(subject) || undefined, text: test };
}

function termOf({ at, negated, key, values }: FilterWord): { term: Term; settles: boolean } {
  if (key === undefined) return { term: { negated, ...wordTerm(values[0]!) }, settles: false };
  const rule = KEYS.get(key);
  if (rule === undefined)
    throw new FilterProblem(
      at,
      `there is no key ${key}. Keys: ${FILTER_KEYS.join(', ')}. Quoted text is searched for literally`,
    );
  const { facts, text, settles = false } = rule;
  if (text !== undefined) return { term: { negated, facts: () => undefined, text: text(values[0]!) }, settles };
  const tests = values.map((value) => facts!(value, key));
  const [only] = tests;
  const either: FactsTest =
    tests.length === 1 ? only! : (line, nameOf) => tests.some((test) => test(line, nameOf) === true);
  return { term: { negated, facts: either, text: () => false }, settles };
}

/** Parses a filter. Every line matches the empty filter. */
export function parseFilter(text: string): ParsedFilter {
  try {
    const terms = readFilterWords(text, (key) => KEYS.get(key)?.lists ?? false).map(termOf);
    return { filter: { terms: terms.map(({ term }) => term), settles: terms.some(({ settles }) => settles) } };
  } catch (error) {
    if (error instanceof FilterProblem) return { problem: error.message };
    throw error;
  }
}

/** Tests the facts of a line. Undefined: its text decides. */
export function matchFacts({ terms }: Filter, facts: Facts, nameOf: NameOfSession): boolean | undefined {
  let sure = true;
  for (const { negated, facts: test } of terms) {
    const holds = test(facts, nameOf);
    if (holds === negated) return false;
    if (holds === undefined) sure = false;
  }
  return sure ? true : undefined;
}

/** Tests the text of a line whose facts do not decide. */
export function matchText({ terms }: Filter, facts: Facts, nameOf: NameOfSession, line: TraceLine): boolean {
  const text = searchedText(line).toLowerCase();
  return terms.every(({ negated, ...term }) => (term.facts(facts, nameOf) ?? term.text(text)) !== negated);
}

/** The text of a line as people see it: for HTTP, more than the description. */
function searchedText({ text, http }: TraceLine): string {
  return http === undefined
    ? text
    : [text, http.url, ...Object.entries(http.headers ?? {}).map((header) => header.join(': ')), http.body].join('\n');
}
