// The official schema of each revision, as it is used here: read from the bundle, constructed if the bundle has none, and corrected where
// it is narrower than its source. The build of the inspector writes the same documents.

import { definitionsOf, extractSchemas, isObject, readBundle, type BundledRevision, type Schema } from './bundle.ts';
import { addTasks } from './tasks.ts';
import { unknownIn20241105 } from './unknown.ts';

export const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;

export type Revision = (typeof revisions)[number];

/**
 * Where the generated JSON Schema is narrower than its source (schema.ts, which is normative): TypeScript's `number` became `integer`, and
 * two members of JSONValue were lost.
 */
const errata: readonly { revisions: readonly Revision[]; correct(definitions: Schema): void }[] = [
  {
    revisions: ['2025-06-18', '2025-11-25'],
    correct: (all) => correctType(propertiesOf(all['NumberSchema']), ['minimum'], 'integer', 'number'),
  },
  {
    revisions: ['2025-06-18', '2025-11-25'],
    correct: (all) => correctType(propertiesOf(all['NumberSchema']), ['maximum'], 'integer', 'number'),
  },
  {
    revisions: ['2025-11-25'],
    correct: (all) => correctType(propertiesOf(all['NumberSchema']), ['default'], 'integer', 'number'),
  },
  {
    revisions: ['2025-06-18'],
    correct: (all) =>
      correctType(propertiesOf(all['ElicitResult'])['content'], ['additionalProperties'], 'integer', 'number'),
  },
  {
    revisions: ['2025-11-25', '2026-07-28'],
    correct: (all) =>
      correctType(
        propertiesOf(all['ElicitResult'])['content'],
        ['additionalProperties', 'anyOf', '1'],
        'integer',
        'number',
      ),
  },
  {
    revisions: ['2026-07-28'],
    correct: (all) => correctType(all['JSONValue'], ['anyOf', '2'], 'integer', 'number', 'null'),
  },
];

export function propertiesOf(node: unknown): Schema {
  const properties = isObject(node) ? node['properties'] : undefined;
  if (!isObject(properties)) throw new Error('the official schema has changed: an erratum finds no properties');
  return properties;
}

/** Replaces one type name at a path by others; throws if it is not there, so that a corrected schema is noticed. */
function correctType(start: unknown, path: readonly string[], wrong: string, ...right: string[]): void {
  let node = start;
  for (const step of path) node = (node as Schema | undefined)?.[step];
  const types = isObject(node) ? [node['type']].flat() : [];
  if (!isObject(node) || !types.includes(wrong)) {
    throw new Error(`the official schema has changed: nothing to correct at ${path.join('/')}`);
  }
  const corrected = [...types.filter((type) => type !== wrong), ...right];
  node['type'] = corrected.length === 1 ? corrected[0] : corrected;
}

let documents: Map<BundledRevision, Schema> | undefined;

/** A new copy of the schema of a revision. The bundle is read once per process. */
export function documentOf(revision: Revision): Schema {
  documents ??= extractSchemas(readBundle());
  const source = documents.get(revision === '2024-11-05' ? '2025-03-26' : revision);
  if (source === undefined) throw new Error(`no schema of ${revision}`);
  const document = structuredClone(source);
  const definitions = definitionsOf(document) ?? {};
  if (revision === '2024-11-05') for (const addition of unknownIn20241105) addition.remove(definitions);
  if (revision === '2026-07-28') addTasks(definitions);
  for (const erratum of errata) if (erratum.revisions.includes(revision)) erratum.correct(definitions);
  return document;
}
