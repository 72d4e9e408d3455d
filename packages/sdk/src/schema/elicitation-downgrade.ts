import { isObject } from '../protocol/jsonrpc.ts';
import type { JsonSchema } from '../protocol/entities.ts';
import { choicesOf } from './elicitation-fields.ts';
import type { ElicitationFeatures } from './elicitation-fields.ts';

/**
 * A form in the words of a peer that knows less; undefined when it can't be said there (several choices in one field).
 * Titled choices become `enum` with `enumNames`; defaults other than of booleans and `$schema` are left out.
 *
 * @example downgradeElicitation(form, ELICITATION_SUBSETS.form)
 */
export const downgradeElicitation = (schema: JsonSchema, features: ElicitationFeatures): JsonSchema | undefined => {
  const { $schema, ...rest } = schema;
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : [];
  if (!features.multiSelect && properties.some(([, field]) => isObject(field) && field.type === 'array'))
    return undefined;
  return {
    ...($schema !== undefined && features.schemaKeyword ? { $schema } : {}),
    ...rest,
    properties: Object.fromEntries(
      properties.map(([name, field]) => [name, isObject(field) ? downgradeField(field, features) : field]),
    ),
  };
};

const downgradeField = (field: JsonSchema, features: ElicitationFeatures): JsonSchema => {
  const { default: byDefault, oneOf, ...rest } = field;
  const choices = features.titledEnums || oneOf === undefined ? undefined : choicesOf({ oneOf });
  return {
    ...rest,
    ...(oneOf !== undefined && choices === undefined ? { oneOf } : {}),
    ...(choices === undefined
      ? {}
      : { enum: choices.map(({ value }) => value), enumNames: choices.map(({ value, title }) => title ?? value) }),
    ...(byDefault !== undefined && (features.defaults || field.type === 'boolean') ? { default: byDefault } : {}),
  };
};
