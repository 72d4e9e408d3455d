import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Rule } from '../rules/rule.ts';
import { RULES } from '../rules/table.ts';
import { wireSchemaRule } from '../rules/wire/fits-schema.ts';
import type { WireSchemas } from '../rules/wire/wire-schema.ts';

/** The official schemas are built into the package, wherever this code ends up in it. */
const FOLDER = join(dirname(createRequire(import.meta.url).resolve('@tenon/inspector/package.json')), 'dist/schemas');

/** Reads the official schema of a revision. Throws where it is missing: the diagnosis then says so. */
export const officialSchema: WireSchemas = (revision) =>
  JSON.parse(readFileSync(join(FOLDER, `${revision}.json`), 'utf8')) as unknown;

/** Every rule there is. `measured` is told of each message that was measured by a schema. */
export function everyRule(measured?: () => void): readonly Rule[] {
  return [...RULES, wireSchemaRule(officialSchema, measured)];
}
