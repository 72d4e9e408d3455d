// Values that a schema of OpenAPI 3.0 describes, with every member that it declares.
import type { Resolver, Schema } from './openapi.ts';

/** Deeper, only required members are filled in, because schemas contain themselves. */
const MAX_DEPTH = 5;

const FORMATS: ReadonlyMap<string, string> = new Map([
  ['uri', 'https://service.example/somewhere'],
  ['date-time', '2026-07-28T10:00:00Z'],
  ['date', '2026-07-28'],
  ['email', 'ann@example.com'],
]);

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The schema of a member; undefined if the object does not have it. An object without declared members may have any. */
function memberOf({ properties = {}, additionalProperties }: Schema, name: string): Schema | undefined {
  if (typeof additionalProperties === 'object') return properties[name] ?? additionalProperties;
  const isOpen = additionalProperties === true || Object.keys(properties).length === 0;
  return properties[name] ?? (isOpen ? {} : undefined);
}

/** Makes a function that gives a sample of a schema with certain values in it. */
export function createSamples(resolve: Resolver) {
  /** One schema for those that are combined. Of alternatives, the first. */
  function flattened(schema: Schema): Schema {
    const { allOf, oneOf, anyOf, ...own } = resolve(schema);
    const parts = [...(allOf ?? []), ...[...(oneOf ?? []), ...(anyOf ?? [])].slice(0, 1)].map((part) =>
      flattened(part),
    );
    return parts.reduce<Schema>(
      (all, part) => ({
        ...part,
        ...all,
        properties: { ...part.properties, ...all.properties },
        required: [...(all.required ?? []), ...(part.required ?? [])],
      }),
      own,
    );
  }

  /** The alternative that these values are of: a list or an object, and an object of the same `type`. */
  function alternativeFor(schema: Schema, values: object): Schema {
    const { oneOf, anyOf } = resolve(schema);
    const fitting = [...(oneOf ?? []), ...(anyOf ?? [])].filter((part) => {
      const { type } = flattened(part);
      return Array.isArray(values) ? type === 'array' : type === 'object';
    });
    const { type } = values as { type?: unknown };
    const same = fitting.find((part) => flattened(part).properties?.['type']?.enum?.includes(type));
    return same ?? fitting[0] ?? schema;
  }

  function sampleObject({ properties = {}, required = [] }: Schema, depth: number): object {
    const names = Object.keys(properties).filter((name) => depth < MAX_DEPTH || required.includes(name));
    return Object.fromEntries(names.map((name) => [name, sampleOf(properties[name]!, depth + 1)]));
  }

  function sampleOf(schema: Schema, depth = 0): unknown {
    const flat = flattened(schema);
    if (depth > MAX_DEPTH && flat.nullable === true) return null;
    if (flat.enum !== undefined) return flat.enum[0];
    switch (flat.type) {
      case 'string':
        return FORMATS.get(flat.format ?? '') ?? 'text';
      case 'integer':
      case 'number':
        return Math.max(1, flat.minimum ?? 1);
      case 'boolean':
        return false;
      case 'array':
        return depth < MAX_DEPTH && flat.items !== undefined ? [sampleOf(flat.items, depth + 1)] : [];
      default:
        return sampleObject(flat, depth);
    }
  }

  /** A sample with these values in it. Throws for a member that the schema does not declare: the service would not send it. */
  function sampleWith(schema: Schema, values: unknown, depth = 0): unknown {
    if (typeof values !== 'object' || values === null) return values;
    const chosen = alternativeFor(schema, values);
    const flat = flattened(chosen);
    const { items, properties = {} } = flat;
    if (Array.isArray(values)) return values.map((value) => sampleWith(items ?? {}, value, depth + 1));
    const sample = sampleOf(chosen, depth);
    const result = isRecord(sample) ? { ...sample } : {};
    for (const [name, value] of Object.entries(values)) {
      const member = memberOf(flat, name);
      if (member === undefined)
        throw new Error(`The description has no ${name}, only ${Object.keys(properties).join(', ')}`);
      result[name] = sampleWith(member, value, depth + 1);
    }
    return result;
  }

  return (schema: Schema, values: unknown): unknown => sampleWith(schema, values);
}
