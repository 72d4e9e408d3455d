import type { JsonSchema } from '../../protocol/entities.ts';
import { isObject } from '../../protocol/jsonrpc.ts';
import { shown } from '../../protocol/text.ts';
import { spend } from '../budget.ts';
import type { Budget } from '../budget.ts';
import { kindOf, quoted } from '../quoted.ts';
import { SchemaError } from '../schema-error.ts';
import { DEFAULT_DIALECT, dialectOf } from './dialect.ts';
import { tolerateFault } from './faults.ts';
import type { Dialect, Shape } from './dialect.ts';
import type { Check, Resource, SchemaNode } from './model.ts';

/** The state of the schema that is being compiled. */
export interface SchemaDocument {
  readonly nodes: SchemaNode[];
  readonly resources: Map<string, Resource>;
  readonly budget: Budget;
  readonly maxDepth: number;
  readonly maxNodes: number;
  /** Some reference depends on the dynamic scope. */
  dynamic: boolean;
  /** The faults by location; undefined: the first fault is thrown. */
  readonly faults: Map<string, SchemaError> | undefined;
}

/** The base of relative references without an `$id`. Nothing is ever fetched from it. */
const NO_BASE = 'schema:///';
const MAX_URI = 2_000;
const unbuilt: Check = () => {
  throw new Error('The schema has not been built yet');
};

/** Adds `schema` and all its subschemas to the document. Throws a `SchemaError` if it is not a schema. */
export function addSchema(document: SchemaDocument, schema: unknown, parent?: SchemaNode, key = ''): SchemaNode {
  if (typeof schema !== 'boolean' && !isObject(schema)) {
    throw new SchemaError(
      `A schema must be an object or a boolean, got ${kindOf(schema)}`,
      parent && locate(parent, key),
    );
  }
  const depth = parent === undefined ? 0 : parent.depth + 1;
  if (depth > document.maxDepth)
    throw new SchemaError(`The schema is nested more than ${document.maxDepth} schemas deep`, '', 'size');
  if (document.nodes.length >= document.maxNodes)
    throw new SchemaError(`The schema has more than ${document.maxNodes} subschemas`, '', 'size');
  const at = (keyword: string): string => `${parent === undefined ? '' : locate(parent, key)}/${keyword}`;

  const own = typeof schema === 'boolean' ? {} : schema;
  const dialect =
    own.$schema === undefined ? (parent?.dialect ?? DEFAULT_DIALECT) : dialectOf(own.$schema, at('$schema'));
  const identity = identify(document, own, dialect, parent?.resource, at);
  const node: SchemaNode = {
    schema,
    dialect,
    resource: identity.resource,
    parent,
    key,
    depth,
    children: new Map(),
    sameValue: [],
    ref: undefined,
    dynamicRef: undefined,
    faulty: false,
    check: unbuilt,
  };
  node.resource.root ??= node;
  document.nodes.push(node);
  for (const name of identity.anchors) anchor(node.resource.anchors, name, node);
  for (const name of identity.dynamicAnchors) anchor(node.resource.dynamicAnchors, name, node);
  growChildren(document, node, own);
  return node;
}

/** The schema at a JSON Pointer inside `node`, also below unknown keywords; undefined if there is none. */
export function nodeAt(document: SchemaDocument, node: SchemaNode, tokens: readonly string[]): SchemaNode | undefined {
  let found = node;
  let at = 0;
  while (at < tokens.length) {
    const keyword = tokens[at]!;
    const pair = found.children.get(`${keyword}/${tokens[at + 1]}`);
    const next = pair ?? found.children.get(keyword);
    if (next === undefined) break;
    found = next;
    at += next === pair ? 2 : 1;
  }
  return at === tokens.length ? found : growUnknown(document, found, tokens.slice(at));
}

function growUnknown(document: SchemaDocument, node: SchemaNode, tokens: readonly string[]): SchemaNode | undefined {
  const key = tokens.join('/');
  const known = node.children.get(key);
  if (known !== undefined) return known;
  let schema: unknown = node.schema;
  for (const token of tokens) {
    if (typeof schema !== 'object' || schema === null || !Object.hasOwn(schema, token)) return undefined;
    schema = (schema as JsonSchema)[token];
  }
  const child = addSchema(document, schema, node, key);
  node.children.set(key, child);
  return child;
}

/** The JSON Pointer of a schema, for messages. */
export function locate(node: SchemaNode, key = ''): string {
  const steps = key === '' ? [] : [key];
  for (let at: SchemaNode | undefined = node; at?.parent !== undefined; at = at.parent) steps.push(at.key);
  const pointer = steps.reverse().map((step) => {
    const slash = step.indexOf('/');
    return slash < 0
      ? step
      : `${step.slice(0, slash)}/${step
          .slice(slash + 1)
          .replaceAll('~', '~0')
          .replaceAll('/', '~1')}`;
  });
  return shown(pointer.map((step) => `/${step}`).join(''), 300);
}

