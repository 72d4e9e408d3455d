import type { AskedView, AuthView, InboxItem, PushEvent, ServerView, StateView } from '../../../src/api/views.ts';
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
export function runOf(state: StateView | undefined): string {
  return state === undefined ? '' : `${state.trace.began} ${state.trace.file}`;
}

export function progressKey(server: string, key: string): string {
  return `${server}\n${key}`;
}

/** The most requests whose progress is kept; the oldest is dropped first. */
const MAX_PROGRESS = 200;

function withProgress(
  before: ReadonlyMap<string, Progress>,
  event: Extract<PushEvent, { type: 'progress' }>,
): ReadonlyMap<string, Progress> {
  const after = new Map(before);
  const { server, key, progress, total, message } = event;
  after.set(progressKey(server, key), {
    progress,
    total,
    message,
  });
  for (const oldest of after.keys()) {
    if (after.size <= MAX_PROGRESS) break;
    after.delete(oldest);
  }
  return after;
}

function replaced<T>(all: readonly T[], next: T, same: (one: T) => boolean): readonly T[] {
  return all.some(same) ? all.map((one) => (same(one) ? next : one)) : [...all, next];
}

function changed(state: StateView, event: PushEvent): StateView {
  switch (event.type) {
    case 'server':
      return { ...state, servers: replaced(state.servers, event.server, ({ id }) => id === event.server.id) };
    case 'inbox':
      return { ...state, inbox: event.items };
    case 'script':
      return { ...state, script: event.text };
    case 'asked':
      return { ...state, asked: event.asked };
    case 'findings':
      return { ...state, findings: event.findings };
    case 'auth':
      return { ...state, auth: replaced(state.auth, event.auth, ({ server }) => server === event.auth.server) };
    default:
      return state;
  }
}

/** The model after an event. */
export function apply(before: Model, event: PushEvent): Model {
  if (event.type === 'state') {
    const progress = runOf(event.state) === runOf(before.state) ? before.progress : NO_PROGRESS;
    return { link: 'open', state: event.state, progress };
  }
  if (event.type === 'progress') return { ...before, progress: withProgress(before.progress, event) };
  if (before.state === undefined) return before;
  const state = changed(before.state, event);
  return state === before.state ? before : { ...before, state };
}

const NO_SERVERS: readonly ServerView[] = [];
const NO_FINDINGS: readonly Finding[] = [];
const NO_ITEMS: readonly InboxItem[] = [];
const NO_ASKED: readonly AskedView[] = [];
const NO_AUTH: readonly AuthView[] = [];

function servers({ state }: Model): readonly ServerView[] {
  return state?.servers ?? NO_SERVERS;
}
function findings({ state }: Model): readonly Finding[] {
  return state?.findings ?? NO_FINDINGS;
}
function inbox({ state }: Model): readonly InboxItem[] {
  return state?.inbox ?? NO_ITEMS;
}
function auth({ state }: Model): readonly AuthView[] {
  return state?.auth ?? NO_AUTH;
}
function asked({ state }: Model): readonly AskedView[] {
  return state?.asked ?? NO_ASKED;
}
function script({ state }: Model): string {
  return state?.script ?? '';
}
function link(value: Model): LinkStatus {
  return value.link;
}
function whole({ state }: Model): StateView | undefined {
  return state;
}
function run({ state }: Model): string {
  return runOf(state);
}
function readOnly({ state }: Model): boolean {
  return state?.readOnly ?? false;
}

export function useServers(): readonly ServerView[] {
  return useStore(model, servers);
}
export function useFindings(): readonly Finding[] {
  return useStore(model, findings);
}
export function useInbox(): readonly InboxItem[] {
  return useStore(model, inbox);
}
/** The scripted answers, a JSON text. */
export function useScript(): string {
  return useStore(model, script);
}
/** The status of a confirmation in the terminal. Undefined: it is not known. */
export function useAsked(id: string | undefined): AskedView['status'] | undefined {
  return useStore(model, asked).find((one) => one.id === id)?.status;
}
export function useAuth(): readonly AuthView[] {
  return useStore(model, auth);
}
export function useLink(): LinkStatus {
  return useStore(model, link);
}
export function useView(): StateView | undefined {
  return useStore(model, whole);
}
/** Identifies the run of the inspector that the page shows. */
export function useRun(): string {
  return useStore(model, run);
}
export function useReadOnly(): boolean {
  return useStore(model, readOnly);
}
export function useServer(id: string | undefined): ServerView | undefined {
  return useServers().find((server) => server.id === id);
}
export function useTraceLength(): number {
  return useStore(traceLength, (length) => length);
}
