import type { JsonSchema } from '../protocol/entities.ts';
import { messageOf, shown } from '../protocol/text.ts';
import type { ValidationIssue } from './issue.ts';
import { SchemaError } from './schema-error.ts';
import type { Schema } from './schema.ts';
import { isStandardSchema } from './standard-schema.ts';
import type { StandardIssue, StandardJsonSchema, StandardSchema } from './standard-schema.ts';
import { dialectName, knownDialect } from './validator/dialect-name.ts';
import type { CompileOptions } from './validator/compile.ts';

/** The result of a check: the parsed value, or the issues. */
export type CheckResult = { readonly value: unknown } | { readonly issues: readonly ValidationIssue[] };

/** A schema of either kind, for one direction. */
export interface AdaptedSchema {
  /** The JSON Schema that peers see. */
  readonly json: JsonSchema;
  /**
   * Checks a value. A Standard Schema returns its parsed value; plain JSON Schema returns the same value, on input with the defaults of
   * missing properties. Returns a promise if plain JSON Schema is not prepared yet, or the library validates asynchronously.
   */
  check(value: unknown): CheckResult | Promise<CheckResult>;
  /** Compiles plain JSON Schema, so that its faults are known before the first value. Rejects with a `SchemaError`. */
  prepare(): Promise<void>;
}

/** Options for compiling plain JSON Schema. */
export type AdaptOptions = CompileOptions;

/** `input`: the accepted values, in which properties with a default are optional; `output`: the resulting values. */
export type Direction = 'input' | 'output';

/**
 * Gives both kinds of schema one interface. The JSON Schema validator is only loaded for plain JSON Schema, because Standard Schemas
 * validate themselves.
 *
 * Throws a `SchemaError` when a library's schema can't be expressed as JSON Schema.
 *
 * @example const { json, check } = adaptSchema(z.object({ a: z.number() }), 'input');
 */
export function adaptSchema(schema: Schema, direction: Direction, options: AdaptOptions = {}): AdaptedSchema {
  if (isStandardSchema(schema)) return adaptStandard(schema, direction);
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    throw new SchemaError('A schema must be a Standard Schema (zod, valibot, arktype, …) or a JSON Schema object');
  }
  if (Object.values(schema).some(isStandardSchema))
    throw new SchemaError(
      'this is not a schema, but the members of one: write z.object({ … }), or the equivalent of your library',
    );
  return adaptJson(schema as JsonSchema, direction, options);
}

/** Throws unless the root is `"type": "object"`, as required for the input schema of a tool and for an elicitation form. */
export function assertObjectRoot(json: JsonSchema): void {
  if (json.type !== 'object')
    throw new SchemaError(
      `The root of the schema must be an object ("type": "object"), got ${shown(JSON.stringify(json.type) ?? 'no type')}`,
    );
}

function adaptJson(json: JsonSchema, direction: Direction, options: AdaptOptions): AdaptedSchema {
  // Checked at once, although the validator is loaded later: a schema in an unsupported dialect cannot be used.
  if (json['$schema'] !== undefined) dialectName(json['$schema'], '');
  let run: ((given: unknown) => CheckResult) | undefined;
  let compiling: Promise<(given: unknown) => CheckResult> | undefined;
  const compile = async (): Promise<(given: unknown) => CheckResult> => {
    const { compileSchema, makeFiller } = await import('./compile-with-defaults.ts');
    const { validate } = compileSchema(json, options);
    const fill = direction === 'input' ? makeFiller(json) : undefined;
    return (run = (given) => {
      const value = fill === undefined ? given : fill(given);
      const issues = validate(value);
      return issues.length === 0 ? { value } : { issues };
    });
  };
  return {
    json,
    check: (value) => (run === undefined ? (compiling ??= compile()).then((ready) => ready(value)) : run(value)),
    prepare: async () => void (await (compiling ??= compile())),
  };
}

function adaptStandard(schema: StandardSchema, direction: Direction): AdaptedSchema {
  const standard = schema['~standard'];
  return {
    json: toJson(schema, direction),
    check(value) {
      const result = standard.validate(value);
      return result instanceof Promise ? result.then(toChecked) : toChecked(result);
    },
    prepare: () => Promise.resolve(),
  };
}

function toChecked(result: Awaited<ReturnType<StandardSchema['~standard']['validate']>>): CheckResult {
  return result.issues === undefined ? { value: result.value } : { issues: result.issues.map(toIssue) };
}

function toIssue({ message, path = [] }: StandardIssue): ValidationIssue {
  return {
    path: path.map((step) => {
      const key = typeof step === 'object' ? step.key : step;
      return typeof key === 'number' ? key : String(key);
    }),
    message: shown(message, 500),
  };
}

const ADVICE: ReadonlyMap<string, string> = new Map([
  ['zod', 'use zod 4.2 or later'],
  ['arktype', 'use arktype 2.1.28 or later'],
  ['valibot', 'wrap it: toStandardJsonSchema(schema), from @valibot/to-json-schema'],
]);

function toJson(schema: StandardSchema, direction: Direction): JsonSchema {
  const { vendor, jsonSchema } = schema['~standard'];
  if (typeof jsonSchema?.[direction] !== 'function') {
    const advice =
      ADVICE.get(vendor) ??
      'use a library with Standard JSON Schema (https://standardschema.dev/json-schema), or plain JSON Schema';
    throw new SchemaError(`This ${vendor} schema can't say what it is as JSON Schema: ${advice}`);
  }
  const { $schema, ...json } = convert(jsonSchema, direction, vendor);
  // Without `$schema` the dialect is 2020-12 (https://modelcontextprotocol.io/specification/2026-07-28/basic#schema-dialect), and
  // validators of older clients fail for a dialect they don't know.
  return $schema === undefined || knownDialect($schema) === '2020-12' ? json : { $schema, ...json };
}

function convert(library: StandardJsonSchema, direction: Direction, vendor: string): Record<string, unknown> {
  try {
    return library[direction]({ target: 'draft-2020-12' });
  } catch (error) {
    try {
      return library[direction]({ target: 'draft-07' }); // a library need not know both
    } catch {
      const why = messageOf(error);
      throw new SchemaError(`This ${vendor} schema has no JSON Schema for its ${direction}: ${why}`);
    }
  }
}
