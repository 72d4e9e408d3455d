/** A number as JSON writes it (RFC 8259, section 6), in its parts. */
const LITERAL = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const IN_TEXT = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** The decimal value of a literal in one form, whatever its zeros and exponent; undefined if it is not a number of JSON. */
function decimalOf(literal: string): string | undefined {
  const [match, sign, whole = '', fraction = '', exponent = '0'] = LITERAL.exec(literal) ?? [];
  if (match === undefined) return undefined;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  // A loop, because a regular expression would take more than linear time.
  let length = digits.length;
  while (digits[length - 1] === '0') length--;
  const power = Number(exponent) - fraction.length + digits.length - length;
  return length === 0 ? '0' : `${sign}${digits.slice(0, length)}e${power}`;
}

/** Is this a number as JSON writes it? */
export function isNumberLiteral(text: string): boolean {
  return LITERAL.test(text);
}

/** Is this a number of JSON whose value a JavaScript number keeps: the same decimal number is written again? */
export function isExactNumber(literal: string): boolean {
  const decimal = decimalOf(literal);
  const value = Number(literal);
  return decimal !== undefined && Number.isFinite(value) && decimalOf(String(value)) === decimal;
}

/** The first number in a JSON text whose value a JavaScript number does not keep; undefined if there is none. */
export function findInexactNumber(json: string): string | undefined {
  for (const [token] of json.matchAll(IN_TEXT)) if (!token.startsWith('"') && !isExactNumber(token)) return token;
  return undefined;
}
