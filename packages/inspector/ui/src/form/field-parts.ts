import type { FieldProps } from '@rjsf/utils';
import { numberText, writeExact } from '../json/exact.ts';
import { isNode } from './form-schema.ts';

// What the fields of a form share. A field never refuses what is typed: what does not fit is sent as it stands, and a warning says so.

/** What stands in a field whose value is not sent. */
export const PLACEHOLDER = 'not sent';

/** Sets the value of a field; undefined: it is not sent. */
export function change({ onChange, fieldPathId }: FieldProps, value: unknown): void {
  onChange(value, fieldPathId.path);
}

/** The id of what says what a field is for. */
export function describedBy({ fieldPathId }: FieldProps): string {
  return `${fieldPathId.$id}__about`;
}

/** The id of the name of a field. */
export function labelledBy({ fieldPathId }: FieldProps): string {
  return `${fieldPathId.$id}__label`;
}

/** One of the values that a schema counts up. */
export interface OptionValue {
  readonly value: unknown;
  readonly label: string;
}

/** A value as text: a string as it is, all else as JSON. */
export function labelOf(value: unknown): string {
  return numberText(value) ?? (typeof value === 'string' ? value : writeExact(value));
}

function titled(value: unknown, title: unknown): OptionValue {
  const own = labelOf(value);
  return { value, label: typeof title === 'string' && title !== own ? `${title} (${own})` : own };
}

/** What a field may be, if the schema counts it up. Titles of an `enum` are in `enumNames`, in forms of servers. */
export function optionsOf(schema: unknown): readonly OptionValue[] | undefined {
  if (!isNode(schema)) return undefined;
  const { enum: values, enumNames } = schema;
  const names: readonly unknown[] = Array.isArray(enumNames) ? enumNames : [];
  if (Array.isArray(values)) return values.map((value: unknown, at) => titled(value, names[at]));
  if ('const' in schema) return [{ value: schema['const'], label: labelOf(schema['const']) }];
  const choices = schema['oneOf'] ?? schema['anyOf'];
  if (!Array.isArray(choices) || !choices.every((one) => isNode(one) && 'const' in one)) return undefined;
  return choices.filter(isNode).map((one) => titled(one['const'], one['title']));
}
