// The wrong values that a peer may send in the place of a right one, and all the places of a message where it may send them.

export type Json = { [name: string]: unknown };

/** Becomes a number that JSON can write and no number can hold. */
const INFINITE = '@infinite@';

/** A text that is longer than anything it should be. */
export const LONG = 'x'.repeat(1024 * 1024);

/** What may stand in the place of a member; `undefined`: it is missing. */
export const WRONG_VALUES: readonly (readonly [kind: string, value: unknown])[] = [
  ['missing', undefined],
  ['null', null],
  ['a number', 7],
  ['a negative number', -1],
  ['a huge number', 1e308],
  ['a number beyond all numbers', INFINITE],
  ['a boolean', true],
  ['an array', ['x', null]],
  // With members that a language looks for by itself.
  ['an object', JSON.parse('{"toString":1,"then":1,"constructor":null,"__proto__":null,"length":-1}')],
  ['an empty string', ''],
  ['control characters', 'a\r\nx-injected: 1\r\n\u0000\u0001\u007f'],
  ['not Latin-1, and a lone surrogate', '日本\ud800'],
  ['a very long string', LONG],
];

/** What tells a program that reads a value of another kind than it has checked, without which deep inside a message is looked no further. */
const OTHER_KINDS: ReadonlySet<string> = new Set([
  'missing',
  'null',
  'a number',
  'an array',
  'an object',
  'control characters',
]);

/** What may stand in the place of the value of a header, one character for each byte; `undefined`: it is missing. */
export const WRONG_FIELDS: readonly (readonly [kind: string, value: string | undefined])[] = [
  ['missing', undefined],
  ['a number', '7'],
  ['a negative number', '-1'],
  ['a number beyond all numbers', '9'.repeat(400)],
  ['an array', '["x"], y;z="q'],
  ['an object', '{"a":{}}'],
  ['nothing', ''],
  ['a NUL', 'a\u0000b'],
  ['control characters', 'a\u0001\u007fb'],
  ['space around', ' \ta '],
  ['a line break', 'a\r\n b\rx: 1'],
  ['not Latin-1, and no UTF-8', Buffer.from('日本').toString('latin1') + '\xff\xfe'],
  ['a very long string', 'x'.repeat(9_000)],
  ['a string beyond all limits', LONG],
];

/** As JSON, with the numbers that JSON has no other way to write. Nothing is no text. */
export const write = (value: unknown): string =>
  (JSON.stringify(value) ?? '').replaceAll(JSON.stringify(INFINITE), '1e400');

/** A message in which one value is wrong. */
export interface Mutant {
  readonly where: string;
  readonly kind: string;
  readonly message: Json;
}

type Step = string | number;

/** The members of a value at all levels, as paths. Of long lists the first elements stand for the others. */
function* pathsIn(value: unknown, before: readonly Step[] = []): Generator<readonly Step[]> {
  if (typeof value !== 'object' || value === null) return;
  const steps: Step[] = Array.isArray(value) ? [...value.keys()].slice(0, 3) : Object.keys(value);
  for (const step of steps) {
    const path = [...before, step];
    yield path;
    yield* pathsIn((value as Json)[step], path);
  }
}

/** A copy in which the value at a path is another. Only what is on the way is copied. */
function replaced(value: unknown, [step, ...rest]: readonly Step[], by: unknown): unknown {
  if (step === undefined) return by;
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? replaced(item, rest, by) : item));
  const copy: Json = { ...(value as Json) };
  copy[step] = replaced(copy[step], rest, by);
  return copy;
}

/** What tells a member of an object deep in a message: a block of content, for example, is the same wherever it is. */
function signature(message: Json, path: readonly Step[]): string {
  let parent: unknown = message;
  for (const step of path.slice(0, -1)) parent = (parent as Json)[step];
  return Array.isArray(parent) ? path.join('.') : `${Object.keys(parent as Json).join()}: ${path.at(-1)}`;
}

/** Members that mean the same in all messages: they are wrong in one message of each shape. */
const COMMON = /^(?:jsonrpc|id|method|.*\b(?:_meta|resultType|ttlMs|cacheScope))$/;

/** The members that were very long once. That takes as long as all other values together, so it has to do. */
const longNames = new Set<unknown>();

/** Which values of a message are made wrong. */
export interface Extent {
  /** All values down to this level. */
  readonly levels: number;
  /** Those below, too, unless an object like the one they are in was in a message before. */
  readonly deep: boolean;
}

/** Makes of a message others in which one value is wrong, for each of its values in each way. */
export function mutantsOf({ levels, deep }: Extent): (message: Json) => Generator<Mutant> {
  const seen = new Set<string>();
  const isNew = (key: string): boolean => !seen.has(key) && seen.add(key) !== undefined;
  return function* (message) {
    for (const path of pathsIn(message)) {
      const inner = path.length > levels;
      if (inner && !(deep && isNew(signature(message, path)))) continue;
      const where = path.join('.');
      if (COMMON.test(where) && !isNew(`${Object.keys(message).join()} ${where}`)) continue;
      const isLong = !longNames.has(path.at(-1)) && longNames.add(path.at(-1)) !== undefined;
      for (const [kind, value] of WRONG_VALUES)
        if (value === LONG ? isLong : !inner || OTHER_KINDS.has(kind))
          yield { where, kind, message: replaced(message, path, value) as Json };
    }
  };
}
