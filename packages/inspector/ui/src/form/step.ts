import { isNumber } from '../../../src/values/exact-json.ts';
import { numberText } from '../json/exact.ts';
import type { FormNode } from './form-schema.ts';

/** What a number may be, and how far one step is. Undefined: there is no bound. */
export interface Steps {
  readonly step: number;
  readonly least: number | undefined;
  readonly most: number | undefined;
}

function numberOf(value: unknown): number | undefined {
  const text = numberText(value);
  return text === undefined ? undefined : Number(text);
}

/** How many digits stand behind the point. */
function decimalsOf(value: number): number {
  const [, behind = '', power = '0'] = /^-?\d+(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  return Math.min(20, Math.max(0, behind.length - Number(power)));
}

/** The steps of a number, as its schema says. */
export function stepsOf({ type, multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum }: FormNode): Steps {
  const given = numberOf(multipleOf);
  const step = given !== undefined && given > 0 ? given : 1;
  const above = numberOf(exclusiveMinimum);
  const below = numberOf(exclusiveMaximum);
  // Of the numbers above a bound there is no first; with whole steps the next one is taken.
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

/** An integer of any length, one step further. */
function longer(text: string, by: 1 | -1, { step }: Steps): string {
  return String(BigInt(text) + BigInt(by) * BigInt(step));
}

/** The number one step further, within its bounds. `text`: what is typed; empty: the steps begin at the bound. */
export function stepped(text: string, by: 1 | -1, steps: Steps): string {
  const { step, least, most } = steps;
  if (!isNumber(text)) return text === '' ? String(within(least ?? 0, steps)) : text;
  const isLong = /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text));
  if (isLong && Number.isInteger(step)) return longer(text, by, steps);
  const next = within(Number(text) + by * step, steps);
  if (next === least || next === most) return String(next);
  // Sums of fractions have digits that nobody typed.
  const decimals = Math.max(decimalsOf(step), decimalsOf(Number(text)));
  return String(Number(next.toFixed(decimals)));
}
