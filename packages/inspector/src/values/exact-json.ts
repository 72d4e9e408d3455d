import type { ErrorCode } from './error-codes.ts';
import { numbersIn } from './json-text.ts';

/** This version of Node cannot serialize a number exactly. */
export class InexactNumberError extends Error {
  /** Always `InexactNumberError`. */
  override readonly name = 'InexactNumberError';
  /** Always `inexact-number`. */
  readonly code: ErrorCode<'InexactNumberError'> = 'inexact-number';
  /** What to do about it. */
  readonly fix = 'Use Node 22 or newer, or a smaller number.';

  constructor(number: string) {
    super(`Node ${process.versions.node} cannot send the number ${number} without changing it`);
  }
}

// JSON.parse source text access, a TC39 proposal at stage 4: in Node from 21 on. The types of ES2022 do not have it.
interface LosslessJson {
  rawJSON?(text: string): object;
  parse(
    text: string,
    reviver: (this: unknown, name: string, value: unknown, context?: { source?: string }) => unknown,
  ): unknown;
}
const { rawJSON, parse } = JSON as unknown as LosslessJson;

/** Sign, digits without zeros at either end, and exponent: the same for every spelling of a number. */
function canonical(number: string): string | undefined {
  const found = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number);
  if (found === null) return undefined;
  const [, sign, whole, fraction = '', exponent = '0'] = found;
  const all = whole! + fraction;
  const digits = all.replace(/^0+/, '');
  const kept = trimZeros(digits);
  if (kept === '') return `${sign}0`;
  return `${sign}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}

/** Removes the zeros at the end. (A regular expression would take quadratic time.) */
function trimZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}

/** The same text for every spelling of a number. */
export function canonicalNumber(number: string): string {
  return canonical(number) ?? number;
}

/** Returns whether JavaScript would change the value of a number. */
export function isLossy(number: string): boolean {
  return canonical(number) !== canonical(JSON.stringify(Number(number)));
}

/**
 * Returns whether this is a valid JSON number.
 *
 * @example
 * ```ts
 * import { isNumber } from '@tenon/inspector/json';
 *
 * isNumber('01'); // false
 * ```
 */
export function isNumber(text: string): boolean {
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
}

/**
 * Returns whether a number of any size has no fraction.
 *
 * @example
 * ```ts
 * import { isInteger } from '@tenon/inspector/json';
 *
 * isInteger('1.50e1'); // true
 * ```
 */
export function isInteger(number: string): boolean {
  const exponent = /e(-?\d+)$/.exec(canonical(number) ?? '')?.[1];
  return exponent === undefined ? isNumber(number) : Number(exponent) >= 0;
}

/**
 * A number for `JSON.stringify`, which serializes the value of `text` exactly. Throws an `InexactNumberError` if this version of
 * Node cannot.
 *
 * @example
 * ```ts
 * import { exactNumber } from '@tenon/inspector/json';
 *
 * JSON.stringify({ size: exactNumber('12345678901234567890') }); // '{"size":12345678901234567890}'
 * ```
 */
export function exactNumber(text: string): unknown {
  if (!isLossy(text)) return Number(text);
  if (rawJSON !== undefined) return rawJSON(text);
  throw new InexactNumberError(text);
}

/**
 * Returns whether JavaScript would change the spelling of a number. `1.0` becomes `1`: the same value, but for some programs
 * another type.
 */
export function isRewritten(number: string): boolean {
  return JSON.stringify(Number(number)) !== number;
}

/**
 * Parses JSON for sending it on: every number keeps its value. `keeps`: which numbers keep their spelling, if this version of
 * Node can do that; by default, those whose value would change. Throws a `SyntaxError`, or an `InexactNumberError` if a value
 * would change.
 *
 * @example
 * ```ts
 * import { readJson } from '@tenon/inspector/json';
 *
 * JSON.stringify(readJson('{"size":12345678901234567890}')); // '{"size":12345678901234567890}'
 * ```
 */
export function readJson(text: string, keeps: (number: string) => boolean = isLossy): unknown {
  const value: unknown = JSON.parse(text);
  const kept = [...numbersIn(text)].filter(keeps);
  if (kept.length === 0) return value;
  const lossy = kept.find(isLossy);
  if (lossy !== undefined) exactNumber(lossy);
  if (rawJSON === undefined) return value;
  return parse(text, (_name, member, context) =>
    typeof member === 'number' && context?.source !== undefined && keeps(context.source)
      ? rawJSON(context.source)
      : member,
  );
}
