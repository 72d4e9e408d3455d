// One revision's schema, compiled, with derived tables: which methods exist in which direction, their results, and which error codes have
// their own shape. Every table is derived from the official definitions.

import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { definitionsOf, isObject, type Schema } from './bundle.ts';
import { documentOf, propertiesOf, type Revision } from './documents.ts';

export { revisions, type Revision } from './documents.ts';
export type Direction = 'client-to-server' | 'server-to-client';

export interface RevisionSchema {
  readonly revision: Revision;
  /** True for the revision that has metadata on each request instead of a handshake. */
  readonly modern: boolean;
  has(definition: string): boolean;
  /** A definition; throws if the revision does not have it. */
  definition(name: string): Schema;
  /** Resolves a `$ref` of this document. */
  resolve(node: Schema): Schema;
  /** The violations of the official schema by the value at `path`. */
  errors(node: Schema, value: unknown, path: string): string[];
  readonly requests: Readonly<Record<Direction, ReadonlyMap<string, Schema>>>;
  readonly notifications: Readonly<Record<Direction, ReadonlyMap<string, Schema>>>;
  /** The definition of the result that answers a method. */
  readonly results: ReadonlyMap<string, Schema>;
  /** Whole error responses that have a definition of their own, by code. */
  readonly errorResponses: ReadonlyMap<number, Schema>;
}

const loaded = new Map<Revision, RevisionSchema>();

/** The compiled schema of a revision. */
export function schemaOf(revision: Revision): RevisionSchema {
  let schema = loaded.get(revision);
  if (schema === undefined) {
    const document = documentOf(revision);
    schema = compile(revision, document, definitionsOf(document) ?? {});
    loaded.set(revision, schema);
  }
  return schema;
}

function compile(revision: Revision, document: Schema, definitions: Schema): RevisionSchema {
  const id = `mcp://${revision}/schema.json`;
  absoluteReferences(document, id);
  const validators = validatorsFor({ ...document, $id: id });
  const modern = isObject(definitions['DiscoverRequest']);

  function definition(name: string): Schema {
    const node = definitions[name];
    if (!isObject(node)) throw new Error(`the schema of ${revision} has no ${name}`);
    return node;
  }
  function resolve(node: Schema): Schema {
    const reference = node['$ref'];
    return typeof reference === 'string' ? resolve(definition(reference.slice(reference.lastIndexOf('/') + 1))) : node;
  }
  /** The messages of a union, by method; empty if the revision does not have the union. */
  function members(union: string): Map<string, Schema> {
    const node = definitions[union];
    if (!isObject(node)) return new Map();
    const branches = Array.isArray(node['anyOf']) ? (node['anyOf'] as Schema[]) : [node];
    return new Map(branches.map((branch) => [methodOf(resolve(branch)) ?? fail(union), resolve(branch)]));
  }
  function fail(what: string): never {
    throw new Error(`the schema of ${revision} can't be understood: ${what}`);
  }

  const requests = { 'client-to-server': members('ClientRequest'), 'server-to-client': members('ServerRequest') };
  const notifications = {
    'client-to-server': members('ClientNotification'),
    'server-to-client': members('ServerNotification'),
  };
  if (!requests['client-to-server'].has(modern ? 'server/discover' : 'initialize')) fail('ClientRequest');

  return {
    revision,
    modern,
    has: (name) => isObject(definitions[name]),
    definition,
    resolve,
    errors: (node, value, path) => explain(validators(node), value, path),
    requests,
    notifications,
    results: resultTable(definitions, definition, fail),
    errorResponses: new Map(
      Object.values(definitions).flatMap((node) => codesOf(node).map((code) => [code, node as Schema] as const)),
    ),
  };
}

/** Requests whose successful result is empty. */
const emptyAnswers = new Set(['Ping', 'SetLevel', 'Subscribe', 'Unsubscribe']);

