import { withoutUndefined } from '@tenon/values/without-undefined';
import { numberText, plain } from '../json/exact.ts';

// What the form engine gets instead of the schema that a server wrote. The engine knows draft 7 and shows only what has a type; here the words
// of 2020-12 are said in its way. What is sent is checked against the schema of the server, never against this one.

export type FormNode = Record<string, unknown>;

/** Marks the choices of `anyOf` and `oneOf`: they have no heading of their own. */
export const OPTION = 'x-option';

/** Larger schemas are edited as JSON. */
const MAX_NODES = 5_000;

/** The schema can't be shown as a form. */
export class NoFormError extends Error {
  override readonly name = 'NoFormError';
}

/** Words whose values are schemas. */
const SINGLE = ['items', 'additionalItems', 'additionalProperties', 'if', 'then', 'else', 'not', 'contains'];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
/** Words whose values are data: exact numbers stay. */
const DATA = new Set(['default', 'const', 'enum', 'examples']);
/** Words that would make the engine do what a tool for testing must not: lock a field, take a file, leave a value out. */
const DROPPED = new Set(['readOnly', 'writeOnly', 'uniqueItems', '$schema']);

export function isNode(value: unknown): value is FormNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asMap(value: unknown): FormNode {
  return isNode(value) ? value : {};
}

/** Gives an example of what a schema allows; undefined where it has none. */
export type Sample = (schema: unknown) => unknown;

interface Work {
  nodes: number;
  readonly sample: Sample;
}

/** The schema for the form. `sample` fills rows that are added, and choices that are made. Throws a `NoFormError`. */
export function formSchemaOf(schema: unknown, sample: Sample): FormNode {
  if (!isNode(schema)) throw new NoFormError('The schema is no object');
  return nodeOf(schema, { nodes: 0, sample });
}

/** Any value: shown as a field of JSON. */
function anything(): FormNode {
  return { $comment: 'any value' };
}

function nodeOf(schema: unknown, work: Work): FormNode {
  work.nodes += 1;
  if (work.nodes > MAX_NODES) throw new NoFormError(`The schema has more than ${MAX_NODES} parts`);
  if (!isNode(schema)) return anything();
  const node: FormNode = {};
  for (const [word, value] of Object.entries(schema)) {
    if (DROPPED.has(word)) continue;
    node[word] = partOf(word, value, work);
  }
  if (node['format'] === 'data-url') delete node['format'];
  withTuple(node, work);
  withDependencies(node);
  withRows(node, work);
  withOptions(node, work);
  const split = withTypes(node);
  return Object.keys(split).length === 0 ? anything() : split;
}

function partOf(word: string, value: unknown, work: Work): unknown {
  if (DATA.has(word)) return value;
  if (SINGLE.includes(word)) return isNode(value) ? nodeOf(value, work) : value;
  if (LISTS.includes(word) && Array.isArray(value)) return value.map((one) => nodeOf(one, work));
  if (word === 'items' && Array.isArray(value)) return value.map((one) => nodeOf(one, work));
  if (MAPS.includes(word) && isNode(value)) {
    // A property that no value may have can't be filled in.
    const some = Object.entries(value).filter(([, one]) => one !== false);
    return Object.fromEntries(some.map(([name, one]) => [name, nodeOf(one, work)]));
  }
  return plain(value);
}

/** A tuple of 2020-12 in the words of draft 7. */
function withTuple(node: FormNode, work: Work): void {
  const first = node['prefixItems'];
  if (!Array.isArray(first)) return;
  const others = node['items'];
  node['additionalItems'] = others === undefined || others === true ? nodeOf({}, work) : others;
  node['items'] = first.map((item) => withSample(item as FormNode, work));
  node['type'] ??= 'array';
  delete node['prefixItems'];
}

function withDependencies(node: FormNode): void {
  const { dependentRequired, dependentSchemas } = node;
  if (!isNode(dependentRequired) && !isNode(dependentSchemas)) return;
  node['dependencies'] = {
    ...asMap(dependentRequired),
    ...asMap(dependentSchemas),
  };
  delete node['dependentRequired'];
  delete node['dependentSchemas'];
}

