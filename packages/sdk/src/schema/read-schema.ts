import { examineSchema } from './validator/compile.ts';
import type { DialectName } from './validator/dialect-name.ts';
import type { SchemaNode } from './validator/model.ts';
import type { ValidationIssue } from './issue.ts';
import type { SchemaError, SchemaFault } from './schema-error.ts';

/** A problem with a schema. */
export interface SchemaProblem {
  /** The kind of fault. */
  readonly kind: SchemaFault;
  /** The JSON Pointer of the location; `''` for the root. */
  readonly at: string;
  /** What is wrong, without the location. */
  readonly message: string;
}

/** Options of `readSchema`. */
export interface ReadSchemaOptions {
  /** Check `format` if it is `email`, `uri`, `date` or `date-time`. Default: false, formats are annotations. */
  readonly formats?: boolean;
}

/** A JSON Schema with all its problems. */
export interface ReadSchema {
  /** The dialect of its root. Undefined: it cannot be used at all, see `problems`. */
  readonly dialect: DialectName | undefined;
  /** The problems of the schema, at most 100; empty if it has none. */
  readonly problems: readonly SchemaProblem[];
  /**
   * Validates a value: returns at most 20 issues. Faulty parts of the schema produce no issues; a check that takes too much work does. `at`
   * is the JSON Pointer of a subschema to check against, by default the root; if there is none at that pointer, there are no issues. Never
   * throws.
   */
  check(value: unknown, at?: string): readonly ValidationIssue[];
}

/**
 * Reads a JSON Schema from any source: 2020-12, or 2019-09 and draft-07 if `$schema` says so. A faulty schema does not throw but has
 * `problems`. Nothing is fetched, no code is generated, and the work is limited for any schema.
 *
 * @example
 * ```ts
 * import { readSchema } from 'tenon/schema';
 *
 * readSchema({ type: 'strin' }).problems; // [{ kind: 'keyword', at: '/type', message: 'type "strin" is not one of …' }]
 * readSchema({ type: 'number' }).check('1'); // [{ path: [], message: 'must be a number, got a string' }]
 * ```
 */
export function readSchema(schema: unknown, options: ReadSchemaOptions = {}): ReadSchema {
  const { root, faults, validate } = examineSchema(schema, options);
  return {
    dialect: root?.dialect.name,
    problems: faults.map(problemOf),
    check(value, at = '') {
      const part = root && schemaAt(root, at);
      return part === undefined ? [] : validate(value, part);
    },
  };
}

/** The location is separate from the message. */
function problemOf({ kind = 'keyword', at, message }: SchemaError): SchemaProblem {
  return {
    kind,
    at,
    message: at === '' ? message : message.slice(0, -` (at ${at})`.length),
  };
}

/** The subschema at a JSON Pointer. */
function schemaAt(root: SchemaNode, pointer: string): SchemaNode | undefined {
  const tokens = pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  let found: SchemaNode | undefined = root;
  for (let at = 0; at < tokens.length && found !== undefined; at += 1) {
    const pair: SchemaNode | undefined = found.children.get(`${tokens[at]}/${tokens[at + 1]}`);
    found = pair ?? found.children.get(tokens[at]!);
    if (pair !== undefined) at += 1;
  }
  return found;
}
