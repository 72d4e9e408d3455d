import { patternExample } from 'tenon/internal';
import type { Shape } from '../values/schema/shape.ts';
import { FORMATTED, numberFor, textFor } from './plausible.ts';

/** The longest text that is generated. */
const MAX_LENGTH = 10_000;

function codePoints(text: string): number {
  return Array.from(text).length;
}

/** Texts for a shape, the most plausible first. The caller validates them. */
export function* texts(shape: Shape, name: string | undefined, turn: number): Generator<string> {
  const least = Math.min(shape.bounds.get('minLength') ?? 0, MAX_LENGTH);
  const most = Math.min(shape.bounds.get('maxLength') ?? MAX_LENGTH, MAX_LENGTH);
  for (const format of shape.formats) {
    const text = FORMATTED.get(format);
    if (text !== undefined) yield turn === 0 ? text : varied(text, format, turn);
  }
  for (const pattern of shape.patterns)
    for (let seed = turn; seed < turn + 4; seed += 1) {
      const text = patternExample(pattern, { minLength: least, maxLength: most, seed });
      if (text === undefined) continue;
      // A pattern without `$` allows any suffix.
      if (turn > 0) yield `${text}${turn}`;
      yield text;
    }
  const plain = textFor(name) ?? 'text';
  yield fitted(turn === 0 ? plain : `${plain} ${turn + 1}`, least, most);
  yield fitted(turn === 0 ? 'a' : String(turn), least, most);
}

/** Cut or extended to the bounds. */
function fitted(text: string, least: number, most: number): string {
  const length = codePoints(text);
  if (length > most)
    return Array.from(text)
      .slice(-most || length)
      .join('')
      .slice(0, most * 2);
  return length < least ? text + 'x'.repeat(least - length) : text;
}

/** Another text of the same format. */
function varied(text: string, format: string, turn: number): string {
  const two = String((turn % 28) + 1).padStart(2, '0');
  if (format === 'date' || format === 'date-time')
    return text.replace('-01-31', `-${String((turn % 12) + 1).padStart(2, '0')}-${two}`);
  if (format === 'time') return `12:${two}:00Z`;
  if (format === 'uuid') return text.slice(0, -4) + String(turn % 10_000).padStart(4, '0');
  if (format === 'ipv4') return `192.0.2.${(turn % 250) + 1}`;
  if (format === 'ipv6') return `2001:db8::${((turn % 60_000) + 1).toString(16)}`;
  if (format === 'duration') return `P${turn + 1}D`;
  if (/email/.test(format)) return text.replace('@', `${turn + 1}@`);
  if (/hostname/.test(format)) return `host${turn + 1}.${text}`;
  return format === 'byte' ? text : `${text}${turn + 1}`;
}

/** Numbers for a shape, the most plausible first. */
export function* numbers(shape: Shape, name: string | undefined, turn: number): Generator<number> {
  const whole = !shape.kinds.has('fraction');
  const { bounds, divisors } = shape;
  const [min = -Infinity, above = -Infinity] = [bounds.get('minimum'), bounds.get('exclusiveMinimum')];
  const [max = Infinity, below = Infinity] = [bounds.get('maximum'), bounds.get('exclusiveMaximum')];
  const [low, high] = [Math.max(min, above), Math.min(max, below)];
  const step = [...divisors].reduce((product, divisor) => leastCommon(product, divisor), whole ? 1 : 0);
  const inside = (value: number): boolean => value >= min && value > above && value <= max && value < below;
  const near = (value: number): number => (step > 0 ? rounded(Math.round(value / step) * step) : value);
  const wanted = (numberFor(name) ?? 1) + (step || 1) * turn;
  for (const value of [wanted, near(wanted)]) if (inside(value) && (step === 0 || near(value) === value)) yield value;
  if (step > 0) {
    // The first multiple above the lower bound, or the last one below the upper bound.
    const first = low > -Infinity ? Math.ceil(low / step) : high < Infinity ? Math.floor(high / step) : 0;
    for (const shift of [turn, turn + 1, -turn, -turn - 1]) {
      const value = rounded((first + shift) * step);
      if (inside(value)) yield value;
    }
    return;
  }
  if (low > -Infinity && high < Infinity) yield rounded(low + ((high - low) * ((turn % 8) + 1)) / 9);
  else if (low > -Infinity) yield low + turn + 1;
  else if (high < Infinity) yield high - turn - 1;
  for (const edge of [min, max]) if (Number.isFinite(edge)) yield edge;
}

/** Removes the errors of binary fractions: 0.1 × 3. */
function rounded(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(12));
}

/** Also for fractions: both are scaled to integers. */
function leastCommon(a: number, b: number): number {
  if (a === 0) return b;
  const scale = 10 ** Math.min(9, Math.max(decimals(a), decimals(b)));
  const [x, y] = [Math.round(a * scale), Math.round(b * scale)];
  const product = (x / greatestCommon(x, y)) * y;
  return Number.isSafeInteger(product) && product > 0 ? product / scale : b;
}

function decimals(value: number): number {
  const [, fraction = ''] = String(value).split('.');
  return /e-(\d+)$/.test(String(value)) ? 9 : fraction.length;
}

function greatestCommon(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y > 0) [x, y] = [y, x % y];
  return x || 1;
}
