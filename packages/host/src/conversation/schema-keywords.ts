import { isObject } from '@tenon/values/is-object';

type Check = (value: unknown) => boolean;

const TYPES: readonly unknown[] = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

const isText: Check = (value) => typeof value === 'string';
const isFlag: Check = (value) => typeof value === 'boolean';
const isNumber: Check = (value) => Number.isFinite(value);
const isCount: Check = (value) => Number.isInteger(value) && (value as number) >= 0;
const isFilled: Check = (value) => Array.isArray(value) && value.length > 0;
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;
const isType: Check = (value) =>
  TYPES.includes(value) ||
  (isFilled(value) && isTexts(value) && (value as unknown[]).every((one) => TYPES.includes(one)));

function each(check: Check, ...names: readonly string[]): [string, Check][] {
  return names.map((name) => [name, check]);
}

/** The valid values of JSON Schema keywords. */
const CHECKS: ReadonlyMap<string, Check> = new Map([
  ...each(isText, '$ref', '$id', '$anchor', '$comment', 'title', 'description', 'format', 'pattern', 'contentEncoding'),
  ...each(isFlag, 'uniqueItems', 'deprecated', 'readOnly', 'writeOnly'),
  ...each(isCount, 'minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties', 'minContains'),
  // Flags of old drafts are converted to numbers later.
  ...each((value) => isNumber(value) || isFlag(value), 'exclusiveMinimum', 'exclusiveMaximum'),
  ...each(isNumber, 'minimum', 'maximum'),
  ...each((value) => isNumber(value) && (value as number) > 0, 'multipleOf'),
  ...each(isFilled, 'enum', 'allOf', 'anyOf', 'oneOf', 'prefixItems'),
  ...each(isObject, 'properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'),
  ...each(Array.isArray, 'examples'),
  ['type', isType],
  ['required', isTexts],
]);

/** Whether a value is valid for a keyword. An invalid one has no meaning, and providers reject the whole request for it. */
export function isKeywordSound(keyword: string, value: unknown): boolean {
  return CHECKS.get(keyword)?.(value) ?? true;
}
