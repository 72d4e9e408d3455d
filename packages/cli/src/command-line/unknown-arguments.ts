import { isObject } from '@tenon/values/is-object';
import { oneLine } from '../terminal/printable.ts';
import { nearest } from '@tenon/values/nearest';

/** Keywords of a schema that can allow properties that it does not list. */
const OPEN_KEYWORDS = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', 'dependentSchemas'];

/** How many of its arguments a message names. */
const MAX_NAMED = 12;

/** The warning about arguments that a tool does not have. They are sent nevertheless, because this is a debugging tool. */
export function unknownArguments(args: Readonly<Record<string, unknown>>, schema: unknown): string[] {
  if (!isObject(schema) || OPEN_KEYWORDS.some((member) => member in schema)) return [];
  const { properties, additionalProperties } = schema;
  if (additionalProperties === true || isObject(additionalProperties)) return [];
  const known = isObject(properties) ? Object.keys(properties) : [];
  return Object.keys(args)
    .filter((name) => !known.includes(name))
    .map((name) => {
      // An argument that is already given is unlikely to be meant.
      const near = nearest(
        name,
        known.filter((one) => !Object.hasOwn(args, one)),
      );
      const some = known.slice(0, MAX_NAMED).map((one) => oneLine(one, 60));
      const all =
        known.length === 0 ? 'it has none' : `it has ${some.join(', ')}${known.length > some.length ? ', …' : ''}`;
      return `has no argument ${oneLine(name, 60)}: ${near === undefined ? all : `did you mean ${oneLine(near, 60)}?`}`;
    });
}
