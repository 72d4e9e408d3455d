import type { Side } from '../trace/line.ts';
import type { Revision } from './revisions.ts';

/** A method of the protocol, or of an extension that is official. */
interface Row {
  readonly from: Side | 'both';
  /** The first and the last revision that has it. */
  readonly since: Revision;
  readonly until: Revision;
  /** The capability of the server, or of the client for what servers ask, without which it does not exist. */
  readonly needs?: string;
}

const ALL = { since: '2024-11-05', until: '2026-07-28' } as const;
const LEGACY = { since: '2024-11-05', until: '2025-11-25' } as const;
const MODERN = { since: '2026-07-28', until: '2026-07-28' } as const;
const TASKS = { since: '2025-11-25', until: '2026-07-28' } as const;

const REQUESTS: ReadonlyMap<string, Row> = new Map<string, Row>([
  ['initialize', { from: 'client', ...LEGACY }],
  ['ping', { from: 'both', ...LEGACY }],
  ['server/discover', { from: 'client', ...MODERN }],
  ['tools/list', { from: 'client', ...ALL, needs: 'tools' }],
  ['tools/call', { from: 'client', ...ALL, needs: 'tools' }],
  ['resources/list', { from: 'client', ...ALL, needs: 'resources' }],
  ['resources/templates/list', { from: 'client', ...ALL, needs: 'resources' }],
  ['resources/read', { from: 'client', ...ALL, needs: 'resources' }],
  ['resources/subscribe', { from: 'client', ...LEGACY, needs: 'resources.subscribe' }],
  ['resources/unsubscribe', { from: 'client', ...LEGACY, needs: 'resources.subscribe' }],
  ['prompts/list', { from: 'client', ...ALL, needs: 'prompts' }],
  ['prompts/get', { from: 'client', ...ALL, needs: 'prompts' }],
  ['completion/complete', { from: 'client', ...ALL, needs: 'completions' }],
  ['logging/setLevel', { from: 'client', ...LEGACY, needs: 'logging' }],
  ['subscriptions/listen', { from: 'client', ...MODERN }],
  ['sampling/createMessage', { from: 'server', ...LEGACY, needs: 'sampling' }],
  ['roots/list', { from: 'server', ...LEGACY, needs: 'roots' }],
  ['elicitation/create', { from: 'server', since: '2025-06-18', until: '2025-11-25', needs: 'elicitation' }],
  ['tasks/get', { from: 'both', ...TASKS }],
  ['tasks/result', { from: 'both', since: '2025-11-25', until: '2025-11-25' }],
  ['tasks/list', { from: 'both', since: '2025-11-25', until: '2025-11-25' }],
  ['tasks/cancel', { from: 'both', ...TASKS }],
  ['tasks/update', { from: 'client', ...MODERN }],
]);

const NOTIFICATIONS: ReadonlyMap<string, Row> = new Map<string, Row>([
  ['notifications/initialized', { from: 'client', ...LEGACY }],
  ['notifications/cancelled', { from: 'both', ...ALL }],
  ['notifications/progress', { from: 'both', ...ALL }],
  ['notifications/message', { from: 'server', ...ALL, needs: 'logging' }],
  ['notifications/tools/list_changed', { from: 'server', ...ALL, needs: 'tools.listChanged' }],
  ['notifications/prompts/list_changed', { from: 'server', ...ALL, needs: 'prompts.listChanged' }],
  ['notifications/resources/list_changed', { from: 'server', ...ALL, needs: 'resources.listChanged' }],
  ['notifications/resources/updated', { from: 'server', ...ALL, needs: 'resources.subscribe' }],
  ['notifications/roots/list_changed', { from: 'client', ...LEGACY, needs: 'roots.listChanged' }],
  ['notifications/elicitation/complete', { from: 'server', since: '2025-11-25', until: '2025-11-25' }],
  ['notifications/tasks/status', { from: 'both', since: '2025-11-25', until: '2025-11-25' }],
  ['notifications/tasks', { from: 'server', ...MODERN }],
  ['notifications/subscriptions/acknowledged', { from: 'server', ...MODERN }],
]);

/** What is known of a method; undefined for one of nobody here: of an extension, perhaps. */
export const methodOf = (kind: 'request' | 'notification', method: string): Row | undefined =>
  (kind === 'request' ? REQUESTS : NOTIFICATIONS).get(method);

/** The capability a message needs; undefined: none. */
export const needOf = (kind: 'request' | 'notification', method: string, revision: Revision): string | undefined => {
  // 2024-11-05 has completion, but no capability to declare it by.
  if (method === 'completion/complete' && revision === '2024-11-05') return undefined;
  return methodOf(kind, method)?.needs;
};

/** Does a revision have the method? True for methods that no revision has: those are of extensions. */
export const isOf = (kind: 'request' | 'notification', method: string, revision: Revision): boolean => {
  const row = methodOf(kind, method);
  return row === undefined || (row.since <= revision && revision <= row.until);
};

/** Requests that wait for a person, for a model, or for something to happen: they may take any time. */
export const PATIENT: ReadonlySet<string> = new Set([
  'subscriptions/listen',
  'elicitation/create',
  'sampling/createMessage',
  'tasks/result',
]);

/** Requests that may be answered with questions (2026-07-28). */
export const ASKING: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** What a server may ask: by itself up to 2025-11-25, in the answer to a request since then. */
export const QUESTIONS: ReadonlySet<string> = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list']);

/** Is a capability declared? `tools.listChanged` needs both names on the way. */
export const declares = (capabilities: Readonly<Record<string, unknown>>, need: string): boolean => {
  let at: unknown = capabilities;
  for (const name of need.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return false;
    at = (at as Record<string, unknown>)[name];
  }
  return at !== undefined && at !== null && at !== false;
};
