import { numbersIn } from './json-text.ts';

/** This Node cannot write a number exactly. */
export class InexactNumberError extends Error {
  override readonly name = 'InexactNumberError';
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
const canonical = (number: string): string | undefined => {
  const found = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number);
  if (found === null) return undefined;
  const [, sign, whole, fraction = '', exponent = '0'] = found;
  const all = whole! + fraction;
  const digits = all.replace(/^0+/, '');
  const kept = trimZeros(digits);
  if (kept === '') return `${sign}0`;
  return `${sign}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
};

/** Without the zeros at the end. (A pattern for that takes quadratic time.) */
const trimZeros = (digits: string): string => {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
};

/** The same for every way to write a number. */
export const canonicalNumber = (number: string): string => canonical(number) ?? number;

/** Would JavaScript send a number on with another value than the one written? */
export const isLossy = (number: string): boolean => canonical(number) !== canonical(JSON.stringify(Number(number)));

/** Is this how JSON writes a number? */
export const isNumber = (text: string): boolean => /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);

/** Has the number, whatever its size, no fraction? */
export const isInteger = (number: string): boolean => {
  const exponent = /e(-?\d+)$/.exec(canonical(number) ?? '')?.[1];
  return exponent === undefined ? isNumber(number) : Number(exponent) >= 0;
};

/** A number for `JSON.stringify`, which writes the value of `text` exactly. Throws an `InexactNumberError` where this Node cannot. */
export const exactNumber = (text: string): unknown => {
  if (!isLossy(text)) return Number(text);
  if (rawJSON !== undefined) return rawJSON(text);
  throw new InexactNumberError(text);
};

/**
 * Reads JSON for sending on: every number leaves with the value it was written with. Throws a `SyntaxError`, or an
 * `InexactNumberError` where this Node cannot do that.
 */
export const readJson = (text: string): unknown => {
  const value: unknown = JSON.parse(text);
  const lossy: string[] = [];
  for (const number of numbersIn(text)) if (isLossy(number)) lossy.push(number);
  if (lossy.length === 0) return value;
  exactNumber(lossy[0]!);
  return parse(text, (_name, member, context) =>
    typeof member === 'number' && context?.source !== undefined ? exactNumber(context.source) : member,
  );
};
