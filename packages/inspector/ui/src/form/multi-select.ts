import { writeExact } from '../json/exact.ts';
import { asMap, type FormNode } from './form-schema.ts';
import { type OptionValue, optionsOf } from './field-parts.ts';

/** More are edited as a list. */
const MAX_OPTIONS = 100;

/** The values of which a list may have some, if the schema counts them up. Undefined: it is edited as a list. */
export function choicesOf(schema: FormNode): readonly OptionValue[] | undefined {
  if (schema['type'] !== 'array') return undefined;
  const options = optionsOf(asMap(schema['items']));
  return options === undefined || options.length > MAX_OPTIONS ? undefined : options;
}

/** Which of the options are in a list, by their place; undefined: it has others, or one twice, which cannot be shown so. */
export function chosenIn(options: readonly OptionValue[], list: unknown): ReadonlySet<number> | undefined {
  if (list === undefined) return new Set();
  if (!Array.isArray(list)) return undefined;
  const written = options.map(({ value }) => writeExact(value));
  const chosen = new Set(list.map((value) => written.indexOf(writeExact(value))));
  return chosen.size === list.length && !chosen.has(-1) ? chosen : undefined;
}

/** Is a list shown as choices? */
export function isMultiSelect(schema: FormNode, list: unknown): boolean {
  const options = choicesOf(schema);
  return options !== undefined && chosenIn(options, list) !== undefined;
}
