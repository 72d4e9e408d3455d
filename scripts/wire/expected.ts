// Intended differences, such as fixed defects. All other differences fail.
import { readFileSync } from 'node:fs';
import type { Difference, Kind } from './difference.ts';

/** One entry of the file: a JSON list of these. */
export interface Expected {
  /** The name of the input; `*` stands for any text. */
  readonly input: string;
  /** Default: all of them. */
  readonly transports?: readonly string[];
  readonly revisions?: readonly string[];
  readonly kinds?: readonly Kind[];
  /** A part of the details, if not every difference of the input is intended. */
  readonly details?: string;
  readonly reason: string;
}

const MEMBERS = new Set(['input', 'transports', 'revisions', 'kinds', 'details', 'reason']);

/** Reads a file of expected differences. Throws for an invalid entry, or one without a reason. */
export function readExpected(file: string): Expected[] {
  const entries: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!Array.isArray(entries)) throw new TypeError(`${file} must be a JSON list`);
  for (const entry of entries as Partial<Expected>[]) {
    const unknown = Object.keys(entry).filter((name) => !MEMBERS.has(name));
    if (unknown.length > 0) throw new TypeError(`${file}: '${unknown.join(', ')}' is not a member of an entry`);
    if (typeof entry.input !== 'string' || typeof entry.reason !== 'string' || entry.reason === '')
      throw new TypeError(`${file}: every entry needs an \`input\` and a \`reason\`: ${JSON.stringify(entry)}`);
  }
  return entries as Expected[];
}

export function isExpected(difference: Difference, entry: Expected): boolean {
  const { input, transport, revision, kind, details } = difference;
  const pattern = entry.input.split('*').map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return (
    new RegExp(`^${pattern.join('.*')}$`, 's').test(input) &&
    (entry.transports?.includes(transport) ?? true) &&
    (entry.revisions?.includes(revision) ?? true) &&
    (entry.kinds?.includes(kind) ?? true) &&
    (entry.details === undefined || details.includes(entry.details))
  );
}
