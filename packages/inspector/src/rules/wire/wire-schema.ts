import type { Side } from '../../trace/line.ts';
import { readSchema } from 'tenon/schema';
import type { Revision } from '../revisions.ts';
import { isObject } from '@tenon/values/is-object';
import type { Json } from '../words.ts';

/** The official schema of a revision, as parsed JSON. Throws if there is no schema for it. */
export type WireSchemas = (revision: Revision) => unknown;

/** A problem at a path of a value. */
export interface Misfit {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** An official schema, and the purposes of its definitions. */
export interface WireSchema {
  has(definition: string): boolean;
  /** The problems of a value. A value that takes too long to validate has none. */
  check(value: unknown, definition: string): readonly Misfit[];
  /** The definition of a method, by its sender. */
  readonly requests: Readonly<Record<Side, ReadonlyMap<string, string>>>;
  readonly notifications: Readonly<Record<Side, ReadonlyMap<string, string>>>;
  /** The definitions of the results of a method: one, or several alternatives. */
  readonly results: ReadonlyMap<string, readonly string[]>;
  /** Definitions of whole errors, by error code. */
  readonly errors: ReadonlyMap<unknown, string>;
}

/** Requests whose results are empty. */
const EMPTY: ReadonlySet<string> = new Set(['Ping', 'SetLevel', 'Subscribe', 'Unsubscribe']);

/** The message of the validator when it gives up. */
const GAVE_UP = 'could not be checked against its schema';

/** Reads the schema of a revision. Throws if it does not have the expected form, because it would then accept anything. */
export function readWireSchema(document: unknown): WireSchema {
  const fail = (what: string): never => {
    throw new Error(`the official schema cannot be understood: ${what}`);
  };
  const { dialect, problems, check } = readSchema(document);
  const [problem] = problems;
  if (dialect === undefined || problem !== undefined) fail(problem?.message ?? 'it has no dialect');
  const at = isObject(document) && isObject(document['$defs']) ? '$defs' : 'definitions';
  const definitions = memberOf(document, at) ?? fail('it has no definitions');

  /** The definitions of a union; for any other definition, its own name. */
  const unionOf = (name: string): readonly string[] => {
    const union = memberOf(definitions, name);
    if (union === undefined) return [];
    return Array.isArray(union['anyOf']) ? union['anyOf'].map((one) => nameOf(one) ?? fail(name)) : [name];
  };
  const byMethod = (union: string): ReadonlyMap<string, string> =>
    new Map(unionOf(union).map((name) => [methodOf(definitions[name]) ?? fail(name), name]));
  const resultsOf = (request: string): readonly string[] => {
    const stem = request.slice(0, -'Request'.length);
    const whole = memberOf(memberOf(memberOf(definitions, `${stem}ResultResponse`), 'properties'), 'result');
    if (whole !== undefined)
      return (Array.isArray(whole['anyOf']) ? whole['anyOf'] : [whole]).map((one) => nameOf(one) ?? fail(stem));
    if (isObject(definitions[`${stem}Result`])) return [`${stem}Result`];
    return EMPTY.has(stem) ? ['EmptyResult'] : fail(`nothing answers ${request}`);
  };

  const names = Object.keys(definitions);
  const schema: WireSchema = {
    has: (name) => isObject(definitions[name]),
    check: (value, name) =>
      check(value, `/${at}/${name}`).filter(({ message, path }) => path.length > 0 || !message.startsWith(GAVE_UP)),
    requests: { client: byMethod('ClientRequest'), server: byMethod('ServerRequest') },
    notifications: { client: byMethod('ClientNotification'), server: byMethod('ServerNotification') },
    results: new Map(
      names.flatMap((name) => {
        const method = name.endsWith('Request') ? methodOf(definitions[name]) : undefined;
        return method === undefined ? [] : [[method, resultsOf(name)] as const];
      }),
    ),
    errors: new Map(names.flatMap((name) => codesOf(definitions[name]).map((code) => [code, name] as const))),
  };
  return schema.requests.client.size > 0 ? schema : fail('it has no requests of clients');
}

function memberOf(value: unknown, name: string): Json | undefined {
  const member = isObject(value) ? value[name] : undefined;
  return isObject(member) ? member : undefined;
}

/** The definition that a reference names. */
function nameOf(node: unknown): string | undefined {
  const reference = isObject(node) ? node['$ref'] : undefined;
  return typeof reference === 'string' ? reference.slice(reference.lastIndexOf('/') + 1) : undefined;
}

function methodOf(definition: unknown): string | undefined {
  const method = memberOf(memberOf(definition, 'properties'), 'method')?.['const'];
  return typeof method === 'string' ? method : undefined;
}

/** The error code of a definition: `{ error: { allOf: [Error, { code: { const } }] } }`. */
function codesOf(definition: unknown): unknown[] {
  const parts = memberOf(memberOf(definition, 'properties'), 'error')?.['allOf'];
  if (!Array.isArray(parts)) return [];
  return parts
    .map((part) => memberOf(memberOf(part, 'properties'), 'code')?.['const'])
    .filter((code) => code !== undefined);
}
