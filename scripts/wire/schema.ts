// A schema like that of a library. The SDK compiles a plain JSON Schema shortly after the start or with the first call, whichever is
// first; until then validation is asynchronous and changes the order of messages. With these schemas it is always synchronous.
import type { JsonSchema } from 'tenon';

type Types = Readonly<Record<string, 'number' | 'string'>>;
type Result = { readonly value: Record<string, unknown> } | { readonly issues: { message: string; path: string[] }[] };

/** An object with these members, all of them required. */
export function members(types: Types): { readonly '~standard': Standard } {
  const json: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }])),
    required: Object.keys(types),
  };
  function validate(value: unknown): Result {
    const given = value as Record<string, unknown>;
    const issues = Object.entries(types)
      .filter(([name, type]) => typeof given[name] !== type)
      .map(([name, type]) => ({ message: `is no ${type}`, path: [name] }));
    return issues.length > 0 ? { issues } : { value: given };
  }
  return {
    '~standard': { version: 1, vendor: 'recorder', validate, jsonSchema: { input: () => json, output: () => json } },
  };
}

interface Standard {
  readonly version: 1;
  readonly vendor: string;
  readonly validate: (value: unknown) => Result;
  readonly jsonSchema: { readonly input: () => JsonSchema; readonly output: () => JsonSchema };
}
