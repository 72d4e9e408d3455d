import { shown } from '../protocol/text.ts';

/** A name or value of a schema in a message: as JSON, short, without control characters. */
export const quoted = (value: unknown): string => {
  // A long string is cut before it is encoded, and anything else is only named by its kind when it is large.
  if (typeof value === 'string')
    return shown(JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value), 200);
  if (typeof value !== 'object' || value === null) return String(value);
  return Array.isArray(value) ? 'a given array' : 'a given object';
};

/** The kind of a value with its article: `a string`, `null`, `an array`. */
export const kindOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return `a ${typeof value}`;
};