function withSample(node: FormNode, work: Work): FormNode {
  if (node['default'] !== undefined) return node;
  const sample = work.sample(node);
  return sample === undefined ? node : { ...node, default: sample };
}

/** What can be added: items of a list, members of a map. */
function withRows(node: FormNode, work: Work): void {
  if (node['type'] === 'array' && (node['items'] === undefined || node['items'] === true)) node['items'] = anything();
  if (isNode(node['items'])) node['items'] = withSample(node['items'], work);
  if (node['items'] === false) delete node['items'];
  const open =
    node['type'] === 'object' &&
    !isNode(node['properties']) &&
    node['patternProperties'] === undefined &&
    !combined(node);
  if (node['additionalProperties'] === true || (open && node['additionalProperties'] === undefined))
    node['additionalProperties'] = anything();
  if (isNode(node['additionalProperties']))
    node['additionalProperties'] = withSample(node['additionalProperties'], work);
}

function combined(node: FormNode): boolean {
  return ['allOf', 'anyOf', 'oneOf', '$ref', 'if'].some((word) => word in node);
}

/** What a choice is called. */
function nameOf(option: FormNode, at: number): string {
  if (typeof option['title'] === 'string') return option['title'];
  const ref = option['$ref'];
  if (typeof ref === 'string') return ref.split('/').at(-1) ?? ref;
  if ('const' in option) return numberText(option['const']) ?? JSON.stringify(option['const']);
  const fixed = Object.entries(asMap(option['properties'])).find(([, value]) => isNode(value) && 'const' in value);
  if (fixed !== undefined) return `${fixed[0]}: ${JSON.stringify((fixed[1] as FormNode)['const'])}`;
  const required = Array.isArray(option['required'])
    ? option['required'].filter((name) => typeof name === 'string')
    : [];
  if (required.length > 0) return `with ${required.slice(0, 3).join(', ')}`;
  return typeof option['type'] === 'string' ? option['type'] : `Choice ${at + 1}`;
}

function withOptions(node: FormNode, work: Work): void {
  for (const word of ['anyOf', 'oneOf']) {
    const options = node[word];
    if (!Array.isArray(options)) continue;
    node[word] = (options as FormNode[]).map((option, at) => ({
      ...nothingChosen('const' in option ? option : withSample(option, work)),
      title: nameOf(option, at),
      [OPTION]: true,
    }));
  }
}

/** The engine shows nothing for a choice that is null, so it could not be chosen: as a fixed value it can. */
function nothingChosen(option: FormNode): FormNode {
  return option['type'] === 'null' ? { const: null } : option;
}

/** Several types are choices. */
function withTypes(node: FormNode): FormNode {
  const types = node['type'];
  if (!Array.isArray(types)) return node;
  if (types.length === 1) return { ...node, type: types[0] as unknown };
  if ('enum' in node || 'const' in node || combined(node)) {
    const { type: _types, ...rest } = node;
    return rest;
  }
  const { type: _types, title, description, default: first, ...rest } = node;
  return {
    ...withoutUndefined({ title, description, default: first }),
    anyOf: types.map((type: unknown) => ({
      ...nothingChosen({ ...rest, type }),
      title: String(type),
      [OPTION]: true,
    })),
  };
}

/** A schema of the form in the words of 2020-12 again, its references led elsewhere: for the validator. */
export function inWords2020(value: unknown, lead: (ref: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => inWords2020(one, lead));
  if (!isNode(value)) return value;
  const node: FormNode = {};
  for (const [word, part] of Object.entries(value)) {
    if (word === '$ref' && typeof part === 'string') node[word] = lead(part);
    else node[word] = DATA.has(word) ? plain(part) : inWords2020(part, lead);
  }
  if (Array.isArray(node['items'])) {
    const { items, additionalItems, ...rest } = node;
    const tuple = { ...rest, prefixItems: items };
    return additionalItems === undefined ? tuple : { ...tuple, items: additionalItems };
  }
  return node;
}
