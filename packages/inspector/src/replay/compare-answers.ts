import { isObject } from '@tenon/values/is-object';
import { readForComparing, shownValues } from './exact.ts';
import { matchesHidden } from './hidden-parts.ts';
import { isOpaque, type Translation } from './opaque.ts';

/** A difference between two answers. */
export interface Difference {
  /** Its path: `result.content[0].text`. Entries of a list are identified by name: `result.tools["add"]`. */
  readonly path: string;
  /** The value in the trace, as text. */
  readonly recorded: string;
  /** The value now, as text. */
  readonly now: string;
}

type Json = Readonly<Record<string, unknown>>;

const MAX_DIFFERENCES = 20;
const MAX_DEPTH = 200;
/** Names of times, in every spelling. */
const TIME = /(?:time|timestamp|date|At|_at|elapsed|duration|uptime|_ms|Ms)$/;
const NOT_TIME = /^(?:ttlMs|pollIntervalMs)$/;
const DATE_TIME = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?/g;
const UUID = /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi;

/** A text with the values replaced that change each time. */
function steady(text: string): string {
  return text.replace(DATE_TIME, '<time>').replace(UUID, '<uuid>');
}

/** The name of an entry of a list. */
function nameOf(entry: unknown): string | undefined {
  if (!isObject(entry)) return undefined;
  for (const key of ['name', 'uri', 'uriTemplate', 'taskId']) if (typeof entry[key] === 'string') return entry[key];
  return undefined;
}

/** The entries by name. Undefined if one has no name, or two have the same. */
function byName(list: readonly unknown[]): ReadonlyMap<string, unknown> | undefined {
  const found = new Map<string, unknown>();
  for (const entry of list) {
    const name = nameOf(entry);
    if (name === undefined || found.has(name)) return undefined;
    found.set(name, entry);
  }
  return found;
}

/**
 * Compares a recorded answer with the current one. Ignored are ids, `_meta`, the version of the server, dates and times, UUIDs,
 * what was redacted, the order of members and of named entries of a list, and values that a server generates (cursors, states, task ids) as long as
 * both have one; `translation` learns these. Every digit of a number counts.
 */
export function compareAnswers(recorded: string, now: string, method: string, translation: Translation): Difference[] {
  const found: Difference[] = [];
  const isList = method.endsWith('/list');

  const differ = (path: string, before: unknown, after: unknown): void => {
    if (found.length < MAX_DIFFERENCES) found.push({ path, ...shownValues(before, after) });
  };

  const members = (path: string, before: Json, after: Json, depth: number): void => {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      if (name === '_meta' || (depth === 0 && (name === 'id' || name === 'jsonrpc'))) continue;
      if (name === 'version' && path.endsWith('serverInfo')) continue;
      compare(path === '' ? name : `${path}.${name}`, member(before, name), member(after, name), name, depth + 1);
    }
  };

  const elements = (path: string, before: readonly unknown[], after: readonly unknown[], depth: number): void => {
    const [named, namedNow] = isList && depth === 2 ? [byName(before), byName(after)] : [];
    if (named !== undefined && namedNow !== undefined) {
      for (const name of new Set([...named.keys(), ...namedNow.keys()]))
        compare(`${path}[${JSON.stringify(name)}]`, named.get(name), namedNow.get(name), '', depth + 1);
      return;
    }
    for (let at = 0; at < Math.max(before.length, after.length); at++)
      compare(`${path}[${at}]`, before[at], after[at], '', depth + 1);
  };

  const compare = (path: string, before: unknown, after: unknown, name: string, depth: number): void => {
    if (before === after || found.length >= MAX_DIFFERENCES) return;
    if (depth > MAX_DEPTH) return differ(path, before, after);
    if (Array.isArray(before) && Array.isArray(after)) return elements(path, before, after, depth);
    if (isObject(before) && isObject(after)) return members(path, before, after, depth);
    if (typeof before === 'string' && typeof after === 'string') {
      if (isOpaque(name)) return translation.learn(name, before, after);
      if (steady(before) === steady(after)) return;
    }
    if (typeof before === 'string' && matchesHidden(before, after)) return;
    if (typeof before === 'number' && typeof after === 'number' && TIME.test(name) && !NOT_TIME.test(name)) return;
    differ(path, before, after);
  };

  compare('', readForComparing(recorded), readForComparing(now), '', 0);
  return found;
}

/** An own member, because a peer may name one `__proto__`. */
function member(value: Json, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
