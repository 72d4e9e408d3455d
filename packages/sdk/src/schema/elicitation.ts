import type { JsonSchema } from '../protocol/entities.ts';
import { isObject } from '../protocol/jsonrpc.ts';
import { assertObjectRoot } from './adapt.ts';
import { fieldIssue } from './elicitation-answer.ts';
import { choicesOf } from './elicitation-fields.ts';
import type { Choice, ElicitationField, ElicitationSchema } from './elicitation-fields.ts';
import { FORMATS } from './formats.ts';
import { quoted } from './quoted.ts';
import { SchemaError } from './schema-error.ts';
import { isAboutSecrets } from './secret-words.ts';

/**
 * Converts an object schema to the subset that a form may use: flat properties that are strings, numbers, booleans, one choice or several
 * choices of strings (https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#requested-schema). A form in the subset
 * stays as it is.
 *
 * Constraints that a form cannot express (`pattern`, `multipleOf`, other formats) are left out: the answer is checked against the whole
 * schema anyway. Throws a `SchemaError` with the name of a property that a form cannot ask for.
 *
 * @example toElicitationSchema(adaptSchema(z.object({ reason: z.string() }), 'input').json)
 */
export function toElicitationSchema(json: JsonSchema): ElicitationSchema {
  assertObjectRoot(json);
  const properties = isObject(json.properties) ? json.properties : {};
  const required = Array.isArray(json.required)
    ? json.required.filter((name): name is string => typeof name === 'string')
    : undefined;
  const unknown = required?.find((name) => !Object.hasOwn(properties, name));
  if (unknown !== undefined)
    throw new SchemaError(`The form requires ${quoted(unknown)}, which is not one of its properties`, '/required');
  return {
    $schema: typeof json.$schema === 'string' ? json.$schema : undefined,
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, toField(name, property, json)]),
    ),
    required,
  };
}

function refuse(name: string, why: string): SchemaError {
  return new SchemaError(
    `The property ${quoted(name)} can't be asked in a form: ${why}. A form has strings, numbers, booleans and choices`,
    `/properties/${name}`,
  );
}

/** A form passes through the client, so secrets belong on a page ("Elicitation", security considerations). */
function refuseSecret(name: string): SchemaError {
  return new SchemaError(
    `The property ${quoted(name)} can't be asked in a form: it sounds like a secret, and a form passes through the client. Ask for it on a page, with visit, or give the property another name`,
    `/properties/${name}`,
  );
}

function toField(name: string, property: unknown, root: JsonSchema): ElicitationField {
  if (!isObject(property)) throw refuse(name, 'it may be anything');
  const field = resolved(name, property, root);
  const type = typeOf(name, field);
  const isTyped = type === 'string' && choicesOf(field) === undefined;
  if (isTyped && isAboutSecrets(name, field.title)) throw refuseSecret(name);
  const keep = (...keywords: string[]): JsonSchema =>
    Object.fromEntries(
      keywords.filter((keyword) => field[keyword] !== undefined).map((keyword) => [keyword, field[keyword]]),
    );
  const made = {
    type,
    ...keep('title', 'description'),
    ...constraints(name, type, field, keep),
    ...keep('default'),
  } as ElicitationField;
  const problem = made.default === undefined ? undefined : fieldIssue(made, made.default);
  if (problem !== undefined) throw refuse(name, `its default ${problem}`);
  return made;
}

type Keep = (...keywords: string[]) => JsonSchema;

function constraints(name: string, type: ElicitationField['type'], field: JsonSchema, keep: Keep): JsonSchema {
  if (type === 'boolean') return {};
  if (type === 'number' || type === 'integer') return bounds(name, type, field);
  if (type === 'array') {
    const choices = isObject(field.items) ? choicesOf(field.items) : undefined;
    if (choices === undefined) throw refuse(name, 'it is a list of something else than given strings');
    return {
      ...keep('minItems', 'maxItems'),
      items: hasTitles(choices)
        ? { anyOf: titled(choices) }
        : { type: 'string', enum: choices.map(({ value }) => value) },
    };
  }
  const choices = choicesOf(field);
  if (choices === undefined)
    return { ...keep('minLength', 'maxLength'), ...(FORMATS.has(String(field.format)) ? keep('format') : {}) };
  // The subset still allows titles in the older form.
  if (Array.isArray(field.enum)) return keep('enum', 'enumNames');
  return hasTitles(choices) ? { oneOf: titled(choices) } : { enum: choices.map(({ value }) => value) };
}

function hasTitles(choices: readonly Choice[]): boolean {
  return choices.some(({ title }) => title !== undefined);
}

function titled(choices: readonly Choice[]): JsonSchema[] {
  return choices.map(({ value, title }) => ({ const: value, title: title ?? value }));
}

/** Forms have only inclusive bounds, and zod writes the range of safe integers into every integer. */
function bounds(name: string, type: 'number' | 'integer', field: JsonSchema): JsonSchema {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = field;
  const open = exclusiveMinimum ?? exclusiveMaximum;
  if (open !== undefined && type === 'number')
    throw refuse(name, 'it has an open bound (exclusiveMinimum or exclusiveMaximum)');
  const least = Math.max(numberOr(minimum, -Infinity), Math.floor(numberOr(exclusiveMinimum, -Infinity)) + 1);
  const most = Math.min(numberOr(maximum, Infinity), Math.ceil(numberOr(exclusiveMaximum, Infinity)) - 1);
  return {
    minimum: least > Number.MIN_SAFE_INTEGER ? least : undefined,
    maximum: most < Number.MAX_SAFE_INTEGER ? most : undefined,
  };
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'array']);

function typeOf(name: string, field: JsonSchema): ElicitationField['type'] {
  const type = Array.isArray(field.type) && field.type.length === 1 ? (field.type[0] as unknown) : field.type;
  if (Array.isArray(type) && type.includes('null')) throw refuse(name, 'it may be null; make it optional instead');
  if (type === undefined || type === 'string') {
    const hasOptions =
      field.enum !== undefined || field.const !== undefined || field.oneOf !== undefined || field.anyOf !== undefined;
    if (hasOptions && choicesOf(field) === undefined)
      throw refuse(name, 'it is a choice of something else than given strings');
    if (type === 'string' || hasOptions) return 'string';
  }
  if (!TYPES.has(type)) throw refuse(name, type === undefined ? 'it has no type' : `it is of type ${quoted(type)}`);
  if (type !== 'array' && (field.enum ?? field.const ?? field.oneOf ?? field.anyOf) !== undefined)
    throw refuse(name, 'it is a choice of something else than given strings');
  return type as ElicitationField['type'];
}

const MAX_HOPS = 10;

/** Follows the `$ref` of a property into the schema's own definitions, which libraries use for shared parts. */
function resolved(name: string, property: JsonSchema, root: JsonSchema): JsonSchema {
  let field = property;
  for (let hops = 0; field.$ref !== undefined; hops += 1) {
    const { $ref, ...own } = field;
    const [, keyword, definition] = /^#\/(\$defs|definitions)\/([^/~%]+)$/.exec(String($ref)) ?? [];
    const definitions = keyword === undefined ? undefined : root[keyword];
    const target =
      isObject(definitions) && Object.hasOwn(definitions, definition!) ? definitions[definition!] : undefined;
    if (!isObject(target) || hops === MAX_HOPS) throw refuse(name, `it refers to ${quoted($ref)}`);
    field = { ...target, ...own };
  }
  return field;
}
