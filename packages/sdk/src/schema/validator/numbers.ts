import { SchemaError } from '../schema-error.ts';
import type { Family, Part } from './build.ts';
import { isMultipleOf } from './multiple.ts';
import { readNumber } from './read.ts';
import { report } from './run.ts';
import { locate } from './tree.ts';

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
