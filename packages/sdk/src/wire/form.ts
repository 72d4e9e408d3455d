import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import { type Features, featuresOf, type Revision } from '../protocol/revision.ts';
import { shown } from '../protocol/text.ts';

/** Something a revision has no words for; the message says what. */
export class Inexpressible extends Error {
  override readonly name = 'Inexpressible';
}

/** What a field of a form may say, by the sort of the field. `default` is known to every sort in full forms, and to booleans in all. */
const FIELDS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['string', ['minLength', 'maxLength', 'format', 'enum', 'enumNames', 'oneOf']],
  ['number', ['minimum', 'maximum']],
  ['integer', ['minimum', 'maximum']],
  ['boolean', []],
  ['array', ['items', 'minItems', 'maxItems']],
]);

const COMMON = ['type', 'title', 'description', 'default'] as const;

/** `format` names no others. */
const FORMATS: ReadonlySet<unknown> = new Set(['email', 'uri', 'date', 'date-time']);

/**
 * The schema of a form as `revision` knows forms. Keywords outside the allowed subset are left out: the answer is still checked
 * against the whole schema by whoever asked. Throws `Inexpressible` for a field the revision cannot show.
 */
export const encodeForm = (schema: JsonObject, revision: Revision): JsonObject => {
  const features = featuresOf(revision);
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  return {
    ...(features.elicitation === 'full' && schema['$schema'] !== undefined ? { $schema: schema['$schema'] } : {}),
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, field]): [string, unknown] => [name, encodeField(name, field, features)]),
    ),
    ...(Array.isArray(schema['required']) ? { required: schema['required'] } : {}),
  };
};

const encodeField = (name: string, field: unknown, features: Features): JsonObject => {
  const members = isObject(field) ? FIELDS.get(field['type']) : undefined;
  if (!isObject(field) || members === undefined) throw new Inexpressible(`the field '${shown(name)}' is no text, number, boolean or choice`);
  const full = features.elicitation === 'full';
  if (field['type'] === 'array' && !full) throw new Inexpressible(`the field '${shown(name)}' takes several choices`);
  const out: JsonObject = {};
  for (const member of [...COMMON, ...members]) if (field[member] !== undefined) out[member] = field[member];
  if (!full && field['type'] !== 'boolean') delete out['default'];
  if (!FORMATS.has(out['format'])) delete out['format'];
  return full ? out : withNamedChoices(out);
};

/** Titled choices as the first revision with forms writes them: values and, beside them, names. */
const withNamedChoices = (field: JsonObject): JsonObject => {
  const { oneOf, ...rest } = field;
  if (!Array.isArray(oneOf)) return field;
  const choices = oneOf.filter(isObject);
  return {
    ...rest,
    enum: choices.map((choice) => choice['const']),
    enumNames: choices.map((choice) => choice['title'] ?? choice['const']),
  };
};
