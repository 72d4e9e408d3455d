import type { AuthView, InboxItem, PushEvent, ServerView, StateView } from '../../../src/api/views.ts';
import type { Finding } from '../../../src/rules/finding.ts';
import { createStore, useStore } from './store.ts';

/** The connection of the page to the inspector. `locked`: the page has no cookie. `crowded`: too many pages are open. `lost`: the inspector does not answer. */
export type LinkStatus = 'starting' | 'locked' | 'open' | 'crowded' | 'lost';

export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** The state that all screens share. Changed only by `apply`. */
export interface Model {
  readonly link: LinkStatus;
  readonly state: StateView | undefined;
  /** By `progressKey`. */
  readonly progress: ReadonlyMap<string, Progress>;
}

const NO_PROGRESS: ReadonlyMap<string, Progress> = new Map();

export const model = createStore<Model>({ link: 'starting', state: undefined, progress: NO_PROGRESS });

/** The length of the trace. Not part of the model, because it changes many times a second. */
export const traceLength = createStore(0);

/** Identifies one run of the inspector: ids and line numbers of another run mean something else. */
export const runOf = (state: StateView | undefined): string =>
  state === undefined ? '' : `${state.trace.began} ${state.trace.file}`;

export const progressKey = (server: string, key: string): string => `${server}\n${key}`;

/** Progress of more requests is forgotten, oldest first. */
const MAX_PROGRESS = 200;

const withProgress = (
  before: ReadonlyMap<string, Progress>,
  event: Extract<PushEvent, { type: 'progress' }>,
): ReadonlyMap<string, Progress> => {
  const after = new Map(before);
  const { server, key, progress, total, message } = event;
  after.set(progressKey(server, key), {
    progress,
    ...(total === undefined ? {} : { total }),
    ...(message === undefined ? {} : { message }),
  });
  for (const oldest of after.keys()) {
    if (after.size <= MAX_PROGRESS) break;
    after.delete(oldest);
  }
  return after;
};

const replaced = <T>(all: readonly T[], next: T, same: (one: T) => boolean): readonly T[] =>
  all.some(same) ? all.map((one) => (same(one) ? next : one)) : [...all, next];

const changed = (state: StateView, event: PushEvent): StateView => {
  switch (event.type) {
    case 'server':
      return { ...state, servers: replaced(state.servers, event.server, ({ id }) => id === event.server.id) };
    case 'inbox':
      return { ...state, inbox: event.items };
    case 'script':
      return { ...state, script: event.text };
    case 'findings':
      return { ...state, findings: event.findings };
    case 'auth':
      return { ...state, auth: replaced(state.auth, event.auth, ({ server }) => server === event.auth.server) };
    default:
      return state;
  }
};

/** The model after an event. */
export const apply = (before: Model, event: PushEvent): Model => {
  if (event.type === 'state') {
    const progress = runOf(event.state) === runOf(before.state) ? before.progress : NO_PROGRESS;
    return { link: 'open', state: event.state, progress };
  }
  if (event.type === 'progress') return { ...before, progress: withProgress(before.progress, event) };
  if (before.state === undefined) return before;
  const state = changed(before.state, event);
  return state === before.state ? before : { ...before, state };
};

const NO_SERVERS: readonly ServerView[] = [];
const NO_FINDINGS: readonly Finding[] = [];
const NO_ITEMS: readonly InboxItem[] = [];
const NO_AUTH: readonly AuthView[] = [];

const servers = ({ state }: Model): readonly ServerView[] => state?.servers ?? NO_SERVERS;
const findings = ({ state }: Model): readonly Finding[] => state?.findings ?? NO_FINDINGS;
const inbox = ({ state }: Model): readonly InboxItem[] => state?.inbox ?? NO_ITEMS;
const auth = ({ state }: Model): readonly AuthView[] => state?.auth ?? NO_AUTH;
const script = ({ state }: Model): string => state?.script ?? '';
const link = (value: Model): LinkStatus => value.link;
const whole = ({ state }: Model): StateView | undefined => state;
const run = ({ state }: Model): string => runOf(state);
const readOnly = ({ state }: Model): boolean => state?.readOnly ?? false;

export const useServers = (): readonly ServerView[] => useStore(model, servers);
export const useFindings = (): readonly Finding[] => useStore(model, findings);
export const useInbox = (): readonly InboxItem[] => useStore(model, inbox);
/** The scripted answers, a text of JSON. */
export const useScript = (): string => useStore(model, script);
export const useAuth = (): readonly AuthView[] => useStore(model, auth);
export const useLink = (): LinkStatus => useStore(model, link);
export const useView = (): StateView | undefined => useStore(model, whole);
/** Which run of the inspector the page looks at. */
export const useRun = (): string => useStore(model, run);
export const useReadOnly = (): boolean => useStore(model, readOnly);
export const useServer = (id: string | undefined): ServerView | undefined =>
  useServers().find((server) => server.id === id);
export const useTraceLength = (): number => useStore(traceLength, (length) => length);
