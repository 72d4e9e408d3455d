import { SCHEMA_KEYWORDS, step, type SchemaNode } from '../values/schema/walk-schema.ts';
import { isObject } from '@tenon/values/is-object';

const MAX_TEXTS = 2_000;

/** The texts of a schema that a model reads: what its keywords say, the names of properties, the values that it gives. */
export function textsIn(nodes: readonly SchemaNode[]): { readonly at: string; readonly text: string }[] {
  const texts: { at: string; text: string }[] = [];
  const collect = (value: unknown, at: string): void => {
    // Level by level: data may be nested to any depth.
    for (let level: [unknown, string][] = [[value, at]]; level.length > 0 && texts.length < MAX_TEXTS;) {
      const next: [unknown, string][] = [];
      for (const [each, place] of level) {
        if (typeof each === 'string') texts.push({ at: place, text: each });
        else if (Array.isArray(each)) each.forEach((item, index) => next.push([item, place + step(index)]));
        else if (isObject(each)) for (const name of Object.keys(each)) next.push([each[name], place + step(name)]);
      }
      level = next;
    }
  };
  for (const { schema, at, name } of nodes) {
    if (name !== undefined) texts.push({ at, text: name });
    for (const keyword of Object.keys(schema)) {
      const value = schema[keyword];
      if (typeof value === 'string') texts.push({ at: at + step(keyword), text: value });
      else if (typeof value === 'object' && value !== null && !SCHEMA_KEYWORDS.has(keyword))
        collect(value, at + step(keyword));
    }
    if (texts.length >= MAX_TEXTS) break;
  }
  return texts;
}
