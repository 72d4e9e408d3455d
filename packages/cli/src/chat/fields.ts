import { exactNumber, isNumber } from '@tenon/inspector/json';
import type { JsonSchema } from 'tenon/client';
import { formProblem } from 'tenon/forms';
import { type Choice, choicesOf } from '../terminal/choices.ts';
import { isObject } from '@tenon/values/is-object';
import { cut } from './paint.ts';

/** A value of a form. */
export type Value = string | number | boolean | string[];

/** A field of a form, in one shape for all revisions. */
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

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function kindOf(schema: Schema, choices: Field['choices']): Field['kind'] {
  if (schema['type'] === 'array') return 'several';
  if (choices.length > 0) return 'one';
  if (schema['type'] === 'boolean') return 'boolean';
  return schema['type'] === 'number' || schema['type'] === 'integer' ? 'number' : 'text';
}

function isValue(value: unknown): value is Value {
  return (
    ['string', 'number', 'boolean'].includes(typeof value) ||
    (Array.isArray(value) && value.every((entry) => typeof entry === 'string'))
  );
}

/** Whether a form with only this field would accept the value. */
function fits({ schema }: Pick<Field, 'schema'>, value: Value): boolean {
  return (
    formProblem({ schema: { type: 'object', properties: { value: schema } }, defaults: {} }, { value }) === undefined
  );
}

/** The schemas of a form's fields, in its order. A required field without a schema accepts any text. */
function describedFields({ properties, required }: Schema): Map<string, unknown> {
  const described = new Map(Object.entries(isObject(properties) ? properties : {}));
  for (const name of listOf(required))
    if (typeof name === 'string' && !described.has(name)) described.set(name, undefined);
  return described;
}

/** The fields of a form, in its order. */
export function fieldsOf(form: JsonSchema, defaults: Readonly<Record<string, unknown>>): Field[] {
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
      // An invalid default is dropped, because it would be sent if the user types nothing.
      initial: isValue(initial) && fits({ schema }, initial) ? initial : undefined,
      schema,
    };
  });
}

/** The formats, with examples, as they are named in messages. */
const WANTED: ReadonlyMap<unknown, string> = new Map([
  ['email', 'an email address: ann@example.com'],
  ['uri', 'a full URL: https://example.com'],
  ['date', 'a date: 2026-07-28'],
  ['date-time', 'a date and time with its zone: 2026-07-28T12:00:00Z'],
]);

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

function textProblem(text: string, field: Field): string | undefined {
  const { minLength, maxLength, format } = field.schema;
  const length = [...text].length;
  if (length < numberOr(minLength, 0)) return `At least ${String(minLength)} characters, please.`;
  if (length > numberOr(maxLength, Infinity)) return `At most ${String(maxLength)} characters, please.`;
  return fits(field, text) ? undefined : `This must be ${WANTED.get(format) ?? 'something else'}.`;
}

/** Would JavaScript change the value of the number? */
function isInexact(number: string): boolean {
  try {
    return typeof exactNumber(number) !== 'number';
  } catch {
    return true;
  }
}

function numberProblem(text: string, { schema }: Field): string | undefined {
  const literal = text.trim();
  if (!isNumber(literal)) return 'This must be a number.';
  if (isInexact(literal)) return 'This number is too large, or has too many digits: it would be changed.';
  const number = Number(literal);
  if (schema['type'] === 'integer' && !Number.isInteger(number)) return 'This must be a whole number.';
  if (number < numberOr(schema['minimum'], -Infinity)) return `At least ${String(schema['minimum'])}, please.`;
  return number > numberOr(schema['maximum'], Infinity) ? `At most ${String(schema['maximum'])}, please.` : undefined;
}

/** The problem of a text for this field; undefined if the text is valid. */
export function problemOf(text: string, field: Field): string | undefined {
  if (text === '') return field.required && field.initial === undefined ? 'An answer is needed here.' : undefined;
  return field.kind === 'number' ? numberProblem(text, field) : textProblem(text, field);
}

/** The problem of the number of chosen values; undefined if it is valid. */
export function countProblem(chosen: readonly string[], { schema, required, initial }: Field): string | undefined {
  if (chosen.length === 0 && !required && initial === undefined) return undefined;
  const [least, most] = [numberOr(schema['minItems'], required ? 1 : 0), numberOr(schema['maxItems'], Infinity)];
  if (chosen.length < least) return `Choose at least ${least}.`;
  return chosen.length > most ? `Choose at most ${most}.` : undefined;
}

/** A value as text. */
export function shownValue(value: Value | undefined, { choices }: Field): string {
  if (value === undefined) return '(left empty)';
  const titleOf = (one: string): string => choices.find((choice) => choice.value === one)?.title ?? one;
  if (Array.isArray(value))
    return value.length === 0 ? '(none)' : value.map((one) => cut(titleOf(one), 100)).join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return cut(typeof value === 'string' ? titleOf(value) : String(value), 500);
}
