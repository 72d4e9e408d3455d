import { spend } from '../budget.ts';
import type { Budget } from '../budget.ts';

/**
 * Is `value` a multiple of `divisor` in decimal? `0.0075` is a multiple of `0.0001` although their binary fractions are not; therefore
 * their shortest decimal forms are divided exactly.
 */
export function isMultipleOf(value: number, divisor: number, budget: Budget): boolean {
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
