// The wrong values that a peer may send instead of a correct one, and all places of a message where it may send them.

export type Json = { [name: string]: unknown };

/** Replaced by a number that JSON can represent but JavaScript cannot. */
const INFINITE = '@infinite@';

/** A text that is longer than any valid value. */
export const LONG = 'x'.repeat(1024 * 1024);

/** Replacements of a member; `undefined`: it is missing. */
export const WRONG_VALUES: readonly (readonly [kind: string, value: unknown])[] = [
  ['missing', undefined],
  ['null', null],
  ['a number', 7],
  ['a negative number', -1],
  ['a huge number', 1e308],
  ['a number beyond all numbers', INFINITE],
  ['a boolean', true],
  ['an array', ['x', null]],
  // With members that the language itself reads.
  ['an object', JSON.parse('{"toString":1,"then":1,"constructor":null,"__proto__":null,"length":-1}')],
  ['an empty string', ''],
  ['control characters', 'a\r\nx-injected: 1\r\n\u0000\u0001\u007f'],
  ['not Latin-1, and a lone surrogate', '日本\ud800'],
  ['a very long string', LONG],
];

/** Values that detect code which reads another kind of value than it has checked; only these are tried deep inside messages. */
const OTHER_KINDS: ReadonlySet<string> = new Set([
  'missing',
  'null',
  'a number',
  'an array',
  'an object',
  'control characters',
]);

/** Replacements of the value of a header, one character for each byte; `undefined`: it is missing. */
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

/** As JSON, with the numbers that JavaScript cannot represent. `undefined` gives an empty text. */
export function write(value: unknown): string {
  return (JSON.stringify(value) ?? '').replaceAll(JSON.stringify(INFINITE), '1e400');
}

/** A message with one wrong value. */
export interface Mutant {
  readonly where: string;
  readonly kind: string;
  readonly message: Json;
}

type Step = string | number;

/** The members of a value at all levels, as paths. Of long lists only the first elements are included. */
function* pathsIn(value: unknown, before: readonly Step[] = []): Generator<readonly Step[]> {
  if (typeof value !== 'object' || value === null) return;
  const steps: Step[] = Array.isArray(value) ? [...value.keys()].slice(0, 3) : Object.keys(value);
  for (const step of steps) {
    const path = [...before, step];
    yield path;
    yield* pathsIn((value as Json)[step], path);
  }
}

/** A copy with another value at a path. Only the objects on the path are copied. */
function replaced(value: unknown, [step, ...rest]: readonly Step[], by: unknown): unknown {
  if (step === undefined) return by;
  if (Array.isArray(value)) return value.map((item, index) => (index === step ? replaced(item, rest, by) : item));
  const copy: Json = { ...(value as Json) };
  copy[step] = replaced(copy[step], rest, by);
  return copy;
}

/** Identifies a member of an object deep in a message: a content block, for example, is the same wherever it is. */
function signature(message: Json, path: readonly Step[]): string {
  let parent: unknown = message;
  for (const step of path.slice(0, -1)) parent = (parent as Json)[step];
  return Array.isArray(parent) ? path.join('.') : `${Object.keys(parent as Json).join()}: ${path.at(-1)}`;
}

/** Members with the same meaning in all messages: they are made wrong in one message of each shape. */
const COMMON = /^(?:jsonrpc|id|method|.*\b(?:_meta|resultType|ttlMs|cacheScope))$/;

/** The members for which a very long value was tried. It takes as long as all other values together, so once is enough. */
const longNames = new Set<unknown>();

/** Which values of a message are made wrong. */
export interface Extent {
  /** All values down to this level. */
  readonly levels: number;
  /** Also those below, unless the same kind of object was in an earlier message. */
  readonly deep: boolean;
}

/** Makes messages in which one value is wrong, for each value and in each way. */
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
