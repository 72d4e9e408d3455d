import { shown } from '../../protocol/text.ts';
import { SchemaError } from '../schema-error.ts';

/** The supported JSON Schema dialects. */
export type DialectName = '2020-12' | '2019-09' | 'draft-07';

const NAMES: ReadonlyMap<string, DialectName> = new Map([
  ['//json-schema.org/draft/2020-12/schema', '2020-12'],
  ['//json-schema.org/draft/2019-09/schema', '2019-09'],
  ['//json-schema.org/draft-07/schema', 'draft-07'],
]);

/** The dialect that `$schema` names, with or without the empty fragment; undefined for any other. */
export function knownDialect($schema: unknown): DialectName | undefined {
  return typeof $schema === 'string' ? NAMES.get($schema.replace(/^https?:|#$/g, '')) : undefined;
}

/** The same; throws a `SchemaError` for any other. */
export function dialectName($schema: unknown, at: string): DialectName {
  const found = knownDialect($schema);
  if (found !== undefined) return found;
  throw new SchemaError(
    `$schema "${shown($schema)}" is not supported: use JSON Schema 2020-12, 2019-09 or draft-07`,
    at,
    'dialect',
  );
}
