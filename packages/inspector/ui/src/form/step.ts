import { isNumber } from '../../../src/values/exact-json.ts';
import { numberText } from '../json/exact.ts';
import type { FormNode } from './form-schema.ts';

/** The bounds and the step size of a number. Undefined: no bound. */
export interface Steps {
  readonly step: number;
  readonly least: number | undefined;
  readonly most: number | undefined;
}

function numberOf(value: unknown): number | undefined {
  const text = numberText(value);
  return text === undefined ? undefined : Number(text);
}

/** The number of digits after the decimal point. */
function decimalsOf(value: number): number {
  const [, behind = '', power = '0'] = /^-?\d+(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  return Math.min(20, Math.max(0, behind.length - Number(power)));
}

/** The steps of a number, from its schema. */
export function stepsOf({ type, multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum }: FormNode): Steps {
  const given = numberOf(multipleOf);
  const step = given !== undefined && given > 0 ? given : 1;
  const above = numberOf(exclusiveMinimum);
  const below = numberOf(exclusiveMaximum);
  // An exclusive bound has no nearest fraction, so one step is kept from it.
  const inside = type === 'integer' ? Math.max(1, step) : step;
  return {
    step,
    least: numberOf(minimum) ?? (above === undefined ? undefined : above + inside),
    most: numberOf(maximum) ?? (below === undefined ? undefined : below - inside),
  };
}

function within(value: number, { least, most }: Steps): number {
  return Math.max(least ?? -Infinity, Math.min(most ?? Infinity, value));
}

/** An integer of any length, plus one step. */
function longer(text: string, by: 1 | -1, { step }: Steps): string {
  return String(BigInt(text) + BigInt(by) * BigInt(step));
}

/** The number plus one step, within its bounds. `text`: the typed text; empty: start at the bound. */
export function stepped(text: string, by: 1 | -1, steps: Steps): string {
  const { step, least, most } = steps;
  if (!isNumber(text)) return text === '' ? String(within(least ?? 0, steps)) : text;
  const isLong = /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text));
  if (isLong && Number.isInteger(step)) return longer(text, by, steps);
  const next = within(Number(text) + by * step, steps);
  if (next === least || next === most) return String(next);
  // Sums of fractions have more digits than the user typed.
  const decimals = Math.max(decimalsOf(step), decimalsOf(Number(text)));
  return String(Number(next.toFixed(decimals)));
}
