import type { ErrorCode } from './error-codes.ts';
import { numbersIn } from './json-text.ts';

/** This Node cannot write a number exactly. */
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

/** Sign, digits without zeros at either end, and exponent: the same for every way to write a number. */
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

/** Without the zeros at the end. (A pattern for that takes quadratic time.) */
function trimZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}

/** The same for every way to write a number. */
export function canonicalNumber(number: string): string {
  return canonical(number) ?? number;
}

/** Would JavaScript send a number on with another value than the one written? */
export function isLossy(number: string): boolean {
  return canonical(number) !== canonical(JSON.stringify(Number(number)));
}

/**
 * Is this how JSON writes a number?
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
 * Has the number, whatever its size, no fraction?
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
 * A number for `JSON.stringify`, which writes the value of `text` exactly. Throws an `InexactNumberError` where this Node cannot.
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

/** Would JavaScript write a number in another way than this? `1.0` as `1`: the same value, and for some programs another type. */
export function isRewritten(number: string): boolean {
  return JSON.stringify(Number(number)) !== number;
}

/**
 * Reads JSON for sending on: every number leaves with the value it was written with. `keeps`: which numbers leave as they were
 * written, where this Node can do that; by default those whose value would change. Throws a `SyntaxError`, or an `InexactNumberError` where the value would change.
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
