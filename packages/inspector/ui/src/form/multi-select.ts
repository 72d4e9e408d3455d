import { writeExact } from '../json/exact.ts';
import { asMap, type FormNode } from './form-schema.ts';
import { type OptionValue, optionsOf } from './field-parts.ts';

/** The most options; with more, an array is edited as a list. */
const MAX_OPTIONS = 100;

/** The values that an array may contain, if the schema enumerates them. Undefined: it is edited as a list. */
export function choicesOf(schema: FormNode): readonly OptionValue[] | undefined {
  if (schema['type'] !== 'array') return undefined;
  const options = optionsOf(asMap(schema['items']));
  return options === undefined || options.length > MAX_OPTIONS ? undefined : options;
}

/** The indexes of the options in an array. Undefined: it has other values, or one twice, which choices cannot represent. */
export function chosenIn(options: readonly OptionValue[], list: unknown): ReadonlySet<number> | undefined {
  if (list === undefined) return new Set();
  if (!Array.isArray(list)) return undefined;
  const written = options.map(({ value }) => writeExact(value));
  const chosen = new Set(list.map((value) => written.indexOf(writeExact(value))));
  return chosen.size === list.length && !chosen.has(-1) ? chosen : undefined;
}

/** Returns whether an array is shown as choices. */
export function isMultiSelect(schema: FormNode, list: unknown): boolean {
  const options = choicesOf(schema);
  return options !== undefined && chosenIn(options, list) !== undefined;
}
