import type { JsonSchema } from 'tenon/client';
import { formProblem } from 'tenon/forms';
import { type Choice, choicesOf } from '../choices.ts';
import { isObject } from '@tenon/values/is-object';
import { cut } from './paint.ts';

/** A value of a form. */
export type Value = string | number | boolean | string[];

/** A field of a form, with what all revisions call differently made one. */
export interface Field {
  readonly name: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly kind: 'text' | 'number' | 'boolean' | 'one' | 'several';
  readonly required: boolean;
  readonly choices: readonly Choice[];
  readonly initial: Value | undefined;
  readonly schema: Readonly<Record<string, unknown>>;
}

type Schema = Field['schema'];

const textOr = (value: unknown, otherwise: string): string =>
  typeof value === 'string' && value !== '' ? value : otherwise;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const kindOf = (schema: Schema, choices: Field['choices']): Field['kind'] => {
  if (schema['type'] === 'array') return 'several';
  if (choices.length > 0) return 'one';
  if (schema['type'] === 'boolean') return 'boolean';
  return schema['type'] === 'number' || schema['type'] === 'integer' ? 'number' : 'text';
};

const isValue = (value: unknown): value is Value =>
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (Array.isArray(value) && value.every((entry) => typeof entry === 'string'));

/** Would a form with this field alone be taken, when it is sent? */
const fits = ({ schema }: Pick<Field, 'schema'>, value: Value): boolean =>
  formProblem({ schema: { type: 'object', properties: { value: schema } }, defaults: {} }, { value }) === undefined;

/** What a form says of its fields, in its order. One that it requires and says nothing of can be answered with any text. */
function describedFields({ properties, required }: Schema): Map<string, unknown> {
  const described = new Map(Object.entries(isObject(properties) ? properties : {}));
  for (const name of listOf(required))
    if (typeof name === 'string' && !described.has(name)) described.set(name, undefined);
  return described;
}

/** The fields of a form, in its order. */
export const fieldsOf = (form: JsonSchema, defaults: Readonly<Record<string, unknown>>): Field[] => {
  const { required } = form as Schema;
  return [...describedFields(form)].map(([name, data]): Field => {
    const schema = isObject(data) ? data : {};
    const { items, title, description } = schema;
    const choices = choicesOf(isObject(items) ? items : schema);
    const initial = Object.hasOwn(defaults, name) ? defaults[name] : schema['default'];
    return {
      name,
      title: textOr(title, name),
      description: typeof description === 'string' && description !== '' ? description : undefined,
      kind: kindOf(schema, choices),
      required: listOf(required).includes(name),
      choices,
      // A default that its own field does not take would be sent where nothing is written.
      initial: isValue(initial) && fits({ schema }, initial) ? initial : undefined,
      schema,
    };
  });
};

/** What texts of a format look like. */
const WANTED: ReadonlyMap<unknown, string> = new Map([
  ['email', 'an email address: ann@example.com'],
  ['uri', 'a whole address: https://example.com'],
  ['date', 'a date: 2026-07-28'],
  ['date-time', 'a date and time with its zone: 2026-07-28T12:00:00Z'],
]);

const numberOr = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

const textProblem = (text: string, field: Field): string | undefined => {
  const { minLength, maxLength, format } = field.schema;
  const length = [...text].length;
  if (length < numberOr(minLength, 0)) return `At least ${String(minLength)} characters, please.`;
  if (length > numberOr(maxLength, Infinity)) return `At most ${String(maxLength)} characters, please.`;
  return fits(field, text) ? undefined : `This must be ${WANTED.get(format) ?? 'something else'}.`;
};

const numberProblem = (text: string, { schema }: Field): string | undefined => {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) return 'This must be a number.';
  if (schema['type'] === 'integer' && !Number.isInteger(number)) return 'This must be a whole number.';
  if (number < numberOr(schema['minimum'], -Infinity)) return `At least ${String(schema['minimum'])}, please.`;
  return number > numberOr(schema['maximum'], Infinity) ? `At most ${String(schema['maximum'])}, please.` : undefined;
};

/** What is wrong with a text for this field, in a sentence; undefined: nothing. */
export const problemOf = (text: string, field: Field): string | undefined => {
  if (text === '') return field.required && field.initial === undefined ? 'An answer is needed here.' : undefined;
  return field.kind === 'number' ? numberProblem(text, field) : textProblem(text, field);
};

/** What is wrong with what was chosen of several. */
export const countProblem = (chosen: readonly string[], { schema, required, initial }: Field): string | undefined => {
  if (chosen.length === 0 && !required && initial === undefined) return undefined;
  const [least, most] = [numberOr(schema['minItems'], required ? 1 : 0), numberOr(schema['maxItems'], Infinity)];
  if (chosen.length < least) return `Choose at least ${least}.`;
  return chosen.length > most ? `Choose at most ${most}.` : undefined;
};

/** A value for people. */
export const shownValue = (value: Value | undefined, { choices }: Field): string => {
  if (value === undefined) return '(left empty)';
  const titleOf = (one: string): string => choices.find((choice) => choice.value === one)?.title ?? one;
  if (Array.isArray(value))
    return value.length === 0 ? '(none)' : value.map((one) => cut(titleOf(one), 100)).join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return cut(typeof value === 'string' ? titleOf(value) : String(value), 500);
};
