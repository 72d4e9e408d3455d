import type { JsonSchema } from '../protocol/entities.ts';
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import { shown } from '../protocol/text.ts';
import { decodeHeaderValue, encodeHeaderValue, type HeaderLookup, PARAM_PREFIX } from './headers.ts';

/** An argument that a tool requires to be repeated in a header (Tools, "x-mcp-header"). */
export interface MirroredParam {
  /** The name as it is written in the schema. */
  readonly name: string;
  /** The header that carries it, in lower case. */
  readonly header: string;
  /** The path of the argument: member names from the root of the arguments. */
  readonly path: readonly string[];
}

const ANNOTATION = 'x-mcp-header';
/** A field name is a token (RFC 9110, section 5.6.2). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: ReadonlySet<unknown> = new Set(['integer', 'string', 'boolean']);
/** Keywords whose members have names chosen by the author, which are not keywords. */
const MAPS: ReadonlySet<string> = new Set([
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependentRequired',
  'dependencies',
]);
/** Keywords whose values are data and not schemas. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'example']);

/** A property, and the one that contains it. Paths share their beginnings, because a hostile schema may have many long ones. */
interface Property {
  readonly name: string;
  readonly parent: Property | undefined;
}

/** A location in a schema. */
interface Place {
  readonly value: unknown;
  /** The path to it consists only of `properties`. */
  readonly reachable: boolean;
  /** The property that is described here; undefined at the root. */
  readonly property: Property | undefined;
}

function elsewhere(value: unknown): Place {
  return { value, reachable: false, property: undefined };
}

/**
 * The arguments that a tool's `inputSchema` requires to be mirrored, or why its annotations are invalid: clients leave out such a tool. An
 * annotation is a token, unique ignoring case, on an integer, string or boolean whose path consists only of `properties` (Streamable HTTP,
 * "Schema Extension"). An annotation in any other place is invalid, too: a `$ref` may refer to it.
 *
 * @example mirroredParams({ type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } })
 */
export function mirroredParams(inputSchema: JsonSchema): { readonly problem: string } | readonly MirroredParam[] {
  const found = new Map<string, MirroredParam>();
  const places: Place[] = [{ value: inputSchema, reachable: true, property: undefined }];
  for (let at = 0; at < places.length; at++) {
    if (places.length > DEFAULT_LIMITS.elements) return { problem: 'The schema is too large to look for x-mcp-header' };
    const place = places[at]!;
    if (isObject(place.value) && Object.hasOwn(place.value, ANNOTATION)) {
      const param = readAnnotation(place.value, place);
      if (typeof param === 'string') return { problem: `x-mcp-header ${param}` };
      if (found.has(param.header)) return { problem: `x-mcp-header '${param.name}' is used twice` };
      found.set(param.header, param);
    }
    for (const further of placesIn(place)) places.push(further);
  }
  return [...found.values()];
}

/** The annotation of one schema, or the problem with it. */
function readAnnotation(schema: JsonObject, { reachable, property }: Place): MirroredParam | string {
  if (!reachable || property === undefined) return 'must be on a property that `properties` alone lead to';
  const path = pathOf(property);
  const name = schema[ANNOTATION];
  if (typeof name !== 'string' || !TOKEN.test(name))
    return `of ${quoted(path)} must be an HTTP token: letters, digits and !#$%&'*+-.^_\`|~`;
  const { type } = schema;
  if (TYPES.has(type)) return { name, header: `${PARAM_PREFIX}${name.toLowerCase()}`, path };
  return `of ${quoted(path)} must be on an integer, a string or a boolean, not on ${type === undefined ? 'a schema without type' : shown(type)}`;
}

function pathOf(property: Property): readonly string[] {
  const path: string[] = [];
  for (let at: Property | undefined = property; at !== undefined; at = at.parent) path.push(at.name);
  return path.reverse();
}

function quoted(path: readonly string[]): string {
  return `'${shown(path.join('.'))}'`;
}

/** The locations that may contain further schemas. */
function placesIn({ value, reachable, property }: Place): readonly Place[] {
  if (Array.isArray(value)) return value.map(elsewhere);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([keyword, inner]): readonly Place[] => {
    if (typeof inner !== 'object' || inner === null || DATA.has(keyword)) return [];
    if (keyword === 'properties' && isObject(inner)) {
      return Object.entries(inner).map(([name, schema]) => ({
        value: schema,
        reachable,
        property: { name, parent: property },
      }));
    }
    return MAPS.has(keyword) && isObject(inner) ? Object.values(inner).map(elsewhere) : [elsewhere(inner)];
  });
}

/**
 * The headers that repeat the arguments of a call. An argument that is missing or null has none ("Client Behavior"), and neither has one
 * that is not a string, number or boolean, because the server has to reject it anyway. Throws a `RangeError` for an integer beyond ±(2^53 −
 * 1), which may have been rounded.
 */
export function paramHeaders(mirrored: readonly MirroredParam[], args: JsonObject | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { header, path } of mirrored) {
    const value = valueAt(args, path);
    if (isImprecise(value))
      throw new RangeError(`The argument ${quoted(path)} is beyond ±(2^53 − 1), which no header can repeat exactly`);
    const text = textOf(value);
    if (text !== undefined) headers[header] = encodeHeaderValue(text);
  }
  return headers;
}

/**
 * Why the headers of a call contradict its arguments; undefined if they do not ("Server Behavior for Custom Headers"). A header for a
 * missing argument is a mismatch, too: a proxy may have acted on it.
 */
export function checkParamHeaders(
  mirrored: readonly MirroredParam[],
  args: JsonObject | undefined,
  header: HeaderLookup,
): string | undefined {
  for (const param of mirrored) {
    const problem = compare(valueAt(args, param.path), header(param.header) ?? undefined);
    if (problem !== undefined) return `The Mcp-Param-${param.name} header ${problem} (argument ${quoted(param.path)})`;
  }
  return undefined;
}

function compare(value: unknown, raw: string | undefined): string | undefined {
  if (value === undefined || value === null)
    return raw === undefined ? undefined : 'repeats a value that the body does not have';
  if (raw === undefined) return 'is missing';
  const text = decodeHeaderValue(raw);
  if (text === undefined) return 'has invalid characters or invalid Base64';
  const same = typeof value === 'number' ? isSameNumber(text, value) : text === textOf(value);
  return same ? undefined : `says '${shown(text)}', unlike the body`;
}

/** Decimal digits, with a fraction of zeros at most: `42.0` is 42; `0x2a` and `4.2e1` are not allowed. */
const INTEGER = /^-?\d+(?:\.0+)?$/;

function isSameNumber(text: string, value: number): boolean {
  if (isImprecise(value)) return false;
  return Number.isInteger(value) && INTEGER.test(text) ? Number(text) === value : text === String(value);
}

function isImprecise(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

/**
 * A value as text ("Value Encoding"). A number that is not an integer is invalid here, but the server reports that by its schema, not by
 * the header.
 */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value) ? String(value) : undefined;
}

function valueAt(args: JsonObject | undefined, path: readonly string[]): unknown {
  let value: unknown = args;
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}
