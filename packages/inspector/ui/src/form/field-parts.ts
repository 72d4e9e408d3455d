import type { FieldProps } from '@rjsf/utils';
import { numberText, writeExact } from '../json/exact.ts';
import { isNode } from './form-schema.ts';

// Shared parts of form fields. A field accepts any input: invalid values are sent as typed, with a warning.

/** The placeholder of a field whose value is not sent. */
export const PLACEHOLDER = 'not sent';

/** Sets the value of a field. Undefined: it is not sent. */
export function change({ onChange, fieldPathId }: FieldProps, value: unknown): void {
  onChange(value, fieldPathId.path);
}

/** The id of the description of a field. */
export function describedBy({ fieldPathId }: FieldProps): string {
  return `${fieldPathId.$id}__about`;
}

/** The id of the label of a field. */
export function labelledBy({ fieldPathId }: FieldProps): string {
  return `${fieldPathId.$id}__label`;
}

/** One of the values that a schema enumerates. */
export interface OptionValue {
  readonly value: unknown;
  readonly label: string;
}

/** A value as text: strings unchanged, everything else as JSON. */
export function labelOf(value: unknown): string {
  return numberText(value) ?? (typeof value === 'string' ? value : writeExact(value));
}

function titled(value: unknown, title: unknown): OptionValue {
  const own = labelOf(value);
  return { value, label: typeof title === 'string' && title !== own ? `${title} (${own})` : own };
}

/** The values of a field, if the schema enumerates them. In forms of servers, titles of an `enum` are in `enumNames`. */
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
