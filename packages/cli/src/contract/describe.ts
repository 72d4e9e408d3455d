import { isObject } from '@tenon/values/is-object';
import { commentLines, commentText } from './source-text.ts';

/** Constraints that a type cannot express. They go into a comment. */
const CONSTRAINTS = [
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'exclusiveMinimum',
  'maximum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'contentEncoding',
  'contentMediaType',
  'default',
] as const;

const MAX_CONSTRAINT = 200;

function constraintsOf(schema: Readonly<Record<string, unknown>>): string {
  const given = CONSTRAINTS.filter((keyword) => Object.hasOwn(schema, keyword)).flatMap((keyword) => {
    const value = schema[keyword];
    // Libraries write these for every integer.
    if (Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) return [];
    return `${keyword}: ${commentText(typeof value === 'string' ? value : JSON.stringify(value), MAX_CONSTRAINT)}`;
  });
  return [...(schema['type'] === 'integer' ? ['integer'] : []), ...given].join(', ');
}

/** The lines of a doc comment for the texts of an entry or of a schema: its description, or else its title. */
export function textLines({ title, description }: Readonly<Record<string, unknown>>): string[] {
  const lines = typeof description === 'string' ? commentLines(description) : [];
  return lines.length > 0 || typeof title !== 'string' ? lines : commentLines(title);
}

/** The lines of the doc comment for a value of a schema. */
export function describe(schema: unknown): string[] {
  if (!isObject(schema)) return [];
  const lines = textLines(schema);
  const constraints = constraintsOf(schema);
  if (constraints !== '') lines.push(...(lines.length > 1 ? [''] : []), constraints);
  if (schema['deprecated'] === true) lines.push('@deprecated');
  return lines;
}
