import { shown } from '../protocol/text.ts';

/** A name or value of a schema for a message: as JSON, shortened, without control characters. */
export function quoted(value: unknown): string {
  // A long string is shortened before it is encoded; of other large values only the kind is named.
  if (typeof value === 'string')
    return shown(JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value), 200);
  if (typeof value !== 'object' || value === null) return String(value);
  return Array.isArray(value) ? 'a given array' : 'a given object';
}

/** The kind of a value with its article: `a string`, `null`, `an array`. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return `a ${typeof value}`;
}