/** Resolves a reference against a base URI, and separates its fragment. */
export function resolveUri(reference: string, base: string, place: () => string): { uri: string; fragment: string } {
  const hash = reference.indexOf('#');
  const target = hash < 0 ? reference : reference.slice(0, hash);
  const fragment = hash < 0 ? '' : reference.slice(hash + 1);
  if (target === '') return { uri: base, fragment };
  try {
    if (target.length > MAX_URI) throw new TypeError('too long');
    return { uri: new URL(target, base).href, fragment };
  } catch {
    throw new SchemaError(`${quoted(reference)} is not a URI reference`, place());
  }
}

interface Identity {
  readonly resource: Resource;
  readonly anchors: readonly string[];
  readonly dynamicAnchors: readonly string[];
}

const ANCHOR = /^[A-Za-z_][A-Za-z0-9._:-]{0,200}$/;

function identify(
  document: SchemaDocument,
  schema: JsonSchema,
  dialect: Dialect,
  outer: Resource | undefined,
  at: (keyword: string) => string,
): Identity {
  const anchors: string[] = [];
  const dynamicAnchors: string[] = [];
  const alone = dialect.refAlone && schema.$ref !== undefined;
  const name = (keyword: string): string | undefined => {
    const value = schema[keyword];
    if (value === undefined || alone) return undefined;
    if (typeof value === 'string') return value;
    throw new SchemaError(`${keyword} must be a string, got ${kindOf(value)}`, at(keyword));
  };
  const { uri, fragment } = resolveUri(name('$id') ?? '', outer?.uri ?? NO_BASE, () => at('$id'));
  if (fragment !== '') {
    if (!dialect.anchorById) throw new SchemaError(`$id ${quoted(schema.$id)} has a fragment: use $anchor`, at('$id'));
    anchors.push(fragment);
  }
  const resource = outer !== undefined && uri === outer.uri ? outer : makeResource(document, uri, at);
  if (dialect.anchorById) return { resource, anchors, dynamicAnchors };

  for (const keyword of ['$anchor', '$dynamicAnchor'] as const) {
    const value = name(keyword);
    if (value === undefined || (keyword === '$dynamicAnchor' && dialect.dynamicRef !== '$dynamicRef')) continue;
    if (!ANCHOR.test(value)) throw new SchemaError(`${keyword} ${quoted(value)} is not a name`, at(keyword));
    anchors.push(value);
    if (keyword === '$dynamicAnchor') dynamicAnchors.push(value);
  }
  if (dialect.dynamicRef === '$recursiveRef' && schema.$recursiveAnchor === true && resource.root === undefined)
    resource.recursive = true;
  return { resource, anchors, dynamicAnchors };
}

function makeResource(document: SchemaDocument, uri: string, at: (keyword: string) => string): Resource {
  if (document.resources.has(uri)) throw new SchemaError(`Two schemas have the $id ${quoted(uri)}`, at('$id'));
  const resource: Resource = { uri, root: undefined, anchors: new Map(), dynamicAnchors: new Map(), recursive: false };
  document.resources.set(uri, resource);
  return resource;
}

function anchor(anchors: Map<string, SchemaNode>, name: string, node: SchemaNode): void {
  const known = anchors.get(name);
  if (known !== undefined && known.schema !== node.schema)
    throw new SchemaError(`Two schemas have the anchor ${quoted(name)}`, locate(node));
  anchors.set(name, node);
}

function growChildren(document: SchemaDocument, node: SchemaNode, schema: JsonSchema): void {
  const keywords = Object.keys(schema);
  spend(document.budget, 10 + keywords.length);
  for (const keyword of keywords) {
    const value = schema[keyword];
    if (value === undefined) continue;
    if (keyword === node.dialect.dynamicRef) document.dynamic = true;
    const shape = node.dialect.subschemas.get(keyword);
    if (shape === undefined) continue;
    const grown = tolerateFault(document, () => growKeyword(document, node, keyword, shape, value));
    if (grown === undefined) node.faulty = true;
  }
}

function growKeyword(document: SchemaDocument, node: SchemaNode, keyword: string, shape: Shape, value: unknown): true {
  const add = (schema: unknown, key: string): void => {
    node.children.set(
      key,
      tolerateFault(document, () => addSchema(document, schema, node, key)) ?? stub(document, node, key),
    );
  };
  if (shape === 'one' || (shape === 'oneOrList' && !Array.isArray(value))) {
    add(value, keyword);
    return true;
  }
  if (shape === 'list' || shape === 'oneOrList') {
    if (!Array.isArray(value))
      throw new SchemaError(`${keyword} must be an array of schemas, got ${kindOf(value)}`, locate(node, keyword));
    value.forEach((schema, index) => add(schema, `${keyword}/${index}`));
    return true;
  }
  if (!isObject(value))
    throw new SchemaError(`${keyword} must be an object of schemas, got ${kindOf(value)}`, locate(node, keyword));
  for (const name of Object.keys(value)) {
    const schema = value[name];
    if (schema !== undefined && !(shape === 'names' && Array.isArray(schema))) add(schema, `${keyword}/${name}`);
  }
  return true;
}

/** The replacement for an invalid subschema. */
function stub(document: SchemaDocument, parent: SchemaNode, key: string): SchemaNode {
  const node = addSchema(document, true, parent, key);
  node.faulty = true;
  return node;
}
