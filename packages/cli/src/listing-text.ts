import { isObject } from '@tenon/values/is-object';
import { oneLine } from './printable.ts';
import { table } from './table.ts';

type Entry = Readonly<Record<string, unknown>>;

const LONGEST_NAME = 200;
const LONGEST_ABOUT = 1_000;
const MOST_ARGUMENTS = 12;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The beginning of a description: its first line that says something. */
const about = ({ title, description }: Entry): string => {
  const [first = ''] = text(description)
    .slice(0, LONGEST_ABOUT)
    .split('\n')
    .filter((line) => line.trim() !== '');
  return oneLine(first.trim() || text(title));
};

const shortType = (schema: unknown): string => {
  if (!isObject(schema)) return 'any';
  const { type, enum: values, items } = schema;
  if (type === 'array') return `${shortType(items)}[]`;
  if (Array.isArray(type)) return oneLine(type.join('|'), 40);
  if (typeof type === 'string') return oneLine(type, 40);
  return Array.isArray(values) ? 'enum' : 'any';
};

const inParentheses = (parts: readonly string[]): string => {
  const shown = parts.slice(0, MOST_ARGUMENTS);
  return `(${shown.join(', ')}${parts.length > shown.length ? ', …' : ''})`;
};

/** A tool as its call looks: `add(a: number, b?: number)`. */
const signature = ({ name, inputSchema }: Entry): string => {
  const schema = isObject(inputSchema) ? inputSchema : {};
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const parts = properties.map(
    ([key, value]) => `${oneLine(key, 60)}${required.has(key) ? '' : '?'}: ${shortType(value)}`,
  );
  return oneLine(text(name), LONGEST_NAME) + inParentheses(parts);
};

const promptSignature = ({ name, arguments: list }: Entry): string => {
  const parts = (Array.isArray(list) ? list : [])
    .filter(isObject)
    .map((entry) => `${oneLine(text(entry['name']), 60)}${entry['required'] === true ? '' : '?'}`);
  return oneLine(text(name), LONGEST_NAME) + inParentheses(parts);
};

const place = (address: unknown, { name, mimeType }: Entry): readonly [string, string] => [
  oneLine(text(address), LONGEST_NAME),
  [oneLine(text(name), LONGEST_NAME), oneLine(text(mimeType), 60)].filter((part) => part !== '').join('  '),
];

const ROWS: ReadonlyMap<string, (entry: Entry) => readonly [string, string]> = new Map([
  ['tools', (entry: Entry) => [signature(entry), about(entry)] as const],
  ['resources', (entry: Entry) => place(entry['uri'], entry)],
  ['templates', (entry: Entry) => place(entry['uriTemplate'], entry)],
  ['prompts', (entry: Entry) => [promptSignature(entry), about(entry)] as const],
]);

/** The entries of one kind as a table, without a heading. */
export const listingText = (kind: string, entries: readonly Entry[], columns: number): string =>
  table(entries.map(ROWS.get(kind)!), columns).join('\n');
