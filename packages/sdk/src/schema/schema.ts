import type { JsonSchema } from '../protocol/entities.ts';
import type { StandardSchema } from './standard-schema.ts';

/** The schema of a tool, a prompt or a question: any Standard Schema, or plain JSON Schema. */
export type Schema = StandardSchema<unknown, unknown> | JsonSchema;

declare const hint: unique symbol;

/** No value has this type. The compiler prints it in an error, where its text says what to write instead. */
export interface Hint<Text extends string> {
  readonly [hint]: Text;
}

/** The members of a plain object of schemas, passed where a schema of the whole object is required. */
type Members<S> = S extends { readonly [member: string]: { readonly '~standard': unknown } }
  ? [keyof S] extends [never]
    ? never
    : S
  : never;

type NoSchema =
  'this is not a schema, but the members of one: write z.object({ … }), or the equivalent of your library';

/** The type a schema accepts. Plain JSON Schema has a type if its keywords are literals (`as const`), else `unknown`. */
export type InferInput<S> =
  S extends StandardSchema<infer Input, unknown> ? Input : S extends Members<S> ? Hint<NoSchema> : FromJson<S, 'input'>;

/** The type a schema produces: parsed, with defaults filled in. */
export type InferOutput<S> =
  S extends StandardSchema<unknown, infer Output>
    ? Output
    : S extends Members<S>
      ? Hint<NoSchema>
      : FromJson<S, 'output'>;

type Direction = 'input' | 'output';

type FromJson<S, D extends Direction> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly type: infer Type }
      ? FromType<S, Type, D>
      : unknown;

type FromType<S, Type, D extends Direction> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? S extends { readonly items: infer Items }
            ? FromJson<Items, D>[]
            : unknown[]
          : Type extends 'object'
            ? S extends { readonly properties: infer Properties }
              ? FromProperties<Properties, Present<S, Properties, D>, D>
              : Record<string, unknown>
            : Type extends readonly (infer Each)[]
              ? FromType<S, Each, D>
              : unknown;

type FromProperties<P, Required, D extends Direction> = Flat<
  { -readonly [K in keyof P as K extends Required ? K : never]: FromJson<P[K], D> } & {
    -readonly [K in keyof P as K extends Required ? never : K]?: FromJson<P[K], D>;
  }
>;

/** The names that are always present: the required ones and, for output, those with a default. */
type Present<S, P, D extends Direction> =
  | (S extends { readonly required: readonly (infer Name)[] } ? Name : never)
  | (D extends 'output' ? { [K in keyof P]: P[K] extends { readonly default: unknown } ? K : never }[keyof P] : never);

type Flat<T> = { [K in keyof T]: T[K] };
