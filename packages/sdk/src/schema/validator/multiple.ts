import { spend } from '../budget.ts';
import type { Budget } from '../budget.ts';

/**
 * Is `value` a whole multiple of `divisor`, as people read the two numbers? `0.0075` is a multiple of `0.0001`
 * although no binary fraction says so; therefore their shortest decimal forms are divided, exactly.
 */
export const isMultipleOf = (value: number, divisor: number, budget: Budget): boolean => {
  const a = millionths(value);
  const b = millionths(divisor);
  if (a !== undefined && b !== undefined) return a % b === 0;
  const x = decimal(value);
  const y = decimal(divisor);
  const exponent = Math.min(x.exponent, y.exponent);
  spend(budget, 50 + x.exponent + y.exponent - 2 * exponent);
  return scaled(x, exponent) % scaled(y, exponent) === 0n;
};

/** The number in millionths, where it has no smaller part and not more than 15 digits: then doubles are exact about it. */
const millionths = (value: number): number | undefined => {
  const whole = Math.round(value * 1e6);
  return Math.abs(whole) < 1e15 && whole / 1e6 === value ? whole : undefined;
};

interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

const decimal = (value: number): Decimal => {
  const [mantissa = '0', exponent = '0'] = String(Math.abs(value)).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
};

// Exponents of doubles lie within ±324, so these integers stay below some 700 digits.
const scaled = ({ digits, exponent }: Decimal, to: number): bigint => digits * 10n ** BigInt(exponent - to);
