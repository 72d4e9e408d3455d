// The official schemas as shipped with the inspector: one file for each revision, with their licence. They are extracted from
// the same pinned package, with the same corrections, as the schemas that our own messages are tested with.

import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { isObject, type Schema } from '../../packages/sdk/test/oracle/bundle.ts';
import { documentOf, revisions } from '../../packages/sdk/test/oracle/documents.ts';
import { root } from './files.ts';

const packageName = '@modelcontextprotocol/conformance';
const oracle = join(root, 'packages/sdk/test/oracle');

/** The sources of the files, besides this script. */
export const sources: readonly string[] = [
  ...['bundle.ts', 'documents.ts', 'unknown.ts'].map((name) => join(oracle, name)),
  join(root, 'scripts/lib/wire-schemas.ts'),
  join(root, 'node_modules', packageName, 'package.json'),
];

/** Keywords whose value is a map of schemas by name, in which `description` is a name. */
const named = new Set(['properties', 'patternProperties', 'definitions', '$defs', 'dependentSchemas']);
/** Keywords whose value is data. */
const data = new Set(['const', 'default', 'enum', 'examples']);

/** Removes descriptions from a schema, which does not change what it accepts. */
export function withoutDescriptions(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutDescriptions);
  if (!isObject(node)) return node;
  return Object.fromEntries(
    Object.entries(node).flatMap(([keyword, value]) => {
      if (keyword === 'description') return [];
      if (data.has(keyword)) return [[keyword, value]];
      if (named.has(keyword) && isObject(value)) return [[keyword, mapped(value)]];
      return [[keyword, withoutDescriptions(value)]];
    }),
  );
}

function mapped(schemas: Schema): Schema {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, withoutDescriptions(schema)]));
}

function notice(version: string): string {
  return `The schemas of the Model Context Protocol

The JSON files in this folder are the official schemas of the Model Context Protocol
(https://github.com/modelcontextprotocol/modelcontextprotocol), as they are in ${packageName} ${version}
(https://github.com/modelcontextprotocol/conformance). Copyright the contributors to the Model Context Protocol.
They are licensed as the file LICENSE beside them says.

They were changed:
- Descriptions were taken out.
- Where the JSON schema is narrower than the TypeScript it was generated from, it was corrected: "number" instead of "integer" in
  NumberSchema, ElicitResult and JSONValue, and "null" in JSONValue.
- 2024-11-05.json is 2025-03-26.json without what that revision added.
`;
}

/** The files by name, deterministic for the same sources. Throws if the pinned package is not installed. */
export function wireSchemaFiles(): ReadonlyMap<string, string> {
  const manifest = findPackageJSON(packageName, import.meta.url);
  if (manifest === undefined)
    throw new Error(`${packageName} is not installed; the inspector is built with its schemas`);
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  return new Map([
    ...revisions.map(
      (revision) => [`${revision}.json`, `${JSON.stringify(withoutDescriptions(documentOf(revision)))}\n`] as const,
    ),
    ['NOTICE', notice(version)] as const,
    ['LICENSE', readFileSync(join(dirname(manifest), 'LICENSE'), 'utf8')] as const,
  ]);
}
