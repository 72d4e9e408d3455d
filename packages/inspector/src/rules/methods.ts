import { featuresOf, METHODS, methodOf as methodIn, type Needs, REVISIONS } from 'tenon/internal';
import type { Side } from '../trace/line.ts';
import type { Revision } from './revisions.ts';

/** A method of the protocol, or of an official extension. */
interface Row {
  readonly from: Side | 'both';
  readonly revisions: readonly Revision[];
  /** The capability that a request needs of the side that it is sent to, and a notification of the side that sends it. */
  readonly needs?: string;
}

/** Capabilities that the table of the SDK leaves out, because neither its servers nor its clients look them up by method. */
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

/** What is known of a method; undefined for one that no revision has: of an extension, perhaps. */
export function methodOf(kind: Kind, method: string): Row | undefined {
  return method.startsWith('notifications/') === (kind === 'notification') ? ROWS.get(method) : undefined;
}

/** The capability that a message needs; undefined: none. */
export function needOf(kind: Kind, method: string, revision: Revision): string | undefined {
  // A revision without a capability for completions has them all the same.
  if (method === 'completion/complete' && !featuresOf(revision).completionsCapability) return undefined;
  const needs = methodOf(kind, method)?.needs;
  // Where tasks are an extension, they are declared as one.
  return needs === 'tasks' && featuresOf(revision).extensions ? undefined : needs;
}

/** Does a revision have the method? True for methods that no revision has: those are of extensions. */
export function isOf(kind: Kind, method: string, revision: Revision): boolean {
  return methodOf(kind, method)?.revisions.includes(revision) ?? true;
}

/** Requests that wait for a person, for a model, or for something to happen: they may take any time. */
export const PATIENT: ReadonlySet<string> = new Set([
  'subscriptions/listen',
  'elicitation/create',
  'sampling/createMessage',
  'tasks/result',
]);

/** Is a capability declared? `tools.listChanged` needs both names on the way. */
export function declares(capabilities: Readonly<Record<string, unknown>>, need: string): boolean {
  let at: unknown = capabilities;
  for (const name of need.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return false;
    at = (at as Record<string, unknown>)[name];
  }
  return at !== undefined && at !== null && at !== false;
}
