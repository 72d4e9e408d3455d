import { type Era, featuresOf, type Revision, REVISIONS } from './revision.ts';

/** Who sends a message. In the modern era a server's requests travel only inside `input_required` results. */
export type Side = 'client' | 'server' | 'both';

/** A capability of a server, or a part of one. */
export type Needs = 'tools' | 'resources' | 'resources.subscribe' | 'prompts' | 'completions' | 'logging' | 'tasks';

/** The revisions that have a method: all, those of one era, or those listed. */
type Revisions = 'all' | Era | readonly Revision[];

/** A method in one revision. */
export interface MethodRow {
  /** The server capability without which the method does not exist. */
  readonly needs: Needs | undefined;
}

const ELICITING: readonly Revision[] = ['2025-06-18', '2025-11-25'];
/** In 2025-11-25 a part of the core, in 2026-07-28 an extension, which has other methods. */
const WITH_TASKS: readonly Revision[] = ['2025-11-25', '2026-07-28'];

/** Every method of the core protocol and of tasks: its name, who sends it, the revisions that have it, and what it needs. */
export const METHODS: readonly (readonly [name: string, from: Side, revisions: Revisions, needs?: Needs])[] = [
  ['initialize', 'client', 'legacy'],
  ['ping', 'both', 'legacy'],
  ['server/discover', 'client', 'modern'],
  ['tools/list', 'client', 'all', 'tools'],
  ['tools/call', 'client', 'all', 'tools'],
  ['resources/list', 'client', 'all', 'resources'],
  ['resources/templates/list', 'client', 'all', 'resources'],
  ['resources/read', 'client', 'all', 'resources'],
  ['resources/subscribe', 'client', 'legacy', 'resources.subscribe'],
  ['resources/unsubscribe', 'client', 'legacy', 'resources.subscribe'],
  ['prompts/list', 'client', 'all', 'prompts'],
  ['prompts/get', 'client', 'all', 'prompts'],
  ['completion/complete', 'client', 'all', 'completions'],
  ['logging/setLevel', 'client', 'legacy', 'logging'],
  ['subscriptions/listen', 'client', 'modern'],
  ['tasks/get', 'both', WITH_TASKS, 'tasks'],
  ['tasks/cancel', 'both', WITH_TASKS, 'tasks'],
  ['tasks/result', 'both', ['2025-11-25'], 'tasks'],
  ['tasks/list', 'both', ['2025-11-25'], 'tasks'],
  ['tasks/update', 'client', 'modern', 'tasks'],
  ['sampling/createMessage', 'server', 'legacy'],
  ['roots/list', 'server', 'legacy'],
  ['elicitation/create', 'server', ELICITING],
  ['notifications/initialized', 'client', 'legacy'],
  ['notifications/cancelled', 'both', 'all'],
  ['notifications/progress', 'both', 'all'],
  ['notifications/message', 'server', 'all'],
  ['notifications/tools/list_changed', 'server', 'all'],
  ['notifications/prompts/list_changed', 'server', 'all'],
  ['notifications/resources/list_changed', 'server', 'all'],
  ['notifications/resources/updated', 'server', 'all'],
  ['notifications/roots/list_changed', 'client', 'legacy'],
  ['notifications/elicitation/complete', 'server', ['2025-11-25']],
  ['notifications/subscriptions/acknowledged', 'server', 'modern'],
  ['notifications/tasks/status', 'both', ['2025-11-25']],
  ['notifications/tasks', 'server', 'modern'],
];

/** The names of all methods and notifications of the protocol. */
export const METHOD_NAMES: ReadonlySet<string> = /* @__PURE__ */ new Set(METHODS.map(([name]) => name));

function isIn(revisions: Revisions, revision: Revision): boolean {
  return revisions === 'all' || revisions === featuresOf(revision).era || revisions.includes(revision);
}

const BY_REVISION: ReadonlyMap<Revision, ReadonlyMap<string, MethodRow>> = new Map(
  REVISIONS.map((revision) => [
    revision,
    new Map(METHODS.flatMap(([name, , revisions, needs]) => (isIn(revisions, revision) ? [[name, { needs }]] : []))),
  ]),
);

/** The row of a method in a revision; undefined if the revision does not have it. */
export function methodOf(revision: Revision, method: string): MethodRow | undefined {
  return BY_REVISION.get(revision)!.get(method);
}

/** Requests that a server may put into an `input_required` result, or, as a legacy server, sends directly. */
export const INPUT_METHODS: ReadonlySet<string> = new Set([
  'elicitation/create',
  'sampling/createMessage',
  'roots/list',
]);

/** Requests whose answer may be `input_required` (modern era). */
export const ASKING_METHODS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** Methods that exist only in revisions whose requests carry their metadata. */
export const MODERN_ONLY: ReadonlySet<string> = new Set(
  METHODS.filter(([, , revisions]) => revisions === 'modern').map(([name]) => name),
);
