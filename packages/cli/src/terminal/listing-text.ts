import { isObject } from '@tenon/values/is-object';
import { oneLine } from './printable.ts';
import { table } from './table.ts';

type Entry = Readonly<Record<string, unknown>>;

const MAX_NAME_LENGTH = 200;
const MAX_ABOUT_LENGTH = 1_000;
const MAX_ARGUMENTS = 12;

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The title for people; empty without one. Up to 2025-03-26, only the annotations of tools have one. */
function titleOf({ title, annotations }: Entry): string {
  return text(title).trim() || text(isObject(annotations) ? annotations['title'] : undefined).trim();
}

/** The first line of a description that is not blank; without one, the title. */
function about(entry: Entry): string {
  const [first = ''] = text(entry['description'])
    .slice(0, MAX_ABOUT_LENGTH)
    .split('\n')
    .filter((line) => line.trim() !== '');
  return oneLine(first.trim() || titleOf(entry), MAX_ABOUT_LENGTH);
}

/** How many references lead from one schema to the next. */
const MAX_REFERENCES = 5;

/** The schema that a local reference names. */
function resolved(schema: unknown, root: Entry): unknown {
  let found = schema;
  for (let times = 0; times < MAX_REFERENCES && isObject(found) && typeof found['$ref'] === 'string'; times++) {
    const [, place, name = ''] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(found['$ref']) ?? [];
    const all: unknown = place === undefined ? undefined : root[place];
    found = isObject(all) ? all[name] : undefined;
  }
  return found;
}

/** The most alternatives that are written, and the depth of schemas in each other: a schema can refer to itself. */
const MAX_PARTS = 4;
const MAX_DEPTH = 4;

function shortType(given: unknown, root: Entry, depth = 0): string {
  const schema = depth > MAX_DEPTH ? undefined : resolved(given, root);
  if (!isObject(schema)) return 'any';
  const { type, enum: values, items, anyOf, oneOf } = schema;
  if (type === 'array') return `${shortType(items, root, depth + 1)}[]`;
  if (Array.isArray(type)) return oneLine(type.join('|'), 40);
  if (typeof type === 'string') return oneLine(type, 40);
  const parts = anyOf ?? oneOf;
  if (Array.isArray(parts) && parts.length > 0 && parts.length <= MAX_PARTS)
    return oneLine([...new Set(parts.flatMap((part) => shortType(part, root, depth + 1).split('|')))].join('|'), 60);
  return Array.isArray(values) ? 'enum' : 'any';
}

function inParentheses(parts: readonly string[]): string {
  const shown = parts.slice(0, MAX_ARGUMENTS);
  return `(${shown.join(', ')}${parts.length > shown.length ? ', …' : ''})`;
}

/** A tool's signature: `add(a: number, b?: number)`. */
function signature({ name, inputSchema }: Entry): string {
  const schema = isObject(inputSchema) ? inputSchema : {};
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const parts = properties.map(
    ([key, value]) => `${oneLine(key, 60)}${required.has(key) ? '' : '?'}: ${shortType(value, schema)}`,
  );
  return oneLine(text(name), MAX_NAME_LENGTH) + inParentheses(parts);
}

function promptSignature({ name, arguments: list }: Entry): string {
  const parts = (Array.isArray(list) ? list : [])
    .filter(isObject)
    .map((entry) => `${oneLine(text(entry['name']), 60)}${entry['required'] === true ? '' : '?'}`);
  return oneLine(text(name), MAX_NAME_LENGTH) + inParentheses(parts);
}

function place(address: unknown, entry: Entry): readonly [string, string] {
  const { name, mimeType } = entry;
  return [
    oneLine(text(address), MAX_NAME_LENGTH),
    [oneLine(titleOf(entry) || text(name), MAX_NAME_LENGTH), oneLine(text(mimeType), 60)]
      .filter((part) => part !== '')
      .join('  '),
  ];
}

const ROWS: ReadonlyMap<string, (entry: Entry) => readonly [string, string]> = new Map([
  ['tools', (entry: Entry) => [signature(entry), about(entry)] as const],
  ['resources', (entry: Entry) => place(entry['uri'], entry)],
  ['templates', (entry: Entry) => place(entry['uriTemplate'], entry)],
  ['prompts', (entry: Entry) => [promptSignature(entry), about(entry)] as const],
]);

/** The entries of one kind as a table, without a heading. */
export function listingText(kind: string, entries: readonly Entry[], columns: number): string {
  return table(entries.map(ROWS.get(kind)!), columns).join('\n');
}