function resultTable(definitions: Schema, definition: (name: string) => Schema, fail: (what: string) => never) {
  const table = new Map<string, Schema>();
  for (const [name, node] of Object.entries(definitions)) {
    const method = methodOf(node);
    if (method === undefined || !name.endsWith('Request')) continue;
    const stem = name.slice(0, -'Request'.length);
    const response = definitions[`${stem}ResultResponse`];
    if (isObject(response)) table.set(method, propertiesOf(response)['result'] as Schema);
    else if (isObject(definitions[`${stem}Result`])) table.set(method, definition(`${stem}Result`));
    else table.set(method, emptyAnswers.has(stem) ? definition('EmptyResult') : fail(`nothing answers ${name}`));
  }
  return table;
}

function methodOf(node: unknown): string | undefined {
  const properties = isObject(node) ? node['properties'] : undefined;
  const method = isObject(properties) ? properties['method'] : undefined;
  return isObject(method) && typeof method['const'] === 'string' ? method['const'] : undefined;
}

/** The code an error response is defined for: `{ error: { allOf: [Error, { code: { const } }] } }`. */
function codesOf(node: unknown): number[] {
  const properties = isObject(node) ? node['properties'] : undefined;
  const error = isObject(properties) ? properties['error'] : undefined;
  const parts = isObject(error) && Array.isArray(error['allOf']) ? (error['allOf'] as Schema[]) : [];
  return parts.flatMap((part) => {
    const code = isObject(part['properties']) ? part['properties']['code'] : undefined;
    return isObject(code) && typeof code['const'] === 'number' ? [code['const']] : [];
  });
}

/** `#/definitions/X` → `<id>#/definitions/X`, so that any node of the document can be compiled on its own. */
function absoluteReferences(node: unknown, id: string): void {
  if (Array.isArray(node)) for (const item of node) absoluteReferences(item, id);
  if (!isObject(node)) return;
  if (typeof node['$ref'] === 'string' && node['$ref'].startsWith('#')) node['$ref'] = id + node['$ref'];
  for (const value of Object.values(node)) absoluteReferences(value, id);
}

/** Each node of a document, with the JSON pointer to it. */
function pointersIn(document: Schema): WeakMap<Schema, string> {
  const pointers = new WeakMap<Schema, string>();
  const walk = (node: unknown, pointer: string): void => {
    if (typeof node !== 'object' || node === null) return;
    pointers.set(node as Schema, pointer);
    for (const [name, value] of Object.entries(node))
      walk(value, `${pointer}/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`);
  };
  walk(document, '');
  return pointers;
}

/** Compiles a node when it is used first: by its pointer, so that the target of two references is compiled only once. */
function validatorsFor(document: Schema): (node: Schema) => ValidateFunction {
  const dialect = String(document['$schema']);
  const options = { strict: false, allErrors: true, logger: false } as const;
  const ajv = dialect.includes('/draft/2020-12/') ? new Ajv2020(options) : new Ajv(options);
  if (!/draft-07|2020-12/.test(dialect)) throw new Error(`no validator for ${dialect}`);
  ajvFormats.default(ajv, ['uri', 'uri-template', 'byte']);
  ajv.addSchema(document);
  const pointers = pointersIn(document);
  const compiled = new WeakMap<Schema, ValidateFunction>();
  return (node) => {
    let validate = compiled.get(node);
    if (validate === undefined) {
      const pointer = pointers.get(node);
      const known = pointer === undefined ? undefined : ajv.getSchema(`${String(document['$id'])}#${pointer}`);
      compiled.set(node, (validate = known ?? ajv.compile(node)));
    }
    return validate;
  };
}

function explain(validate: ValidateFunction, value: unknown, path: string): string[] {
  if (validate(value)) return [];
  const lines = (validate.errors ?? []).map(({ instancePath, message, keyword, params }) => {
    const detail = keyword === 'const' || keyword === 'enum' ? ` ${JSON.stringify(Object.values(params)[0])}` : '';
    return `${path}${instancePath} ${message ?? 'is wrong'}${detail}`.trim();
  });
  return [...new Set(lines)].slice(0, 12);
}
