import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import { type Features, featuresOf, type Revision } from '../protocol/revision.ts';
import { shown } from '../protocol/text.ts';
import { Inexpressible } from './inexpressible.ts';

/** The keywords that a field may have, by its type, besides type, title and description. */
const FIELDS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['string', ['minLength', 'maxLength', 'format', 'default']],
  ['number', ['minimum', 'maximum', 'default']],
  ['integer', ['minimum', 'maximum', 'default']],
  ['boolean', ['default']],
  ['choice', ['enum', 'enumNames', 'oneOf', 'default']],
  ['array', ['items', 'minItems', 'maxItems', 'default']],
]);

/** The values that `format` may have. */
const FORMATS: ReadonlySet<unknown> = new Set(['email', 'uri', 'date', 'date-time']);

/**
 * The schema of a form as `revision` allows it. Keywords outside the allowed subset are left out: the server still validates the answer
 * against the whole schema. Throws `Inexpressible` for a field that the revision cannot represent. See "Requested schema" of elicitation.
 */
export function encodeForm(schema: JsonObject, revision: Revision): JsonObject {
  const features = featuresOf(revision);
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  return {
    $schema: isFull(features) && typeof schema['$schema'] === 'string' ? schema['$schema'] : undefined,
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, field]): [string, unknown] => [name, encodeField(name, field, features)]),
    ),
    required: Array.isArray(schema['required']) ? schema['required'] : undefined,
  };
}

function isFull(features: Features): boolean {
  return features.elicitation === 'full';
}

function encodeField(name: string, field: unknown, features: Features): JsonObject {
  const members = isObject(field) ? FIELDS.get(sortOf(field)) : undefined;
  if (!isObject(field) || members === undefined) {
    throw new Inexpressible(`the field '${shown(name, 60)}' is not a string, number, boolean or choice`);
  }
  if (field['type'] === 'array' && !isFull(features)) {
    throw new Inexpressible(`the field '${shown(name, 60)}' allows several choices`);
  }
  const out: JsonObject = {};
  for (const member of ['type', 'title', 'description', ...members])
    if (field[member] !== undefined) out[member] = field[member];
  if (out['format'] !== undefined && !FORMATS.has(out['format'])) delete out['format'];
  return isFull(features) ? out : inFirstForm(out);
}

function sortOf(field: JsonObject): unknown {
  return field['type'] === 'string' && (Array.isArray(field['enum']) || Array.isArray(field['oneOf']))
    ? 'choice'
    : field['type'];
}

/** A field in the first revision with forms: only booleans have a default, and the names of choices are in `enumNames`. */
function inFirstForm({ default: preset, oneOf, ...field }: JsonObject): JsonObject {
  const out: JsonObject = field;
  if (field['type'] === 'boolean' && preset !== undefined) out['default'] = preset;
  if (Array.isArray(oneOf)) {
    const choices = oneOf.filter(isObject);
    out['enum'] = choices.map((choice) => choice['const']);
    out['enumNames'] = choices.map((choice) => choice['title'] ?? choice['const']);
  }
  return out;
}
