// Measures requests and answers by the description of an API.
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { createResolver, type OpenApi, type Operation, type Parameter, type Response, type Schema } from './openapi.ts';
import { createSamples } from './schema-samples.ts';

/** A request that the description knows. */
export interface KnownRequest {
  /** The method and the path as described: `GET /repos/{owner}/{repo}`. */
  readonly operation: string;
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

export interface DescriptionOptions {
  /** Parameters at the end of a path whose values have slashes that are not encoded. */
  readonly slashed?: readonly string[];
  /** The path that the described ones are relative to. Default: none. */
  readonly base?: string;
}

/** A schema of OpenAPI 3.0 as JSON Schema: `nullable` is written out, and references are to the schema with this name. */
function toJsonSchema(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((item) => toJsonSchema(item, name));
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, discriminator: _, ...rest } = value as Record<string, unknown>;
  const schema = Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, toJsonSchema(item, name)]));
  if (typeof schema['$ref'] === 'string') schema['$ref'] = `${name}${schema['$ref']}`;
  return nullable === true ? { anyOf: [schema, { type: 'null' }] } : schema;
}

/** Makes a function that says what is wrong with a value. `coerceTypes`: whether texts may stand for numbers, as in queries. */
function createValidator(document: OpenApi, coerceTypes: 'array' | false) {
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false, coerceTypes });
  addFormats.default(ajv);
  // Added once, because compiling a schema with all components in it takes long.
  ajv.addSchema({ components: toJsonSchema(document.components, 'api') }, 'api');
  const compiled = new Map<Schema, ValidateFunction>();
  return (schema: Schema, value: unknown, what: string): string[] => {
    let check = compiled.get(schema);
    if (check === undefined) {
      // Coercion changes members of objects only.
      const wrapped = { type: 'object', properties: { value: toJsonSchema(schema, 'api') } };
      compiled.set(schema, (check = ajv.compile(wrapped as object)));
    }
    if (check({ value })) return [];
    return (check.errors ?? []).map(({ instancePath, message }) => `${what}${instancePath.slice(6)}: ${message}`);
  };
}

/** The paths of a description as patterns. */
function routesOf({ paths }: OpenApi, { slashed = [], base = '' }: DescriptionOptions) {
  const last = new RegExp(`\\{(?:${slashed.join('|')})\\}$`);
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
      const pattern = (slashed.length === 0 ? path : path.replace(last, '(.*)')).replaceAll(/\{\w+\}/g, '([^/]+)');
      return { method, path, names, pattern: new RegExp(`^${base}${pattern}$`) };
    }),
  );
}

/** Makes what the tests of a server need of the description of its service. */
export function createDescription(document: OpenApi, options: DescriptionOptions = {}) {
  const resolve = createResolver(document);
  const routes = routesOf(document, options);
  const exact = createValidator(document, false);
  const coercing = createValidator(document, 'array');

  const operationOf = (name: string): Operation => {
    const [method = '', path = ''] = name.split(' ');
    return document.paths[path]![method.toLowerCase()]!;
  };
  /** Members of a body that the schema does not declare: the service would ignore them. */
  const unknownIn = (schema: Schema | undefined, value: unknown, what: string): string[] => {
    if (schema === undefined || typeof value !== 'object' || value === null) return [];
    const { properties, items } = resolve(schema);
    if (Array.isArray(value)) return value.flatMap((item, at) => unknownIn(items, item, `${what}/${at}`));
    return Object.entries(value).flatMap(([name, item]) =>
      properties === undefined || properties[name] !== undefined
        ? unknownIn(properties?.[name], item, `${what}/${name}`)
        : [`${what}/${name}: is not described`],
    );
  };
  const problemsOfParameters = ({ operation, path, query }: KnownRequest): string[] => {
    const known = (operationOf(operation).parameters ?? []).map((parameter) => resolve(parameter) as Parameter);
    const mayRepeat = (name: string) => known.some((one) => one.name === name && resolve(one.schema).type === 'array');
    const given = [...query].map(([name]) => name);
    const problems = given
      .filter((name, at) => given.indexOf(name) !== at && !mayRepeat(name))
      .map((name) => `query ${name}: is repeated`);
    for (const name of new Set(given))
      if (!known.some((one) => one.in === 'query' && one.name === name))
        problems.push(`query ${name}: is not described`);
    for (const { name, in: place, required, schema } of known) {
      const all = mayRepeat(name) && query.has(name) ? query.getAll(name) : undefined;
      const value = place === 'path' ? path[name] : (all ?? query.get(name) ?? undefined);
      if (value === undefined && required === true) problems.push(`${place} ${name}: is missing`);
      if (value !== undefined) problems.push(...coercing(schema, value, `${place} ${name}`));
    }
    return problems;
  };
  /** The schema of an answer as JSON; undefined if it has none, and an error if the description does not know the status. */
  const replySchema = (operation: string, status: number): Schema | undefined => {
    const response = operationOf(operation).responses[status];
    if (response === undefined) throw new Error(`${operation} never answers ${status}`);
    return (resolve(response) as Response).content?.['application/json']?.schema;
  };

  return {
    /** The description, which a test may change. */
    document,
    /** Finds the operation of a request; undefined if the description does not know it. */
    requestOf(method: string, url: URL, body: unknown): KnownRequest | undefined {
      for (const route of routes) {
        const found = route.method === method.toLowerCase() ? route.pattern.exec(url.pathname) : null;
        if (found === null) continue;
        const path = Object.fromEntries(route.names.map((name, at) => [name, decodeURIComponent(found[at + 1]!)]));
        return { operation: `${method} ${route.path}`, path, query: url.searchParams, body };
      }
      return undefined;
    },
    /** What is wrong with a request. */
    problemsOfRequest(request: KnownRequest): string[] {
      const { requestBody } = operationOf(request.operation);
      const problems = problemsOfParameters(request);
      const schema = requestBody?.content['application/json']?.schema;
      const { body } = request;
      if (body === undefined) return requestBody?.required === true ? [...problems, 'the body is missing'] : problems;
      if (schema === undefined) return [...problems, 'the body is not described'];
      return [...problems, ...exact(schema, body, 'body'), ...unknownIn(schema, body, 'body')];
    },
    replySchema,
    /** What is wrong with an answer. */
    problemsOfReply(operation: string, status: number, body: unknown): string[] {
      const schema = replySchema(operation, status);
      if (schema === undefined) return body === undefined ? [] : ['the answer has a body'];
      return exact(schema, body, `${operation} ${status}`);
    },
    /** A sample of a schema with these values in it. */
    sampleWith: createSamples(resolve),
  };
}

export type Description = ReturnType<typeof createDescription>;
