import { type Era, featuresOf, type Revision, REVISIONS } from './revision.ts';

/** Who sends a message. In the modern era a server's requests travel only inside `input_required` results. */
export type Side = 'client' | 'server' | 'both';

/** A capability of a server, or a part of one. */
export type Needs = 'tools' | 'resources' | 'resources.subscribe' | 'prompts' | 'completions' | 'logging';

interface Row {
  readonly from: Side;
  readonly kind: 'request' | 'notification';
  /** Revisions that have it: all, those of one era, or these. */
  readonly in: 'all' | Era | readonly Revision[];
  /** The server capability without which the method does not exist. */
  readonly needs?: Needs;
}

const ELICITING: readonly Revision[] = ['2025-06-18', '2025-11-25'];

/** Every method of the core protocol. Extensions and tasks bring their own. */
const TABLE: readonly (readonly [string, Row])[] = [
  ['initialize', { from: 'client', kind: 'request', in: 'legacy' }],
  ['ping', { from: 'both', kind: 'request', in: 'legacy' }],
  ['server/discover', { from: 'client', kind: 'request', in: 'modern' }],
  ['tools/list', { from: 'client', kind: 'request', in: 'all', needs: 'tools' }],
  ['tools/call', { from: 'client', kind: 'request', in: 'all', needs: 'tools' }],
  ['resources/list', { from: 'client', kind: 'request', in: 'all', needs: 'resources' }],
  ['resources/templates/list', { from: 'client', kind: 'request', in: 'all', needs: 'resources' }],
  ['resources/read', { from: 'client', kind: 'request', in: 'all', needs: 'resources' }],
  ['resources/subscribe', { from: 'client', kind: 'request', in: 'legacy', needs: 'resources.subscribe' }],
  ['resources/unsubscribe', { from: 'client', kind: 'request', in: 'legacy', needs: 'resources.subscribe' }],
  ['prompts/list', { from: 'client', kind: 'request', in: 'all', needs: 'prompts' }],
  ['prompts/get', { from: 'client', kind: 'request', in: 'all', needs: 'prompts' }],
  ['completion/complete', { from: 'client', kind: 'request', in: 'all', needs: 'completions' }],
  ['logging/setLevel', { from: 'client', kind: 'request', in: 'legacy', needs: 'logging' }],
  ['subscriptions/listen', { from: 'client', kind: 'request', in: 'modern' }],
  ['sampling/createMessage', { from: 'server', kind: 'request', in: 'legacy' }],
  ['roots/list', { from: 'server', kind: 'request', in: 'legacy' }],
  ['elicitation/create', { from: 'server', kind: 'request', in: ELICITING }],
  ['notifications/initialized', { from: 'client', kind: 'notification', in: 'legacy' }],
  ['notifications/cancelled', { from: 'both', kind: 'notification', in: 'all' }],
  ['notifications/progress', { from: 'both', kind: 'notification', in: 'all' }],
  ['notifications/message', { from: 'server', kind: 'notification', in: 'all' }],
  ['notifications/tools/list_changed', { from: 'server', kind: 'notification', in: 'all' }],
  ['notifications/prompts/list_changed', { from: 'server', kind: 'notification', in: 'all' }],
  ['notifications/resources/list_changed', { from: 'server', kind: 'notification', in: 'all' }],
  ['notifications/resources/updated', { from: 'server', kind: 'notification', in: 'all' }],
  ['notifications/roots/list_changed', { from: 'client', kind: 'notification', in: 'legacy' }],
  ['notifications/elicitation/complete', { from: 'server', kind: 'notification', in: ['2025-11-25'] }],
  ['notifications/subscriptions/acknowledged', { from: 'server', kind: 'notification', in: 'modern' }],
];

const has = (row: Row, revision: Revision): boolean =>
  row.in === 'all' || row.in === featuresOf(revision).era || (Array.isArray(row.in) && row.in.includes(revision));

const BY_REVISION: ReadonlyMap<Revision, ReadonlyMap<string, Row>> = new Map(
  REVISIONS.map((revision) => [revision, new Map(TABLE.filter(([, row]) => has(row, revision)))]),
);

/** The row of a method in a revision; undefined where the revision does not have it. */
export const methodOf = (revision: Revision, method: string): Row | undefined => BY_REVISION.get(revision)!.get(method);

/** Requests that a server may put into an `input_required` result, and those a legacy server sends as they are. */
export const INPUT_METHODS: ReadonlySet<string> = new Set([
  'elicitation/create',
  'sampling/createMessage',
  'roots/list',
]);

/** Requests whose answer may be `input_required` (modern era). */
export const ASKING_METHODS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** Requests whose complete results carry `ttlMs` and `cacheScope` (modern era). */
export const CACHEABLE_METHODS: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'prompts/list',
  'resources/read',
]);

/** Methods that exist only where requests carry their metadata. */
export const MODERN_ONLY: ReadonlySet<string> = new Set(
  TABLE.filter(([, row]) => row.in === 'modern').map(([name]) => name),
);
