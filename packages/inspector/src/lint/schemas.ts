import { isObject } from '@tenon/values/is-object';
import { listed, quoted } from '../values/words.ts';
import type { EntryRule, LintRule, LintSchema, RuleGroup } from './rule.ts';
import { valueAt, type SchemaNode } from '../values/schema/walk-schema.ts';

type SchemaRule = LintRule<LintSchema>;

const DIALECTS = 'JSON Schema 2020-12 (the default), 2019-09 or draft-07';

const inputMissing: EntryRule = {
  id: 'input-schema-missing',
  title: 'A tool without an input schema that is an object',
  why: 'Clients that validate messages drop the tool, or the whole list.',
  severity: 'error',
  clause: { page: 'tools#tool' },
  of: ['tool'],
  see({ value }, _context, report) {
    const { inputSchema, outputSchema } = value;
    if (!isObject(inputSchema))
      report(`The input schema is ${inputSchema === undefined ? 'missing' : quoted(inputSchema)}`, {
        at: '/inputSchema',
        fix: 'A tool without arguments has { "type": "object", "additionalProperties": false }.',
      });
    if (outputSchema !== undefined && !isObject(outputSchema))
      report(`The output schema is ${quoted(outputSchema)}, not an object`, {
        at: '/outputSchema',
        fix: 'Write a JSON Schema, or leave it out.',
      });
  },
};

const inputType: SchemaRule = {
  id: 'input-schema-type',
  title: 'An input schema whose root is not `"type": "object"`',
  why: 'Arguments are always an object. Clients and model providers reject the tool, some reject the whole request.',
  severity: 'error',
  clause: { page: 'tools#tool' },
  see({ role, schema }, _context, report) {
    if (role === 'input' && schema['type'] !== 'object')
      report(
        `The root has ${schema['type'] === undefined ? 'no type' : `the type ${Array.isArray(schema['type']) ? 'of a list' : quoted(schema['type'])}`}`,
        {
          at: '/type',
          fix: 'Write "type": "object" at the root, also beside anyOf and the like.',
        },
      );
  },
};

const outputType: SchemaRule = {
  id: 'output-schema-type',
  title: 'An output schema whose root is not `"type": "object"`, before 2026-07-28',
  why: 'There `structuredContent` is an object; clients refuse the tool. Later revisions allow any schema.',
  severity: 'error',
  clause: { page: 'tools#output-schema', since: '2025-06-18', until: '2025-11-25' },
  see({ role, schema }, { revision }, report) {
    if (role !== 'output' || schema['type'] === 'object' || revision > '2025-11-25') return;
    report(`The root has ${schema['type'] === undefined ? 'no type' : `the type ${quoted(schema['type'])}`}`, {
      at: '/type',
      fix: 'Put the value into an object: { "type": "object", "properties": { "result": … } }.',
    });
  },
};

const dialect: SchemaRule = {
  id: 'schema-dialect',
  title: 'A `$schema` that clients need not know',
  why: 'Only 2020-12 must be supported everywhere. A client that does not know a dialect must refuse the schema.',
  severity: 'warning',
  clause: { page: 'messages#schema-dialect', since: '2025-11-25' },
  see({ read, schema }, _context, report) {
    for (const { kind, at } of read.problems)
      if (kind === 'dialect')
        report(`The dialect ${quoted(valueAt(schema, at), 80)} is not one that clients know`, {
          at,
          fix: `Use ${DIALECTS}.`,
        });
  },
};

const invalid: SchemaRule = {
  id: 'schema-invalid',
  title: 'A schema that is not valid in its dialect',
  why: 'A client that validates with it fails, or accepts anything; forms stay empty.',
  severity: 'error',
  clause: { page: 'messages#schema-validation', since: '2025-11-25' },
  see({ read, nodes }, _context, report) {
    for (const { kind, at, message } of read.problems)
      if (kind === 'keyword') report(message, { at, fix: fixOf(at, message) });
    for (const node of nodes)
      for (const [keyword, wanted] of REMARKS) {
        const value = node.schema[keyword];
        if (value !== undefined && !isKind(value, wanted))
          report(`${keyword} must be ${wanted}, got ${quoted(value)}`, {
            at: `${node.at}/${keyword}`,
            fix: 'Correct it or leave it out.',
          });
      }
  },
};

/** Annotations, which validators ignore, but the meta-schemas check. */
const REMARKS: readonly (readonly [keyword: string, wanted: 'a string' | 'a boolean' | 'an array'])[] = [
  ['title', 'a string'],
  ['description', 'a string'],
  ['$comment', 'a string'],
  ['examples', 'an array'],
  ['deprecated', 'a boolean'],
  ['readOnly', 'a boolean'],
  ['writeOnly', 'a boolean'],
];

function isKind(value: unknown, wanted: string): boolean {
  return wanted === 'an array' ? Array.isArray(value) : wanted === `a ${typeof value}`;
}

/** Fixes for constructs of older dialects, and for misspelt types. */
function fixOf(at: string, message: string): string {
  const keyword = at.slice(at.lastIndexOf('/') + 1);
  if (keyword === 'items' && message.includes('an array')) return 'Since 2020-12 a list of items is "prefixItems".';
  if (keyword.startsWith('exclusive'))
    return 'Since draft-06 this is a number of its own, not a flag beside the bound.';
  if (keyword === 'required') return 'Write a list of names beside "properties"; it is not a flag of a property.';
  if (keyword === 'type') return 'The types are string, number, integer, boolean, object, array and null.';
  return 'Correct it, and check the schema against the meta-schema of its dialect.';
}

