// Compares a description that is written by hand with the published one.
import { createResolver, type OpenApi, type Operation, type Parameter, type Response, type Schema } from './openapi.ts';

const LIMITS = ['minimum', 'maximum', 'minLength', 'maxLength', 'pattern'] as const;

/** Deeper members are not compared, because schemas contain themselves. */
const MAX_DEPTH = 6;

export interface ComparisonOptions {
  /** The published paths begin with it. Default: nothing. */
  readonly base?: string;
  /** Whether the published description says which members of answers are always there. Default: true. */
  readonly saysRequired?: boolean;
  /** Whether the published description shows one item in place of some lists. Default: false. */
  readonly itemsForLists?: boolean;
}

export interface Comparison {
  /** What our description says and the published one does not, each as a line. */
  readonly differences: readonly string[];
  /** What the published description says at each place that was compared, each as a line. */
  readonly published: readonly string[];
  /** The operations that were compared: `GET /projects`. */
  readonly operations: readonly string[];
}

function typeOf({ type = 'object' }: Schema): string {
  return type === 'integer' ? 'number' : type;
}

function pathPattern(path: string): string {
  return path.replaceAll(/\{\w+\}/g, '{}');
}

/** The schema of a body. Services that also accept files describe JSON as a form. */
function bodyOf({ requestBody }: Operation): Schema | undefined {
  return (requestBody?.content['application/json'] ?? requestBody?.content['multipart/form-data'])?.schema;
}

function isSuccess(status: string): boolean {
  return status.startsWith('2');
}

export function compareOpenApi(
  ours: OpenApi,
  published: OpenApi,
  { base = '', saysRequired = true, itemsForLists = false }: ComparisonOptions = {},
): Comparison {
  const own = createResolver(ours);
  const resolve = createResolver(published);
  const seen: string[] = [];

  const compareMembers = (a: Schema, b: Schema, at: string, depth: number): string[] => {
    const lines = Object.entries(a.properties ?? {}).flatMap(([name, member]) =>
      compareSchemas(member, b.properties?.[name], `${at}.${name}`, depth + 1),
    );
    const isBody = at.includes(' body');
    for (const name of (isBody || saysRequired ? a.required : undefined) ?? [])
      if (b.required?.includes(name) !== true) lines.push(`${at}.${name}: may be missing`);
    for (const name of (isBody ? b.required : undefined) ?? [])
      if (a.required?.includes(name) !== true) lines.push(`${at}.${name}: is needed`);
    return lines;
  };

  const compareSchemas = (mine: Schema, theirs: Schema | undefined, at: string, depth = 0): string[] => {
    if (theirs === undefined) return [`${at}: is not described`];
    const [a, b] = [own(mine), resolve(theirs)];
    if (a.anyOf !== undefined) {
      const each = a.anyOf.map((one) => compareSchemas(one, b, at, depth));
      return each.find((lines) => lines.length === 0) ?? each[0]!;
    }
    if (itemsForLists && a.type === 'array' && b.type !== 'array')
      return compareSchemas(a.items!, b, `${at}[]`, depth + 1);
    seen.push(`${at}: ${[b.type ?? 'object', b.format, ...(b.enum ?? [])].join(' ')}`);
    if (typeOf(a) !== typeOf(b)) return [`${at}: ${typeOf(a)}, published: ${typeOf(b)}`];
    const unknown = (a.enum ?? []).filter((value) => b.enum !== undefined && !b.enum.includes(value));
    const lines = unknown.map((value) => `${at}: ${String(value)} is not described`);
    if (a.format !== undefined && b.format !== undefined && a.format !== b.format)
      lines.push(`${at}: ${a.format}, published: ${b.format}`);
    for (const limit of LIMITS)
      if (a[limit] !== undefined && b[limit] !== undefined && a[limit] !== b[limit])
        lines.push(`${at}: ${limit} ${a[limit]}, published: ${b[limit]}`);
    if (depth >= MAX_DEPTH) return lines;
    if (a.items !== undefined) lines.push(...compareSchemas(a.items, b.items, `${at}[]`, depth + 1));
    return [...lines, ...compareMembers(a, b, at, depth)];
  };

  const compareParameters = (mine: Operation, theirs: Operation, at: string): string[] => {
    const all = (theirs.parameters ?? []).map((parameter) => resolve(parameter) as Parameter);
    const queries = ((mine.parameters ?? []) as readonly Parameter[]).filter(({ in: place }) => place === 'query');
    const lines = queries.flatMap(({ name, schema }) => {
      const found = all.find((one) => one.name === name && one.in === 'query');
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

  const compareReply = (mine: Response, status: string, theirs: Operation, at: string): string[] => {
    const schema = mine.content?.['application/json']?.schema;
    const described = Object.keys(theirs.responses);
    const found = described.includes(status) ? status : described.find(isSuccess);
    const lines = found === status ? [] : [`${at}: published: ${found}`];
    if (schema === undefined || found === undefined) return lines;
    const response = resolve(theirs.responses[found]!) as Response;
    return [...lines, ...compareSchemas(schema, response.content?.['application/json']?.schema, at)];
  };

  const compareOperations = (mine: Operation, theirs: Operation | undefined, at: string): string[] => {
    if (theirs === undefined) return [`${at}: is not described`];
    const lines = compareParameters(mine, theirs, at);
    const [body, theirBody] = [bodyOf(mine), bodyOf(theirs)];
    if (body !== undefined) lines.push(...compareSchemas(body, theirBody, `${at} body`));
    else if (theirBody !== undefined) lines.push(`${at} body: is not ours`);
    for (const [status, reply] of Object.entries(mine.responses))
      lines.push(...compareReply(reply as Response, status, theirs, `${at} ${status}`));
    return lines;
  };

  const known = new Map(Object.entries(published.paths).map(([path, methods]) => [pathPattern(path), methods]));
  const operations: string[] = [];
  const differences = Object.entries(ours.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const theirs = known.get(pathPattern(`${base}${path}`))?.[method];
      const name = `${method.toUpperCase()} ${path}`;
      operations.push(name);
      return compareOperations(operation, theirs, name);
    }),
  );
  return { differences, published: seen, operations };
}
