import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Rule } from '../rules/rule.ts';
import { RULES } from '../rules/table.ts';
import { wireSchemaRule } from '../rules/wire/fits-schema.ts';
import type { WireSchemas } from '../rules/wire/wire-schema.ts';

/** The official schemas are built into the package; resolving its name finds them wherever this file is bundled. */
const FOLDER = join(dirname(createRequire(import.meta.url).resolve('@tenon/inspector/package.json')), 'dist/schemas');

/** Reads the official schema of a revision. Throws if it is missing; the diagnosis then reports it. */
export const officialSchema: WireSchemas = (revision) =>
  JSON.parse(readFileSync(join(FOLDER, `${revision}.json`), 'utf8')) as unknown;

/** All rules. `measured` is called for each message that was validated against a schema. */
export function everyRule(measured?: () => void): readonly Rule[] {
  return [...RULES, wireSchemaRule(officialSchema, measured)];
}
