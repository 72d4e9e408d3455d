import { isObject } from '@tenon/values/is-object';
import { oneLine } from '../terminal/printable.ts';
import { nearest } from '@tenon/values/nearest';

/** Members of a schema by which it can have properties that are not listed in it. */
const MORE = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', 'dependentSchemas'];

/** How many of its arguments a message names. */
const MAX_NAMED = 12;

/** What is said of arguments that a tool does not have. They are sent all the same, because this is a debugging tool. */
export function unknownArguments(args: Readonly<Record<string, unknown>>, schema: unknown): string[] {
  if (!isObject(schema) || MORE.some((member) => member in schema)) return [];
  const { properties, additionalProperties } = schema;
  if (additionalProperties === true || isObject(additionalProperties)) return [];
  const known = isObject(properties) ? Object.keys(properties) : [];
  return Object.keys(args)
    .filter((name) => !known.includes(name))
    .map((name) => {
      // One that is given already is hardly meant.
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
