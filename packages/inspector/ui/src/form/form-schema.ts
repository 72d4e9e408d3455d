import { withoutUndefined } from '@tenon/values/without-undefined';
import { numberText, plain } from '../json/exact.ts';

// Translates the schema of a server for the form library, which supports draft 7 and only shows typed values: keywords of 2020-12
// are rewritten. Values are validated against the schema of the server, never against this one.

export type FormNode = Record<string, unknown>;

/** Marks the branches of `anyOf` and `oneOf`, which have no heading of their own. */
export const OPTION = 'x-option';

/** The largest schema shown as a form; larger ones are edited as JSON. */
const MAX_NODES = 5_000;

/** The schema can't be shown as a form. */
export class NoFormError extends Error {
  override readonly name = 'NoFormError';
}

/** Keywords whose values are schemas. */
const SINGLE = ['items', 'additionalItems', 'additionalProperties', 'if', 'then', 'else', 'not', 'contains'];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
/** Keywords whose values are data, in which exact numbers stay. */
const DATA = new Set(['default', 'const', 'enum', 'examples']);
/** Keywords that would make the library lock a field, ask for a file, or omit a value, which a testing tool must not do. */
const DROPPED = new Set(['readOnly', 'writeOnly', 'uniqueItems', '$schema']);

export function isNode(value: unknown): value is FormNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asMap(value: unknown): FormNode {
  return isNode(value) ? value : {};
}

/** Returns an example value for a schema, or undefined if none can be made. */
export type Sample = (schema: unknown) => unknown;

interface Work {
  nodes: number;
  readonly sample: Sample;
}

/** The schema for the form. `sample` provides the values of new rows and newly selected choices. Throws a `NoFormError`. */
export function formSchemaOf(schema: unknown, sample: Sample): FormNode {
  if (!isNode(schema)) throw new NoFormError('The schema is not an object');
  return nodeOf(schema, { nodes: 0, sample });
}

/** Any value, shown as a JSON field. */
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
    // A property that accepts no value cannot be filled in.
    const some = Object.entries(value).filter(([, one]) => one !== false);
    return Object.fromEntries(some.map(([name, one]) => [name, nodeOf(one, work)]));
  }
  return plain(value);
}

/** Rewrites a tuple of 2020-12 as one of draft 7. */
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

/** Adds samples for new rows: items of an array, members of a map. */
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

/** The name of a choice. */
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

/** The library cannot offer a null branch, but it can offer a constant. */
function nothingChosen(option: FormNode): FormNode {
  return option['type'] === 'null' ? { const: null } : option;
}

/** Rewrites several types as branches. */
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

/** Rewrites a schema of the form in 2020-12 for the validator. `lead` rewrites its references. */
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
