import { isObject } from '@tenon/values/is-object';
import { listed, quoted, type Json } from '../values/words.ts';
import { FOREIGN, KNOWN, OPENAPI, SUBJECTS } from './keywords.ts';
import type { LintRule, LintSchema, RuleGroup } from './rule.ts';
import { IN_PLACE, step, type SchemaNode } from '../values/schema/walk-schema.ts';

type NodeRule = LintRule<{ readonly node: SchemaNode; readonly of: LintSchema }>;

/** Keywords that imply the type of the value. */
const SAYS_TYPE = [
  'type',
  '$ref',
  '$dynamicRef',
  '$recursiveRef',
  'enum',
  'const',
  'anyOf',
  'oneOf',
  'allOf',
  'not',
  'if',
];

const untyped: NodeRule = {
  id: 'property-type-missing',
  title: 'A property without a type',
  why: 'Any value is valid: a form has no field for it, the command line takes text, a model guesses.',
  severity: 'warning',
  see({ node }, _context, report) {
    const properties = node.schema['properties'];
    if (!isObject(properties)) return;
    for (const name of Object.keys(properties)) {
      const schema = properties[name];
      const is = isObject(schema) ? !SAYS_TYPE.some((keyword) => schema[keyword] !== undefined) : schema === true;
      // A branch may only add to a schema elsewhere.
      if (is && (node.keyword === undefined || !IN_PLACE.has(node.keyword)))
        report(`The property ${quoted(name, 60)} has no type`, {
          at: `${node.at}/properties${step(name)}`,
          fix: 'Add "type".',
        });
    }
  },
};

const required: NodeRule = {
  id: 'required-unknown',
  title: '`required` names a property that is not described',
  why: 'A model and a form omit a property that they do not know, and the call fails.',
  severity: 'warning',
  see({ node, of }, _context, report) {
    const names = node.schema['required'];
    if (!Array.isArray(names)) return;
    const unknown = names
      .slice(0, MAX_NAMES)
      .filter((name): name is string => typeof name === 'string' && !isKnown(node, name, of.nodes));
    if (unknown.length > 0)
      report(`${listed(unknown)} ${unknown.length === 1 ? 'is' : 'are'} required, and not among the properties`, {
        at: `${node.at}/required`,
        fix: 'Describe it in "properties", or correct its name.',
      });
  },
};

const MAX_NAMES = 200;

/** Returns whether a property is described here, in a branch of this schema, or in the schema of which this is a branch. */
function isKnown(node: SchemaNode, name: string, nodes: readonly SchemaNode[]): boolean {
  let top = node;
  while (top.parent !== undefined && top.keyword !== undefined && IN_PLACE.has(top.keyword)) top = top.parent;
  const inPlace = (each: SchemaNode): boolean => {
    for (let at: SchemaNode | undefined = each; at !== undefined; at = at.parent) {
      if (at === top) return true;
      if (at.keyword === undefined || !IN_PLACE.has(at.keyword)) return false;
    }
    return false;
  };
  const names = ({ schema }: SchemaNode): boolean =>
    (isObject(schema['properties']) && Object.hasOwn(schema['properties'], name)) ||
    schema['patternProperties'] !== undefined ||
    schema['$ref'] !== undefined ||
    schema['$dynamicRef'] !== undefined;
  return names(node) || names(top) || (nodes.length < 2_000 && nodes.some((each) => names(each) && inPlace(each)));
}

const closedBranch: NodeRule = {
  id: 'additional-properties-branch',
  title: '`additionalProperties: false` in a branch of `allOf`',
  why: 'It sees only the properties of its own branch and refuses those of the others: hardly any value is valid.',
  severity: 'warning',
  see({ node }, _context, report) {
    const { keyword, parent, schema } = node;
    if (keyword !== 'allOf' || schema['additionalProperties'] !== false || parent === undefined) return;
    const own = isObject(schema['properties']) ? schema['properties'] : {};
    const branches = Array.isArray(parent.schema['allOf']) ? (parent.schema['allOf'] as unknown[]) : [];
    const others = [parent.schema, ...branches].flatMap((each) =>
      isObject(each) && isObject(each['properties']) ? Object.keys(each['properties']) : [],
    );
    const refused = [...new Set(others)].filter((name) => !Object.hasOwn(own, name));
    if (refused.length > 0)
      report(`It refuses ${listed(refused)}, which other branches describe`, {
        at: `${node.at}/additionalProperties`,
        fix: 'Write "unevaluatedProperties": false beside the "allOf".',
      });
  },
};

const unknown: NodeRule = {
  id: 'keyword-unknown',
  title: 'A keyword that is misspelt, or a property outside of `properties`',
  why: 'JSON Schema ignores unknown keywords: nothing is checked, and no error says so.',
  severity: 'warning',
  see({ node }, { memo }, report) {
    for (const keyword of Object.keys(node.schema)) {
      if (KNOWN.has(keyword) || /^(?:x-|\$|_)/.test(keyword)) continue;
      const at = node.at + step(keyword);
      const meant = memo.meantKeyword(keyword);
      if (meant !== undefined)
        report(`${quoted(keyword, 40)} is not a keyword; ${meant} is`, { at, fix: `Write "${meant}".` });
      else if (looksLikeSchema(node.schema[keyword]))
        report(`${quoted(keyword, 40)} is not a keyword: it looks like a property`, {
          at,
          fix: 'Put it into "properties".',
        });
    }
  },
};

function looksLikeSchema(value: unknown): boolean {
  return isObject(value) && typeof value['type'] === 'string' && SAYS.has(value['type']);
}
const SAYS: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

const foreign: NodeRule = {
  id: 'keyword-foreign',
  title: 'A keyword of another dialect, or of OpenAPI',
  why: 'It has no effect here: `nullable: true` does not allow null.',
  severity: 'warning',
  see({ node, of }, _context, report) {
    const table = FOREIGN.get(of.read.dialect ?? '');
    for (const keyword of Object.keys(node.schema)) {
      const fix = table?.get(keyword) ?? (node.schema[keyword] === false ? undefined : OPENAPI.get(keyword));
      if (fix !== undefined && node.schema[keyword] !== undefined)
        report(`${keyword} is not a keyword of ${of.read.dialect ?? 'JSON Schema'}`, {
          at: `${node.at}/${keyword}`,
          fix,
        });
    }
  },
};

const idle: NodeRule = {
  id: 'keyword-idle',
  title: 'A keyword that has no effect on values of the type',
  why: '`minLength` of a number checks nothing, although its author expects a check.',
  severity: 'info',
  see({ node }, _context, report) {
    const types = typesOf(node.schema);
    if (types === undefined) return;
    for (const keyword of Object.keys(node.schema)) {
      const subjects = SUBJECTS.get(keyword);
      if (subjects !== undefined && !subjects.some((type) => types.includes(type)))
        report(`${keyword} has no effect on a value of the type ${types.join(' or ')}`, {
          at: `${node.at}/${keyword}`,
          fix: 'Correct the type, or leave it out.',
        });
    }
  },
};

function typesOf({ type }: Json): readonly string[] | undefined {
  if (typeof type === 'string' && SAYS.has(type)) return [type];
  return Array.isArray(type) && type.every((each) => typeof each === 'string' && SAYS.has(each))
    ? (type as string[])
    : undefined;
}

export const nodeRules: RuleGroup = { node: [untyped, required, closedBranch, unknown, foreign, idle] };