const reference: SchemaRule = {
  id: 'schema-ref',
  title: 'A `$ref` without a target, or in a cycle',
  why: 'The schema cannot be used: arguments go unchecked, or the tool is refused.',
  severity: 'warning',
  clause: { page: 'messages#ref-resolution', since: '2026-07-28' },
  see({ read, schema }, _context, report) {
    for (const { kind, at, message } of read.problems)
      if (kind === 'reference' && !isRemote(valueAt(schema, at)))
        report(message, { at, fix: 'Put the target into "$defs", and refer to it as "#/$defs/name".' });
  },
};

const remote: SchemaRule = {
  id: 'schema-ref-remote',
  title: 'A `$ref` to another document',
  why: 'Clients must not fetch it automatically, and should refuse schemas that they cannot resolve.',
  severity: 'warning',
  clause: { page: 'messages#ref-resolution', since: '2026-07-28' },
  see({ read, schema }, _context, report) {
    for (const { kind, at } of read.problems)
      if (kind === 'reference' && isRemote(valueAt(schema, at)))
        report(`$ref leads to ${quoted(valueAt(schema, at), 80)}, which clients do not fetch`, {
          at,
          fix: 'Put that schema into "$defs".',
        });
  },
};

function isRemote(reference: unknown): boolean {
  return typeof reference === 'string' && !reference.startsWith('#');
}

const size: SchemaRule = {
  id: 'schema-size',
  title: 'A schema that is too large or nested too deeply for validation',
  why: 'Clients limit the cost of a schema, and refuse larger ones.',
  severity: 'warning',
  clause: { page: 'messages#composition-keyword-resource-use', since: '2026-07-28' },
  see({ read, cut }, _context, report) {
    const problem = read.problems.find(({ kind }) => kind === 'size');
    if (problem !== undefined || cut)
      report(problem?.message ?? 'The schema has more than 10,000 subschemas, or more than 64 inside each other', {
        fix: 'Describe large data in words, and check it in the tool.',
      });
  },
};

const MAX_PROPERTIES = 30;
const properties: SchemaRule = {
  id: 'schema-properties',
  title: 'A tool with more than 30 arguments',
  why: 'Models leave some out and mix others up; each one costs tokens in every request.',
  severity: 'info',
  see({ role, schema }, _context, report) {
    const count = isObject(schema['properties']) ? Object.keys(schema['properties']).length : 0;
    if (role === 'input' && count > MAX_PROPERTIES)
      report(`The tool has ${count} arguments`, {
        at: '/properties',
        fix: 'Split the tool, or group related arguments in objects.',
      });
  },
};

const DEEP = 6;
const deep: SchemaRule = {
  id: 'schema-deep',
  title: 'Arguments nested more than 6 levels deep',
  why: 'Models lose track of the brackets, and some providers refuse such schemas.',
  severity: 'info',
  see({ role, nodes }, _context, report) {
    const deepest = nodes.reduce<SchemaNode | undefined>(
      (best, node) => (node.depth > (best?.depth ?? DEEP) ? node : best),
      undefined,
    );
    if (role === 'input' && deepest !== undefined)
      report(`The arguments are nested ${deepest.depth} levels deep`, {
        at: deepest.at,
        fix: 'Make the arguments flatter.',
      });
  },
};

const open: SchemaRule = {
  id: 'no-arguments-open',
  title: 'A tool without arguments that accepts any',
  why: 'A model may invent some, and never learn that they do nothing.',
  severity: 'info',
  clause: { page: 'tools#tool', since: '2025-11-25' },
  see({ role, schema, nodes }, _context, report) {
    if (
      role === 'input' &&
      nodes.length === 1 &&
      schema['additionalProperties'] === undefined &&
      Object.keys(schema['properties'] ?? {}).length === 0
    )
      report('The tool has no arguments, and accepts any', {
        fix: 'Write { "type": "object", "additionalProperties": false }, unless clients send arguments that are to be ignored.',
      });
  },
};

const describe: SchemaRule = {
  id: 'property-description-missing',
  title: 'Arguments without a description',
  why: 'A model has only the name to go by.',
  severity: 'info',
  see({ role, nodes }, _context, report) {
    if (role !== 'input') return;
    const arguments_ = nodes.filter(({ keyword, parent }) => keyword === 'properties' && parent !== undefined);
    const bare = arguments_.filter(({ schema }) => !isDescribed(schema));
    if (bare.length === 0) return;
    const names = bare.map(({ name }) => name ?? '');
    report(`${bare.length} of ${arguments_.length} arguments have no description: ${listed(names)}`, {
      at: bare.length === 1 ? bare[0]!.at : '/properties',
      fix: 'Describe the value, with its unit and format.',
    });
  },
};

/** Returns whether it has a description, or a reference that may lead to one. */
function isDescribed(schema: SchemaNode['schema']): boolean {
  return (
    (typeof schema['description'] === 'string' && schema['description'].trim() !== '') ||
    schema['$ref'] !== undefined ||
    schema['const'] !== undefined
  );
}

export const schemaRules: RuleGroup = {
  entry: [inputMissing],
  schema: [inputType, outputType, dialect, invalid, reference, remote, size, properties, deep, open, describe],
};
