import {
  LIST_KINDS,
  type ListKind,
  type ListView,
  type PushEvent,
  type ServerView,
  type StateView,
} from '../api/views.ts';
import type { Finding } from '../rules/finding.ts';
import { type TraceSource, type Workbench, WorkbenchError } from './contract.ts';
import type { Facts } from '../trace/facts.ts';
import { elementTexts, valueTextAt } from '../values/json-text.ts';
import { doctorSteps } from './doctor.ts';
import { judgeTrace } from './judge-trace.ts';
import { LISTS, tokensOf } from './lists.ts';

function refuse(): never {
  throw new WorkbenchError(
    'read-only',
    'This trace is only looked at: nothing is connected',
    'Start tenon inspect with a server.',
  );
}

/** The last pages of a list that a session received. */
function pagesOf(trace: TraceSource, session: string, method: string): readonly Facts[] {
  const answers = trace.index.all.filter(
    (facts) =>
      facts.session === session &&
      facts.from === 'server' &&
      facts.message === 'response' &&
      facts.method === method &&
      facts.outcome === 'ok',
  );
  // Reading a list again starts with a request without a cursor.
  const first = answers.findLastIndex(({ pair }) => {
    const [asked] = pair === undefined ? [] : trace.read(pair, pair);
    return asked !== undefined && valueTextAt(asked.text, '/params/cursor') === undefined;
  });
  return answers.slice(Math.max(0, first));
}

function entriesOf(trace: TraceSource, session: string, kind: ListKind): readonly string[] {
  return pagesOf(trace, session, LISTS[kind].method).flatMap(({ n }) => {
    const [line] = trace.read(n, n);
    return elementTexts(valueTextAt(line?.text ?? '', `/result/${LISTS[kind].key}`) ?? '[]') ?? [];
  });
}

function listsOf(trace: TraceSource, session: string): ListView[] {
  return LIST_KINDS.flatMap((kind) => {
    const pages = pagesOf(trace, session, LISTS[kind].method);
    if (pages.length === 0) return [];
    const entries = entriesOf(trace, session, kind);
    return [
      {
        kind,
        count: entries.length,
        ms: pages.reduce((sum, { ms = 0 }) => sum + ms, 0),
        bytes: pages.reduce((sum, { size }) => sum + size, 0),
        tokens: tokensOf(entries.reduce((sum, entry) => sum + entry.length, 0)),
      },
    ];
  });
}

/** The sessions of a trace, as servers that have ended. */
function serversOf(trace: TraceSource): ServerView[] {
  return trace.index.all
    .filter(({ kind }) => kind === 'session')
    .flatMap(({ n, session }) => {
      const about = trace.read(n, n)[0]?.about;
      if (about === undefined) return [];
      const transport = about.transport === 'http' || about.transport === 'sse' ? 'http' : 'stdio';
      return [
        {
          id: session.replaceAll(/[^\w.-]/g, '-'),
          name: about.name,
          transport,
          target: about.target,
          status: 'closed' as const,
          session,
          doctor: doctorSteps({
            store: trace,
            session,
            transport,
            status: 'closed',
            lists: [],
            listsDone: false,
          }).filter(({ status }) => status !== 'running' && status !== 'skip'),
          lists: listsOf(trace, session),
          generation: 1,
          watched: [],
        },
      ];
    });
}

/** A recorded trace, as a workbench. `indexed`: resolves when all of it has been read. */
export function createReader(trace: TraceSource, by: string, indexed: Promise<unknown>): Workbench {
  const listeners = new Set<(event: PushEvent) => void>();
  let findings: readonly Finding[] = [];
  let closed = false;
  let servers: ServerView[] = [];

  const state = (): StateView => ({
    by,
    trace: { file: trace.file, began: trace.head.began, length: trace.index.length },
    servers,
    inbox: [],
    script: '',
    findings,
    auth: [],
    readOnly: true,
  });
  const tell = (): void => {
    for (const listener of listeners) listener({ type: 'state', state: state() });
  };

  const judge = async (): Promise<void> => {
    await indexed;
    servers = serversOf(trace);
    tell();
    ({ findings } = await judgeTrace(trace, { goesOn: () => !closed }));
    tell();
  };
  void judge().catch(() => tell());

  return {
    trace,
    state,
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    connect: async () => refuse(),
    disconnect: async () => refuse(),
    list(id, kind) {
      const session = servers.find((server) => server.id === id)?.session;
      if (session === undefined) throw new WorkbenchError('unknown-server', `There is no session ${id} in this trace`);
      return { generation: 1, entries: entriesOf(trace, session, kind) };
    },
    refresh: async () => refuse(),
    request: async () => refuse(),
    answerTo: () => refuse(),
    cancel: () => refuse(),
    frame: async () => refuse(),
    complete: async () => refuse(),
    readApp: async () => refuse(),
    watchResource: async () => refuse(),
    setLogLevel: async () => refuse(),
    setRoots: async () => refuse(),
    inbox: () => [],
    answer: () => refuse(),
    setScript: () => refuse(),
    auth: () => refuse(),
    setPausing: () => refuse(),
    release: () => refuse(),
    login: async () => refuse(),
    forgetLogin: async () => refuse(),
    check: async () => refuse(),
    saveTest: async () => refuse(),
    addTargets: async () => refuse(),
    changeLaunch: async () => refuse(),
    setViewers() {},
    close: async () => void (closed = true),
  };
}
