/**
 * Standard Schema and Standard JSON Schema, version 1 (https://standardschema.dev): the interface for schema libraries (zod, valibot,
 * arktype and others), without a dependency on any of them.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** The members that the schema library provides. */
  readonly '~standard': StandardProps<Input, Output>;
}

export interface StandardProps<Input = unknown, Output = Input> {
  readonly version: 1;
  readonly vendor: string;
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  /** Only for types; never present at run time. */
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  /** Standard JSON Schema: zod 4.2, arktype 2.1.28, valibot through `toStandardJsonSchema()`. */
  readonly jsonSchema?: StandardJsonSchema | undefined;
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export interface StandardJsonSchema {
  /** The JSON Schema of the accepted values. Throws if there is none. */
  readonly input: (options: { readonly target: string }) => Record<string, unknown>;
  /** The JSON Schema of the parsed values. Throws if there is none. */
  readonly output: (options: { readonly target: string }) => Record<string, unknown>;
}

/** Is this a schema of a library that implements Standard Schema? */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const standard = (value as Partial<StandardSchema>)['~standard'];
  return typeof standard === 'object' && standard !== null && typeof standard.validate === 'function';
}
