/** The types that a keyword applies to, if not all. */
const OF_STRINGS = [
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
];
const OF_NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const OF_OBJECTS = [
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'required',
  'minProperties',
  'maxProperties',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
];
const OF_ARRAYS = [
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'minContains',
  'maxContains',
  'minItems',
  'maxItems',
  'uniqueItems',
];

function about(keywords: readonly string[], types: readonly string[]) {
  return keywords.map((keyword): readonly [string, readonly string[]] => [keyword, types]);
}

export const SUBJECTS: ReadonlyMap<string, readonly string[]> = new Map([
  ...about(OF_STRINGS, ['string']),
  ...about(OF_NUMBERS, ['number', 'integer']),
  ...about(OF_OBJECTS, ['object']),
  ...about(OF_ARRAYS, ['array']),
]);

/** All keywords of all dialects, and the additions of MCP and OpenAPI. */
export const KNOWN: ReadonlySet<string> = new Set([
  ...SUBJECTS.keys(),
  ...['type', 'enum', 'const', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'],
  ...['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
  ...['$schema', '$id', '$ref', '$defs', '$anchor', '$comment', '$vocabulary', 'definitions', 'id'],
  ...['$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$recursiveAnchor', 'enumNames', 'markdownDescription'],
  ...['nullable', 'discriminator', 'example', 'xml', 'externalDocs', 'propertyOrdering', 'order', 'options', 'ui'],
]);

/** Keywords of OpenAPI 3.0 that JSON Schema does not have, and their replacements. */
export const OPENAPI: ReadonlyMap<string, string> = new Map([
  ['nullable', 'Write "type": ["string", "null"], or anyOf with { "type": "null" }.'],
  ['example', 'Write "examples": […].'],
  ['discriminator', 'Give each branch a property with a const of its own.'],
]);

/** Keywords without effect, because the dialect does not have them. */
export const FOREIGN: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map<string, ReadonlyMap<string, string>>([
  [
    '2020-12',
    new Map([
      ['additionalItems', 'Write "items" for the items after the "prefixItems".'],
      ['$recursiveRef', 'Write "$dynamicRef".'],
      ['$recursiveAnchor', 'Write "$dynamicAnchor".'],
      ['id', 'Write "$id".'],
    ]),
  ],
  [
    '2019-09',
    new Map([
      ['prefixItems', 'Write a list as "items".'],
      ['$dynamicRef', 'Write "$recursiveRef", or use 2020-12.'],
      ['$dynamicAnchor', 'Write "$recursiveAnchor", or use 2020-12.'],
    ]),
  ],
  [
    'draft-07',
    new Map([
      ['prefixItems', 'Write a list as "items", or use 2020-12.'],
      ['dependentRequired', 'Write "dependencies", or use 2020-12.'],
      ['dependentSchemas', 'Write "dependencies", or use 2020-12.'],
      ['unevaluatedProperties', 'Use 2020-12.'],
      ['unevaluatedItems', 'Use 2020-12.'],
      ['minContains', 'Use 2020-12.'],
      ['maxContains', 'Use 2020-12.'],
      ['$anchor', 'Write "$id": "#name", or use 2020-12.'],
      ['$dynamicRef', 'Use 2020-12.'],
    ]),
  ],
]);

/** Formats that JSON Schema defines. */
export const FORMATS: ReadonlySet<string> = new Set([
  ...['date-time', 'date', 'time', 'duration', 'email', 'idn-email', 'hostname', 'idn-hostname', 'ipv4', 'ipv6'],
  ...['uri', 'uri-reference', 'iri', 'iri-reference', 'uuid', 'uri-template', 'json-pointer'],
  ...['relative-json-pointer', 'regex'],
]);

/** The keyword that was probably meant by a misspelt one: another case, or one or two wrong letters. */
export function meantKeyword(word: string): string | undefined {
  if (word.length < 4 || word.length > 24) return undefined;
  const lower = word.toLowerCase();
  let best: string | undefined;
  let distance = word.length > 8 ? 3 : 2;
  for (const known of KNOWN) {
    if (Math.abs(known.length - word.length) >= distance || known.length < 4) continue;
    const away = known.toLowerCase() === lower ? 0 : edits(lower, known.toLowerCase());
    if (away < distance) [best, distance] = [known, away];
  }
  return best;
}

/** The number of letters to change, add, delete or swap (Damerau–Levenshtein distance). */
function edits(a: string, b: string): number {
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(row[j - 1]! + 1, last[j]! + 1, last[j - 1]! + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, before[j - 2]! + 1);
      row.push(least);
    }
    [before, last] = [last, row];
  }
  return last[b.length]!;
}
