import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import { type Features, featuresOf, type Revision } from '../protocol/revision.ts';
import { shown } from '../protocol/text.ts';

/** Something a revision has no words for; the message says what. */
export class Inexpressible extends Error {
  override readonly name = 'Inexpressible';
}

/** What a field may say, by its sort, beside type, title and description. */
const FIELDS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['string', ['minLength', 'maxLength', 'format', 'default']],
  ['number', ['minimum', 'maximum', 'default']],
  ['integer', ['minimum', 'maximum', 'default']],
  ['boolean', ['default']],
  ['choice', ['enum', 'enumNames', 'oneOf', 'default']],
  ['array', ['items', 'minItems', 'maxItems', 'default']],
]);

/** `format` names no others. */
const FORMATS: ReadonlySet<unknown> = new Set(['email', 'uri', 'date', 'date-time']);

/**
 * The schema of a form as `revision` knows forms. Keywords outside the allowed subset are left out: the answer is still checked
 * against the whole schema by whoever asked. Throws `Inexpressible` for a field the revision cannot show.
 * See "Requested schema" of elicitation.
 */
export const encodeForm = (schema: JsonObject, revision: Revision): JsonObject => {
  const features = featuresOf(revision);
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  return {
    ...(isFull(features) && typeof schema['$schema'] === 'string' ? { $schema: schema['$schema'] } : {}),
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, field]): [string, unknown] => [name, encodeField(name, field, features)]),
    ),
    ...(Array.isArray(schema['required']) ? { required: schema['required'] } : {}),
  };
};

const isFull = (features: Features): boolean => features.elicitation === 'full';

const encodeField = (name: string, field: unknown, features: Features): JsonObject => {
  const members = isObject(field) ? FIELDS.get(sortOf(field)) : undefined;
  if (!isObject(field) || members === undefined) {
    throw new Inexpressible(`the field '${shown(name, 60)}' is no text, number, boolean or choice`);
  }
  if (field['type'] === 'array' && !isFull(features)) {
    throw new Inexpressible(`the field '${shown(name, 60)}' takes several choices`);
  }
  const out: JsonObject = {};
  for (const member of ['type', 'title', 'description', ...members])
    if (field[member] !== undefined) out[member] = field[member];
  if (out['format'] !== undefined && !FORMATS.has(out['format'])) delete out['format'];
  return isFull(features) ? out : inFirstForm(out);
};

const sortOf = (field: JsonObject): unknown =>
  field['type'] === 'string' && (Array.isArray(field['enum']) || Array.isArray(field['oneOf']))
    ? 'choice'
    : field['type'];

/** A field as the first revision with forms writes it: only booleans have a default, and the names of choices stand beside the values. */
const inFirstForm = ({ default: preset, oneOf, ...field }: JsonObject): JsonObject => {
  const out: JsonObject = field;
  if (field['type'] === 'boolean' && preset !== undefined) out['default'] = preset;
  if (Array.isArray(oneOf)) {
    const choices = oneOf.filter(isObject);
    out['enum'] = choices.map((choice) => choice['const']);
    out['enumNames'] = choices.map((choice) => choice['title'] ?? choice['const']);
  }
  return out;
};
