import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import { messageOf, shown } from '../protocol/text.ts';

/**
 * Why a text or value was rejected. `syntax`: not JSON. `depth`: nested too deep. `elements`: too many values. `value`: (encoding) a value that JSON
 * cannot represent. `cycle`: (encoding) an object that contains itself. `size`: (encoding) longer than a string can be.
 */
export type JsonErrorReason = 'syntax' | 'depth' | 'elements' | 'value' | 'cycle' | 'size';

/** JSON that cannot be read or written. The message of a reading error contains no part of the input, so it may be sent to the peer. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
  readonly reason: JsonErrorReason;
  /** The position at which the text is no longer JSON, in UTF-16 units from 0, if known. */
  readonly position: number | undefined;

  constructor(
    reason: JsonErrorReason,
    message: string,
    options: { readonly position?: number | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.position = options.position;
  }
}

/** Limits for a JSON text. */
export interface JsonLimits {
  /** The maximum nesting of objects and arrays, the outermost included. */
  readonly depth: number;
  /** The maximum number of values: members of objects and elements of arrays, of all levels together. */
  readonly elements: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;

/** Does the text contain `sign` more than `most` times? Stops searching as soon as the answer is known. */
function countUpTo(text: string, sign: string, most: number): number {
  let count = 0;
  for (let at = text.indexOf(sign); at !== -1 && count <= most; at = text.indexOf(sign, at + 1)) count++;
  return count;
}

/** The fewest characters of a level of objects in another: `{"":` and `}`. */
const OBJECT_LEVEL = 5;

/** A quick check that passes almost every message: too short, or too few brackets, to exceed a limit. */
function mayExceed(text: string, { depth, elements }: JsonLimits): boolean {
  // `n` values take more than `2n` characters, `n` levels at least `2n`.
  if (text.length > 2 * elements) return true;
  if (text.length <= 2 * depth) return false;
  const arrays = countUpTo(text, '[', depth);
  if (arrays > depth) return true;
  if (text.length <= OBJECT_LEVEL * (depth - arrays)) return false;
  return arrays + countUpTo(text, '{', depth - arrays) > depth;
}

/** The closing quote of the string that opens at `open`, or the end of the text. */
function endOfString(text: string, open: number): number {
  for (let at = text.indexOf('"', open + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}

/** The first limit that the text exceeds. Counts in one pass, without recursion; for text that is not JSON the result is arbitrary. */
function brokenLimit(text: string, limits: JsonLimits): 'depth' | 'elements' | undefined {
  let depth = 0;
  let elements = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case COMMA:
        if (++elements > limits.elements) return 'elements';
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT: {
        if (++depth > limits.depth) return 'depth';
        // A container has one value more than commas, unless it is empty.
        while (text.charCodeAt(at + 1) <= SPACE) at++;
        const next = text.charCodeAt(at + 1);
        if (next !== CLOSE_ARRAY && next !== CLOSE_OBJECT && ++elements > limits.elements) return 'elements';
        break;
      }
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth--;
    }
  }
  return undefined;
}

/** The position at the end of an engine's message. Quoted input comes before it, so a peer cannot choose the number. */
function positionIn(error: unknown, text: string): number | undefined {
  const message = error instanceof Error ? error.message : '';
  if (message === 'Unexpected end of JSON input') return text.length;
  const found = / at position (\d{1,10})(?: \(line \d+ column \d+\))?$/.exec(message)?.[1];
  return found === undefined ? undefined : Number(found);
}

/**
 * Parses JSON of a peer, within limits. Throws a {@link JsonError} (`syntax`, `depth`, `elements`) and nothing else. As in `JSON.parse`, a
 * member named `__proto__` is an ordinary own member, and of several members with the same name the last one counts.
 *
 * @example parseJson('{"jsonrpc":"2.0","id":1,"method":"ping"}')
 */
export function parseJson(text: string, limits: JsonLimits = DEFAULT_LIMITS): unknown {
  if (mayExceed(text, limits)) {
    const broken = brokenLimit(text, limits);
    if (broken === 'depth') throw new JsonError('depth', `JSON is nested deeper than ${limits.depth} levels`);
    if (broken === 'elements') throw new JsonError('elements', `JSON has more than ${limits.elements} values`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = positionIn(error, text);
    throw new JsonError('syntax', position === undefined ? 'Invalid JSON' : `Invalid JSON at position ${position}`, {
      position,
    });
  }
}

/** The name of the member at which `JSON.stringify` failed. */
function memberAtFault(value: unknown): string {
  let last = '';
  try {
    JSON.stringify(value, (name, member: unknown) => {
      last = name;
      return member;
    });
  } catch {
    // The same failure as before; only the name is needed.
  }
  return last === '' ? '' : ` at member '${shown(last)}'`;
}

function encodeFailure(error: unknown, value: unknown): JsonError {
  const message = messageOf(error);
  if (error instanceof RangeError) {
    if (/string length/i.test(message))
      return new JsonError('size', 'The JSON text is longer than a string can be', { cause: error });
    return new JsonError('depth', 'The value is nested too deep for JSON', { cause: error });
  }
  if (!(error instanceof TypeError))
    return new JsonError('value', 'The value cannot be written as JSON: it threw an error', { cause: error });
  const place = memberAtFault(value);
  if (/circular|cyclic/i.test(message))
    return new JsonError('cycle', `The value contains itself${place}`, { cause: error });
  if (/bigint/i.test(message))
    return new JsonError('value', `JSON has no BigInt${place}: use a number or a string`, { cause: error });
  return new JsonError('value', `The value cannot be written as JSON${place}`, { cause: error });
}

/**
 * Writes a value as JSON on one line: no raw line break, lone surrogates escaped, so the text is valid UTF-8 when encoded. As in
 * `JSON.stringify`, members that are `undefined`, functions or symbols are left out, and `NaN` and infinities become `null`. Throws a
 * {@link JsonError}: `value` (a BigInt, an error in `toJSON`, a top-level value that JSON cannot represent), `cycle`, `depth` or `size`;
 * its message names members of the value, its `cause` is the engine's error.
 *
 * @example encodeJson({ jsonrpc: '2.0', id: 1, result: {} })
 */
export function encodeJson(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    throw encodeFailure(error, value);
  }
  if (text === undefined) throw new JsonError('value', `JSON has no ${typeof value}`);
  return text;
}
