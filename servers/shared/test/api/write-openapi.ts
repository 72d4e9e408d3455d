// A short notation for descriptions of APIs that are written by hand, from a published reference.
import type { OpenApi, Operation, Schema } from './openapi.ts';

export const text: Schema = { type: 'string' };
export const integer: Schema = { type: 'integer' };
export const number: Schema = { type: 'number' };
export const flag: Schema = { type: 'boolean' };
export const time: Schema = { type: 'string', format: 'date-time' };

export function within(minimum: number, maximum: number): Schema {
  return { type: 'integer', minimum, maximum };
}

export function orNull(schema: Schema): Schema {
  return { ...schema, nullable: true };
}

export function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

export function oneOf(...values: readonly string[]): Schema {
  return { type: 'string', enum: values };
}

/** An object. `needed`: the members that are always there, separated by spaces. */
export function object(properties: Readonly<Record<string, Schema>>, needed = ''): Schema {
  return { type: 'object', properties, required: needed.split(' ').filter((name) => name !== '') };
}

export interface WrittenOperation {
  readonly query?: Readonly<Record<string, Schema>>;
  /** The parameters of the query that are always there, separated by spaces. */
  readonly needed?: string;
  /** Requests may lack it if none of its members is needed. */
  readonly body?: Schema;
  /** The JSON of each status; null for an answer without JSON. */
  readonly replies: Readonly<Record<number, Schema | null>>;
}

function contentOf(schema: Schema | null | undefined) {
  return schema == null ? undefined : { 'application/json': { schema } };
}

function operationOf(path: string, { query = {}, needed = '', body, replies }: WrittenOperation): Operation {
  const always = new Set(needed.split(' '));
  const content = contentOf(body);
  return {
    parameters: [
      ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: text })),
      ...Object.entries(query).map(([name, schema]) => ({ name, in: 'query', required: always.has(name), schema })),
    ],
    requestBody: content === undefined ? undefined : { required: body!.required!.length > 0, content },
    responses: Object.fromEntries(
      Object.entries(replies).map(([status, schema]) => [status, { content: contentOf(schema) }]),
    ),
  } as Operation;
}

/** A description of these operations, by method and path: `GET /projects`. */
export function writeOpenApi(operations: Readonly<Record<string, WrittenOperation>>): OpenApi {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [name, written] of Object.entries(operations)) {
    const [method = '', path = ''] = name.split(' ');
    (paths[path] ??= {})[method.toLowerCase()] = operationOf(path, written);
  }
  return { paths, components: {} };
}
