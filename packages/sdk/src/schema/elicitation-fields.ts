import { isObject } from '../protocol/jsonrpc.ts';

/** The form of an elicitation: the flat subset of JSON Schema that all clients can show. */
export type ElicitationSchema = {
  readonly $schema?: string;
  readonly type: 'object';
  readonly properties: { readonly [name: string]: ElicitationField };
  readonly required?: readonly string[];
};

/** One field of a form. */
export type ElicitationField = {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'array';
  readonly title?: string;
  readonly description?: string;
  readonly [keyword: string]: unknown;
};

/** An option of a choice field. */
export interface Choice {
  /** The value that is sent. */
  readonly value: string;
  /** The text to show to people; undefined if the value itself is to be shown. */
  readonly title: string | undefined;
}

/**
 * The choices of a field (`enum`, `const`, `oneOf` or `anyOf` of constants); undefined if it has none, or one that is not a string. For a field
 * of several values, give its `items`.
 *
 * @example
 * ```ts
 * import { choicesOf } from 'tenon/forms';
 *
 * choicesOf({ type: 'string', oneOf: [{ const: 'w', title: 'Window' }] }); // [{ value: 'w', title: 'Window' }]
 * choicesOf({ type: 'string' }); // undefined
 * ```
 */
export function choicesOf(field: { readonly [keyword: string]: unknown }): Choice[] | undefined {
  const { enum: values, enumNames, oneOf, anyOf } = field;
  if (typeof field.const === 'string') return [{ value: field.const, title: undefined }];
  if (Array.isArray(values)) {
    const names: readonly unknown[] = Array.isArray(enumNames) ? enumNames : [];
    return allOrNone(values.map((value, index) => choice(value, names[index])));
  }
  const options = oneOf ?? anyOf;
  if (!Array.isArray(options)) return undefined;
  const choices = options.map((option) =>
    isObject(option) && (option.type ?? 'string') === 'string' ? optionChoices(option) : undefined,
  );
  return allOrNone(choices)?.flat();
}

// The members of a union of literals may be constants or short enumerations.
function optionChoices(option: { readonly [keyword: string]: unknown }): Choice[] | undefined {
  if (option.const !== undefined) return allOrNone([choice(option.const, option.title)]);
  return Array.isArray(option.enum) ? allOrNone(option.enum.map((value) => choice(value, undefined))) : undefined;
}

function choice(value: unknown, title: unknown): Choice | undefined {
  return typeof value === 'string' ? { value, title: typeof title === 'string' ? title : undefined } : undefined;
}

function allOrNone<T>(items: readonly (T | undefined)[]): T[] | undefined {
  return items.length > 0 && items.every((item) => item !== undefined) ? (items as T[]) : undefined;
}
