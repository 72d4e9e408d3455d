import { inertText } from '../parts/inert.ts';
import { numberText } from '../json/exact.ts';
import type { FormNode } from './form-schema.ts';

function shown(value: unknown): string {
  return numberText(value) ?? inertText(JSON.stringify(value) ?? '', 40);
}

/** `1…10`, `≥ 1`, `≤ 10`. Undefined without bounds. */
function range(least: unknown, most: unknown): string | undefined {
  if (least === undefined && most === undefined) return undefined;
  if (most === undefined) return `≥ ${shown(least)}`;
  return least === undefined ? `≤ ${shown(most)}` : `${shown(least)}…${shown(most)}`;
}

function lengths(least: unknown, most: unknown, unit: string): string | undefined {
  const bounds = range(least, most);
  return bounds === undefined ? undefined : `${bounds} ${unit}`;
}

function kindOf(schema: FormNode): string {
  const { type } = schema;
  const choices = schema['oneOf'] ?? schema['anyOf'];
  if (typeof type === 'string' && !Array.isArray(choices)) return type;
  if (Array.isArray(schema['enum'])) return `one of ${schema['enum'].length}`;
  if (Array.isArray(choices)) return `one of ${choices.length}`;
  return 'const' in schema ? '' : 'any';
}

/** The type of a value, in a few words: `integer 1…10`, `string ≤ 20 characters, email`. */
export function typeText(schema: FormNode): string {
  const { format, pattern } = schema;
  const words = [
    kindOf(schema),
    range(schema['minimum'], schema['maximum']),
    schema['exclusiveMinimum'] === undefined ? undefined : `> ${shown(schema['exclusiveMinimum'])}`,
    schema['exclusiveMaximum'] === undefined ? undefined : `< ${shown(schema['exclusiveMaximum'])}`,
    schema['multipleOf'] === undefined ? undefined : `step ${shown(schema['multipleOf'])}`,
    lengths(schema['minLength'], schema['maxLength'], 'characters'),
    lengths(schema['minItems'], schema['maxItems'], 'items'),
    'const' in schema ? `always ${shown(schema['const'])}` : undefined,
    typeof format === 'string' ? inertText(format, 40) : undefined,
    typeof pattern === 'string' ? `/${inertText(pattern, 60)}/` : undefined,
  ];
  return words.filter((word) => word !== undefined && word !== '').join(' ');
}
