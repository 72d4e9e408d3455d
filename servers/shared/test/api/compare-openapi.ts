// Compares a description that is written by hand with the published one.
import { createResolver, type OpenApi, type Operation, type Parameter, type Response, type Schema } from './openapi.ts';

/** Deeper members are not compared, because schemas contain themselves. */
const MAX_DEPTH = 6;

function typeOf({ type = 'object' }: Schema): string {
  return type === 'integer' ? 'number' : type;
}

function pathPattern(path: string): string {
  return path.replaceAll(/\{\w+\}/g, '{}');
}

/** What our description says and the published one does not, each as a line. `base`: the published paths begin with it. */
export function compareOpenApi(ours: OpenApi, published: OpenApi, base: string): string[] {
  const own = createResolver(ours);
  const resolve = createResolver(published);

  const compareSchemas = (mine: Schema, theirs: Schema | undefined, at: string, depth = 0): string[] => {
    if (theirs === undefined) return [`${at}: is not described`];
    const [a, b] = [own(mine), resolve(theirs)];
    if (typeOf(a) !== typeOf(b)) return [`${at}: ${typeOf(a)}, published: ${typeOf(b)}`];
    const unknown = (a.enum ?? []).filter((value) => b.enum !== undefined && !b.enum.includes(value));
    const lines = unknown.map((value) => `${at}: ${String(value)} is not described`);
    if (depth >= MAX_DEPTH) return lines;
    if (a.items !== undefined) lines.push(...compareSchemas(a.items, b.items, `${at}[]`, depth + 1));
    const members = Object.entries(a.properties ?? {});
    for (const [name, member] of members)
      lines.push(...compareSchemas(member, b.properties?.[name], `${at}.${name}`, depth + 1));
    for (const name of a.required ?? [])
      if (b.required?.includes(name) !== true) lines.push(`${at}.${name}: may be missing`);
    return lines;
  };

  const compareParameters = (mine: Operation, theirs: Operation, at: string): string[] => {
    const all = (theirs.parameters ?? []).map((parameter) => resolve(parameter) as Parameter);
    const queries = ((mine.parameters ?? []) as readonly Parameter[]).filter(({ in: place }) => place === 'query');
    const lines = queries.flatMap(({ name, schema }) => {
      const found = all.find((one) => one.name === name);
      // A list in one parameter is a text with separators.
      const isJoined = found !== undefined && resolve(found.schema).type === 'array' && schema.type === 'string';
      return isJoined ? [] : compareSchemas(schema, found?.schema, `${at} query ${name}`);
    });
    const needed = all.filter(({ in: place, required }) => place === 'query' && required === true);
    for (const { name } of needed)
      if (!queries.some((one) => one.name === name && one.required === true))
        lines.push(`${at} query ${name}: is needed`);
    return lines;
  };

  const compareOperations = (mine: Operation, theirs: Operation | undefined, at: string): string[] => {
    if (theirs === undefined) return [`${at}: is not described`];
    const lines = compareParameters(mine, theirs, at);
    const body = mine.requestBody?.content['application/json']?.schema;
    if (body !== undefined)
      lines.push(...compareSchemas(body, theirs.requestBody?.content['application/json']?.schema, `${at} body`));
    for (const [status, reply] of Object.entries(mine.responses)) {
      const schema = (reply as Response).content?.['application/json']?.schema;
      const response = resolve(theirs.responses[status] ?? {}) as Response;
      if (schema !== undefined)
        lines.push(...compareSchemas(schema, response.content?.['application/json']?.schema, `${at} ${status}`));
    }
    return lines;
  };

  const known = new Map(Object.entries(published.paths).map(([path, methods]) => [pathPattern(path), methods]));
  return Object.entries(ours.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const theirs = known.get(pathPattern(`${base}${path}`))?.[method];
      return compareOperations(operation, theirs, `${method.toUpperCase()} ${path}`);
    }),
  );
}
