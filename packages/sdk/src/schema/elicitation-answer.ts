import { isObject } from '../protocol/jsonrpc.ts';
import type { ElicitValue } from '../protocol/results.ts';
import { choicesOf } from './elicitation-fields.ts';
import { FORMATS } from './formats.ts';
import { kindOf, quoted } from './quoted.ts';
import type { ValidationIssue } from './issue.ts';

type Keywords = { readonly [keyword: string]: unknown };

/**
 * Adds the declared defaults of missing fields to the answer to a form. The form may come from a peer.
 *
 * @example applyDefaults({ type: 'object', properties: { n: { type: 'integer', default: 3 } } }, {}) // { n: 3 }
 */
export function applyDefaults(schema: Keywords, content: Keywords): Record<string, ElicitValue> {
  const filled = new Map(Object.entries(content));
  for (const [name, field] of fieldsOf(schema)) {
    if (filled.get(name) !== undefined || field.default === undefined) continue;
    if (fieldIssue(field, field.default) === undefined) filled.set(name, structuredClone(field.default));
  }
  return Object.fromEntries(filled) as Record<string, ElicitValue>;
}

/**
 * The issues of the answer to a form: `[]` when it is valid. The form may come from a peer: its keywords beyond the subset (such as
 * `pattern`) are ignored, and so are fields that it does not have, if their values are of a kind that answers may contain.
 */
export function checkAnswer(schema: Keywords, content: unknown): ValidationIssue[] {
  if (!isObject(content)) return [{ path: [], message: `must be an object, got ${kindOf(content)}` }];
  const issues: ValidationIssue[] = [];
  const add = (name: string, message: string | undefined): void => {
    if (message !== undefined && issues.length < MAX_ISSUES) issues.push({ path: [name], message });
  };
  const fields = new Map(fieldsOf(schema));
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  for (const name of new Set(required)) {
    if (typeof name === 'string' && (!Object.hasOwn(content, name) || content[name] === undefined))
      add(name, 'is required');
  }
  for (const [name, value] of Object.entries(content)) {
    const field = fields.get(name);
    if (value !== undefined) add(name, field === undefined ? kindIssue(value) : fieldIssue(field, value));
  }
  return issues;
}

const MAX_ISSUES = 20;

function fieldsOf(schema: Keywords): [string, Keywords][] {
  return isObject(schema.properties)
    ? Object.entries(schema.properties).filter((entry): entry is [string, Keywords] => isObject(entry[1]))
    : [];
}

/** The problem with the value of one field; undefined if there is none. */
export function fieldIssue(field: Keywords, value: unknown): string | undefined {
  const choices = choicesOf(field);
  if (choices !== undefined) {
    const values = choices.map((choice) => choice.value);
    return typeof value === 'string' && values.includes(value) ? undefined : `must be ${oneOf(values)}`;
  }
  const check = CHECKS.get(field.type);
  return check === undefined ? kindIssue(value) : check(field, value);
}

function oneOf(values: readonly string[]): string {
  const shown = values.slice(0, 20).map(quoted).join(', ');
  return `one of ${shown}${values.length > 20 ? ` and ${values.length - 20} more` : ''}`;
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function kindIssue(value: unknown): string | undefined {
  return isNumber(value) || typeof value === 'string' || typeof value === 'boolean' || isStrings(value)
    ? undefined
    : `must be a string, a number, a boolean or a list of strings, got ${kindOf(value)}`;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function checkString({ minLength, maxLength, format }: Keywords, value: unknown): string | undefined {
  if (typeof value !== 'string') return `must be a string, got ${kindOf(value)}`;
  const bounded = minLength !== undefined || maxLength !== undefined;
  const length = bounded ? codePoints(value) : 0;
  if (isNumber(minLength) && length < minLength) return `must have at least ${minLength} characters`;
  if (isNumber(maxLength) && length > maxLength) return `must have at most ${maxLength} characters`;
  const known = typeof format === 'string' ? FORMATS.get(format) : undefined;
  return known === undefined || known.test(value) ? undefined : known.message;
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function checkNumber({ type, minimum, maximum }: Keywords, value: unknown): string | undefined {
  if (!isNumber(value)) return `must be ${type === 'integer' ? 'an integer' : 'a number'}, got ${kindOf(value)}`;
  if (type === 'integer' && !Number.isInteger(value)) return `must be an integer, got ${value}`;
  if (isNumber(minimum) && value < minimum) return `must be >= ${minimum}`;
  return isNumber(maximum) && value > maximum ? `must be <= ${maximum}` : undefined;
}

function checkChoices({ items, minItems, maxItems }: Keywords, value: unknown): string | undefined {
  if (!isStrings(value))
    return `must be a list of strings, got ${Array.isArray(value) ? 'other items' : kindOf(value)}`;
  if (isNumber(minItems) && value.length < minItems) return `must have at least ${minItems} items`;
  if (isNumber(maxItems) && value.length > maxItems) return `must have at most ${maxItems} items`;
  const choices = isObject(items) ? choicesOf(items)?.map((choice) => choice.value) : undefined;
  const allowed = new Set(choices);
  return choices === undefined || value.every((item) => allowed.has(item))
    ? undefined
    : `must have only items that are ${oneOf(choices)}`;
}

const CHECKS: ReadonlyMap<unknown, (field: Keywords, value: unknown) => string | undefined> = new Map([
  ['string', checkString],
  ['number', checkNumber],
  ['integer', checkNumber],
  [
    'boolean',
    (_: Keywords, value: unknown) =>
      typeof value === 'boolean' ? undefined : `must be a boolean, got ${kindOf(value)}`,
  ],
  ['array', checkChoices],
]);
