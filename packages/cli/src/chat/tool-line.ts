import type { JsonSchema } from 'tenon/client';
import { isObject } from '@tenon/values/is-object';

/** The arguments of a tool in short: `(city, days?)`. */
export function schemaSummary(schema: JsonSchema): string {
  const { properties, required } = schema as Readonly<Record<string, unknown>>;
  const needed = new Set(Array.isArray(required) ? required : []);
  const names = Object.keys(isObject(properties) ? properties : {}).slice(0, 20);
  return `(${names.map((name) => `${name}${needed.has(name) ? '' : '?'}`).join(', ')})`;
}
