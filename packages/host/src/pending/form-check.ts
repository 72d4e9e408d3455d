import type { Decision, Item } from './item.ts';

type Field = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Field =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The values that a field offers, if it offers some. */
const choicesOf = ({ enum: values, oneOf, anyOf }: Field): readonly unknown[] | undefined => {
  if (Array.isArray(values)) return values;
  const titled = oneOf ?? anyOf;
  return Array.isArray(titled)
    ? titled.map((choice: unknown) => (isObject(choice) ? choice['const'] : undefined))
    : undefined;
};

const outside = (size: number, least: unknown, most: unknown, what: string): string | undefined => {
  if (typeof least === 'number' && size < least) return `must ${what} at least ${least}`;
  return typeof most === 'number' && size > most ? `must ${what} at most ${most}` : undefined;
};

const textProblem = (field: Field, value: unknown): string | undefined => {
  if (typeof value !== 'string') return 'must be a text';
  return outside([...value].length, field['minLength'], field['maxLength'], 'have a length of');
};

const numberProblem = (field: Field, value: unknown): string | undefined => {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number';
  if (field['type'] === 'integer' && !Number.isInteger(value)) return 'must be a whole number';
  return outside(value, field['minimum'], field['maximum'], 'be');
};

const listProblem = (field: Field, value: unknown): string | undefined => {
  if (!Array.isArray(value) || value.some((one) => typeof one !== 'string')) return 'must be a list of texts';
  const choices = isObject(field['items']) ? choicesOf(field['items']) : undefined;
  if (choices !== undefined && !value.every((one) => choices.includes(one))) return 'has something that is no choice';
  return outside(value.length, field['minItems'], field['maxItems'], 'have a length of');
};

const CHECKS: Readonly<Record<string, (field: Field, value: unknown) => string | undefined>> = {
  string: textProblem,
  number: numberProblem,
  integer: numberProblem,
  boolean: (_field, value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  array: listProblem,
};

const fieldProblem = (field: Field, value: unknown): string | undefined => {
  const choices = field['type'] === 'array' ? undefined : choicesOf(field);
  if (choices !== undefined) return choices.includes(value) ? undefined : 'is none of the choices';
  return CHECKS[String(field['type'])]?.(field, value);
};

/** Why a decision does not answer what is asked, or undefined. What is left out and has a default is filled in later. */
export const answerProblem = (item: Item, { allow, cancel, content = {} }: Decision): string | undefined => {
  if (item.kind !== 'question' || item.form === undefined || !allow || cancel === true) return undefined;
  const { schema, defaults } = item.form;
  const given: Field = {
    ...defaults,
    ...Object.fromEntries(Object.entries(content).filter(([, one]) => one !== undefined)),
  };
  const required: unknown = schema['required'];
  const missing = (Array.isArray(required) ? required : []).find((name) => !Object.hasOwn(given, String(name)));
  if (missing !== undefined) return `'${String(missing)}' is missing`;
  const fields = isObject(schema['properties']) ? schema['properties'] : {};
  for (const [name, value] of Object.entries(given)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const problem = isObject(field) ? fieldProblem(field, value) : undefined;
    if (problem !== undefined) return `'${name}' ${problem}`;
  }
  return undefined;
};
