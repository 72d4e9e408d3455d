// Texts and helpers for sentences about the messages of a peer.

import { shown as shownText } from '@tenon/values/hidden';
import { isObject } from '@tenon/values/is-object';

export type Json = Readonly<Record<string, unknown>>;

/** The object itself, or an empty one. */
export function objectOf(value: unknown): Json {
  return isObject(value) ? value : NOTHING;
}
const NOTHING: Json = Object.freeze({});

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Text of a peer within a sentence: one line, no invisible characters, not too long. */
export function shown(text: string, most?: number): string {
  return shownText(text, most);
}

/** The same in quotation marks. */
export function quoted(value: unknown, most?: number): string {
  if (typeof value === 'string') return `"${shown(value, most)}"`;
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  if (isObject(value)) return 'an object';
  return String(value);
}

/** `a, b and 3 more`. */
export function listed(names: readonly string[], most = 5): string {
  const some = names.slice(0, most).map((name) => shown(name, 60));
  return names.length > most ? `${some.join(', ')} and ${names.length - most} more` : some.join(', ');
}

/** `850 ms`, `7.2 s`, `3 min`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 120_000 ? `${Math.round(ms / 100) / 10} s` : `${Math.round(ms / 60_000)} min`;
}

/** `1.4 MB`. */
export function bytes(count: number): string {
  return count < 1_000_000 ? `${Math.round(count / 1_000)} KB` : `${Math.round(count / 100_000) / 10} MB`;
}

/** A value as JSON. Undefined if it is nested too deeply to be serialized. */
export function written(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
