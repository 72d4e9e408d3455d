import { SchemaError } from '../schema-error.ts';
import type { Family, Part } from './build.ts';
import { readNumber } from './read.ts';
import { report } from './run.ts';
import { locate } from './tree.ts';
import { spend, type Budget } from '../budget.ts';

type Compare = (value: number, bound: number) => boolean;

const BOUNDS: readonly (readonly [keyword: string, sign: string, holds: Compare])[] = [
  ['minimum', '>=', (value, bound) => value >= bound],
  ['maximum', '<=', (value, bound) => value <= bound],
  ['exclusiveMinimum', '>', (value, bound) => value > bound],
  ['exclusiveMaximum', '<', (value, bound) => value < bound],
];

/** The keywords for numbers. */
export const numberFamily: Family = (node) => {
  const parts: Part[] = [];
  for (const [name, sign, holds] of BOUNDS) {
    const bound = readNumber(node, name);
    if (bound === undefined) continue;
    const message = `must be ${sign} ${bound}`;
    parts.push({ check: (value, run) => typeof value !== 'number' || holds(value, bound) || report(run, message) });
  }
  const divisor = readNumber(node, 'multipleOf');
  if (divisor === undefined) return parts;
  if (divisor <= 0) throw new SchemaError(`multipleOf must be > 0, got ${divisor}`, locate(node, 'multipleOf'));
  const message = `must be a multiple of ${divisor}`;
  parts.push({
    check: (value, run) => {
      if (typeof value !== 'number' || !Number.isFinite(value)) return true;
      return isMultipleOf(value, divisor, run) || report(run, message);
    },
  });
  return parts;
};

/**
 * Is `value` a multiple of `divisor` in decimal? `0.0075` is a multiple of `0.0001` although their binary fractions are not; therefore
 * their shortest decimal forms are divided exactly.
 */
function isMultipleOf(value: number, divisor: number, budget: Budget): boolean {
  const a = millionths(value);
  const b = millionths(divisor);
  if (a !== undefined && b !== undefined) return a % b === 0;
  const x = decimal(value);
  const y = decimal(divisor);
  const exponent = Math.min(x.exponent, y.exponent);
  spend(budget, 50 + x.exponent + y.exponent - 2 * exponent);
  return scaled(x, exponent) % scaled(y, exponent) === 0n;
}

/** The number in millionths if it has no smaller part and at most 15 digits, so that doubles are exact. */
function millionths(value: number): number | undefined {
  const whole = Math.round(value * 1e6);
  return Math.abs(whole) < 1e15 && whole / 1e6 === value ? whole : undefined;
}

interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function decimal(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = String(Math.abs(value)).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

// Exponents of doubles are within ±324, so these integers have at most about 700 digits.
function scaled({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to);
}
