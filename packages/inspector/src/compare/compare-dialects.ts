import { quoted, type Json } from '../values/words.ts';
import { walkSchema } from '../values/schema/walk-schema.ts';
import type { ChangeLog } from './change.ts';

const DEFAULT = 'https://json-schema.org/draft/2020-12/schema';

/** The older dialects in which most keywords mean the same as in 2020-12. */
const RELATIVES = new Set(['draft-07', '2019-09']);

/** The keywords that mean something else, or nothing, in another one of these dialects. */
const DEPENDENT = new Set([
  ...['$anchor', '$dynamicAnchor', '$dynamicRef', '$id', '$recursiveAnchor', '$recursiveRef', '$vocabulary'],
  ...['additionalItems', 'prefixItems', 'unevaluatedItems', 'unevaluatedProperties'],
  ...['dependencies', 'dependentRequired', 'dependentSchemas', 'maxContains', 'minContains'],
]);

/** Keywords beside a `$ref` that let the same values through whether or not they are ignored, as in draft-07. */
const HARMLESS = new Set([
  '$comment',
  '$defs',
  '$schema',
  'default',
  'definitions',
  'deprecated',
  'description',
  'examples',
  'title',
]);

/** Logs that the dialect changed. It has no effect if both schemas mean the same in 2020-12, which every client knows. */
export function compareDialects(before: Json, after: Json, path: string, log: ChangeLog): void {
  const values = { before: before['$schema'] ?? DEFAULT, after: after['$schema'] ?? DEFAULT };
  const [was, is] = [nameOf(values.before), nameOf(values.after)];
  if (was === is) return;
  const same = RELATIVES.has(was) && is === '2020-12' && meansTheSame(before) && meansTheSame(after);
  const [text, textNow] = [shown(was, before), shown(is, after)];
  log.add(
    same ? 'dialect-equivalent' : 'dialect-changed',
    `${path}/$schema`,
    `The dialect was ${text}, and is ${textNow}${same ? ': this schema means the same in both' : ''}`,
    values,
  );
}

/** `draft-07` of `http://json-schema.org/draft-07/schema#`, and any other value as it is. */
function nameOf($schema: unknown): string {
  const uri = typeof $schema === 'string' ? $schema.replace(/#$/, '') : '';
  return (
    /^https?:\/\/json-schema\.org\/(draft-\d+|draft\/20[\d-]+)\/schema$/.exec(uri)?.[1]?.replace('draft/', '') ??
    quoted($schema, 80)
  );
}

function shown(name: string, { $schema }: Json): string {
  return $schema === undefined ? `${name} (the default)` : name;
}

function meansTheSame(schema: Json): boolean {
  const { nodes, cut } = walkSchema(schema);
  const places = new Set(nodes.map(({ at }) => `#${at}`));
  return (
    !cut &&
    nodes.every(({ schema: node, parent }) => {
      const keywords = Object.keys(node);
      return (
        !keywords.some((keyword) => DEPENDENT.has(keyword)) &&
        !Array.isArray(node['items']) &&
        (parent === undefined || node['$schema'] === undefined) &&
        (node['$ref'] === undefined ||
          (places.has(String(node['$ref'])) &&
            keywords.every((keyword) => keyword === '$ref' || HARMLESS.has(keyword))))
      );
    })
  );
}
