import type { JsonSchema } from '../protocol/entities.ts';
import { isObject } from '../protocol/jsonrpc.ts';

/** Returns a copy of a value in which missing members have their defaults; a complete value is returned as it is. */
export interface Filler {
  (value: unknown): unknown;
}

interface Plan {
  readonly members: readonly {
    readonly name: string;
    readonly value: unknown;
    readonly hasValue: boolean;
    readonly inner: Plan | undefined;
  }[];
}

const MAX_DEPTH = 64;

/**
 * The defaults of an object schema: those of its `properties`, and of the objects among them. Defaults behind `$ref`, `allOf` and similar
 * keywords are only annotations, as JSON Schema defines them. Undefined if there are none.
 */
export function makeFiller(schema: JsonSchema): Filler | undefined {
  const plan = planOf(schema, 0);
  return plan && ((value) => fill(value, plan));
}

function planOf(schema: unknown, depth: number): Plan | undefined {
  if (!isObject(schema) || !isObject(schema.properties) || depth > MAX_DEPTH) return undefined;
  const members = Object.entries(schema.properties).flatMap(([name, property]) => {
    const inner = planOf(property, depth + 1);
    const hasValue = isObject(property) && Object.hasOwn(property, 'default') && property.default !== undefined;
    return hasValue || inner !== undefined
      ? [{ name, value: hasValue ? property.default : undefined, hasValue, inner }]
      : [];
  });
  return members.length === 0 ? undefined : { members };
}

function fill(value: unknown, { members }: Plan): unknown {
  if (!isObject(value)) return value;
  let copy: Record<string, unknown> | undefined;
  for (const { name, value: byDefault, hasValue, inner } of members) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    const wanted = given === undefined && hasValue ? structuredClone(byDefault) : given;
    const filled = inner === undefined ? wanted : fill(wanted, inner);
    if (filled === given) continue;
    copy ??= { ...value };
    // Not an assignment: a property may be named `__proto__`.
    Object.defineProperty(copy, name, { value: filled, enumerable: true, configurable: true, writable: true });
  }
  return copy ?? value;
}
