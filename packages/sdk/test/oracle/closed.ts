// The official schemas are open: undeclared properties are valid. So members that a peer of that revision does not know would pass. This
// walk closes the schemas: it follows the definitions along with the message and reports every property that no definition of that object
// declares.

import { isObject, type Schema } from './bundle.ts';
import type { RevisionSchema } from './schemas.ts';

/** Members that contain a JSON Schema of the author: its keywords are not part of the protocol. */
const foreignSchemas = new Set(['inputSchema', 'outputSchema']);

const reservedPrefix = 'io.modelcontextprotocol/';

/** Reserved `_meta` keys that the text of a revision defines, but its schema does not (2025-11-25, basic/utilities/tasks). */
const metaKeysOutsideSchema = new Map<string, readonly string[]>([
  ['2025-11-25', [`${reservedPrefix}related-task`, `${reservedPrefix}model-immediate-response`]],
]);

/**
 * The properties in `value` that none of `nodes` declares, as `<pointer> is not known to <revision>`.
 * `nodes` are definitions that describe the value together: one of them declaring a property is enough.
 */
export function undeclared(schema: RevisionSchema, value: unknown, nodes: readonly Schema[], path: string): string[] {
  // Below an open node everything is open; skipping it also keeps deep data harmless.
  if (typeof value !== 'object' || value === null || nodes.every(saysNothing)) return [];
  const { plain, choice } = flatten(schema, nodes);
  if (choice !== undefined) {
    // Of the matching alternatives, the one that declares the most members. If none matches, the schema itself has already reported that.
    const fitting = choice.filter((branch) => schema.errors(branch, value, path).length === 0);
    return fewest(fitting.map((branch) => undeclared(schema, value, [...plain, branch], path)));
  }
  if (Array.isArray(value)) {
    const items = plain.map((node) => node['items']).filter(isObject);
    return value.flatMap((item, index) => undeclared(schema, item, items, `${path}/${index}`));
  }
  return Object.entries(value).flatMap(([name, member]) => undeclaredMember(schema, plain, name, member, path));
}

function undeclaredMember(
  schema: RevisionSchema,
  nodes: Schema[],
  name: string,
  member: unknown,
  path: string,
): string[] {
  const at = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const declared = nodes.flatMap((node) => {
    const properties = node['properties'];
    return isObject(properties) && Object.hasOwn(properties, name) ? [properties[name] as Schema] : [];
  });
  if (declared.length > 0) {
    if (foreignSchemas.has(name)) return [];
    return name === '_meta' ? undeclaredMeta(schema, member, declared, at) : undeclared(schema, member, declared, at);
  }
  const open = nodes.map(openness).filter((rest) => rest !== undefined);
  if (open.length === 0) return [`${at} is not known to ${schema.revision}`];
  return undeclared(schema, member, open.filter(isObject), at);
}

/** `_meta` is free for all, except for the keys reserved for the protocol. */
function undeclaredMeta(schema: RevisionSchema, meta: unknown, nodes: Schema[], path: string): string[] {
  if (!isObject(meta)) return [];
  const { plain } = flatten(schema, nodes);
  const outside = metaKeysOutsideSchema.get(schema.revision) ?? [];
  return Object.entries(meta).flatMap(([name, member]) => {
    const known = plain.some((node) => isObject(node['properties']) && Object.hasOwn(node['properties'], name));
    if (known) return undeclaredMember(schema, plain, name, member, path);
    return name.startsWith(reservedPrefix) && !outside.includes(name)
      ? [`${path}/${name.replaceAll('/', '~1')} is not known to ${schema.revision}`]
      : [];
  });
}

/** Resolves `$ref` and `allOf` into one list; the first union found is returned apart. */
function flatten(schema: RevisionSchema, nodes: readonly Schema[]): { plain: Schema[]; choice: Schema[] | undefined } {
  const plain: Schema[] = [];
  let choice: Schema[] | undefined;
  const waiting = [...nodes];
  for (let node = waiting.shift(); node !== undefined; node = waiting.shift()) {
    const { allOf, anyOf, ...own } = schema.resolve(node);
    if (Array.isArray(allOf)) waiting.push(...(allOf as Schema[]));
    if (Array.isArray(anyOf)) {
      if (choice !== undefined) throw new Error(`the schema of ${schema.revision} joins two unions: not followed`);
      choice = anyOf as Schema[];
    }
    if ((allOf === undefined && anyOf === undefined) || own['properties'] !== undefined) plain.push(own);
  }
  return { plain, choice };
}

function saysNothing(node: Schema): boolean {
  return Object.keys(node).every((keyword) => keyword === 'description');
}

/**
 * The rule of a node for properties that it does not name: a schema or `true` if it is explicitly open, undefined if it is closed for us.
 * `additionalProperties: {}` beside a declared `_meta` is the index signature of the base types Request, Notification and Result; it allows
 * implementations to read unknown members and does not declare any.
 */
function openness(node: Schema): unknown {
  const { properties, additionalProperties } = node;
  if (additionalProperties === undefined) {
    const says = Object.keys(node).filter((keyword) => keyword !== 'description');
    return properties === undefined && says.every((keyword) => keyword === 'type') ? true : undefined;
  }
  if (additionalProperties === false) return undefined;
  return isObject(properties) && Object.hasOwn(properties, '_meta') ? undefined : additionalProperties;
}

/** The shortest of several lists of problems; without any list there is no problem. */
export function fewest(lists: readonly string[][]): string[] {
  return (
    lists.reduce<string[] | undefined>((best, list) => (best && best.length <= list.length ? best : list), undefined) ??
    []
  );
}
