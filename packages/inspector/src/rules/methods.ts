import { featuresOf, METHODS, methodOf as methodIn, type Needs, REVISIONS } from 'tenon/internal';
import type { Side } from '../trace/line.ts';
import type { Revision } from './revisions.ts';

/** A method of the protocol, or of an official extension. */
interface Row {
  readonly from: Side | 'both';
  readonly revisions: readonly Revision[];
  /** The capability that is required of the receiver of a request, or of the sender of a notification. */
  readonly needs?: string;
}

/** Capabilities that are not in the SDK's table, because its servers and clients do not look them up by method. */
const MORE_NEEDS: ReadonlyMap<string, Needs | `${string}.listChanged` | 'sampling' | 'roots' | 'elicitation'> = new Map(
  [
    ['sampling/createMessage', 'sampling'],
    ['roots/list', 'roots'],
    ['elicitation/create', 'elicitation'],
    ['notifications/message', 'logging'],
    ['notifications/tools/list_changed', 'tools.listChanged'],
    ['notifications/prompts/list_changed', 'prompts.listChanged'],
    ['notifications/resources/list_changed', 'resources.listChanged'],
    ['notifications/resources/updated', 'resources.subscribe'],
    ['notifications/roots/list_changed', 'roots.listChanged'],
  ],
);

const ROWS: ReadonlyMap<string, Row> = new Map(
  METHODS.map(([name, from, , needs]) => [
    name,
    {
      from,
      revisions: REVISIONS.filter((revision) => methodIn(revision, name) !== undefined),
      needs: MORE_NEEDS.get(name) ?? needs,
    },
  ]),
);

type Kind = 'request' | 'notification';

/** The facts about a method. Undefined if it is in no revision: it may belong to an extension. */
export function methodOf(kind: Kind, method: string): Row | undefined {
  return method.startsWith('notifications/') === (kind === 'notification') ? ROWS.get(method) : undefined;
}

/** The capability that a message needs. Undefined: none. */
export function needOf(kind: Kind, method: string, revision: Revision): string | undefined {
  // Revisions without this capability still have completions.
  if (method === 'completion/complete' && !featuresOf(revision).completionsCapability) return undefined;
  const needs = methodOf(kind, method)?.needs;
  // If tasks are an extension, they are not declared as a capability.
  return needs === 'tasks' && featuresOf(revision).extensions ? undefined : needs;
}

/** Returns whether a revision has the method. True for methods that are in no revision, because they may belong to extensions. */
export function isOf(kind: Kind, method: string, revision: Revision): boolean {
  return methodOf(kind, method)?.revisions.includes(revision) ?? true;
}

/** Requests that wait for a user, a model, or an event: they may take any time. */
export const PATIENT: ReadonlySet<string> = new Set([
  'subscriptions/listen',
  'elicitation/create',
  'sampling/createMessage',
  'tasks/result',
]);

/** Returns whether a capability is declared. `tools.listChanged` needs both members. */
export function declares(capabilities: Readonly<Record<string, unknown>>, need: string): boolean {
  let at: unknown = capabilities;
  for (const name of need.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return false;
    at = (at as Record<string, unknown>)[name];
  }
  return at !== undefined && at !== null && at !== false;
}
