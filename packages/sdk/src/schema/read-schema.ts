import { examineSchema } from './validator/compile.ts';
import type { DialectName } from './validator/dialect-name.ts';
import type { SchemaNode } from './validator/model.ts';
import type { ValidationIssue } from './issue.ts';
import type { SchemaError, SchemaFault } from './schema-error.ts';

/** Something that is wrong with a schema. */
export interface SchemaProblem {
  readonly kind: SchemaFault;
  /** The JSON Pointer of the place, `''` for the root. */
  readonly at: string;
  readonly message: string;
}

/** How a schema is read. */
export interface ReadSchemaOptions {
  /** Check `format` where it is `email`, `uri`, `date` or `date-time`. Default: false, they are remarks. */
  readonly formats?: boolean;
}

/** A JSON Schema, and all that is wrong with it. */
export interface ReadSchema {
  /** In which dialect its root is written. Undefined: it cannot be used at all, `problems` says why. */
  readonly dialect: DialectName | undefined;
  /** At most 100. */
  readonly problems: readonly SchemaProblem[];
  /**
   * What is wrong with a value: at most 20 issues. What the schema says wrongly is not held against it; that it takes too much work to
   * check is an issue, too. `at` is the JSON Pointer of the schema inside that is meant, by default the whole; where there is none, nothing
   * is wrong. Never throws.
   */
  check(value: unknown, at?: string): readonly ValidationIssue[];
}

/**
 * Reads a JSON Schema of whatever origin: 2020-12, or 2019-09 and draft-07 where `$schema` says so. A schema that is wrong is no error but
 * a schema with problems. Nothing is fetched, no code is generated, and it ends within the limits whatever the schema says.
 *
 * @example readSchema({ type: 'strin' }).problems // [{ kind: 'keyword', at: '/type', message: 'type "strin" is not one of …' }]
 * @example readSchema({ type: 'number' }).check('1') // [{ path: [], message: 'must be a number, got a string' }]
 */
export const readSchema = (schema: unknown, options: ReadSchemaOptions = {}): ReadSchema => {
  const { root, faults, validate } = examineSchema(schema, options);
  return {
    dialect: root?.dialect.name,
    problems: faults.map(problemOf),
    check(value, at = '') {
      const part = root && schemaAt(root, at);
      return part === undefined ? [] : validate(value, part);
    },
  };
};

/** The place is said apart from the message. */
const problemOf = ({ kind = 'keyword', at, message }: SchemaError): SchemaProblem => ({
  kind,
  at,
  message: at === '' ? message : message.slice(0, -` (at ${at})`.length),
});

/** The schema that a JSON Pointer leads to. */
const schemaAt = (root: SchemaNode, pointer: string): SchemaNode | undefined => {
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
};
