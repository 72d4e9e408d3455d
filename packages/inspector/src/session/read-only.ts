import type { PushEvent, ServerView, StateView } from '../api/views.ts';
import { createDiagnosis } from '../rules/diagnosis.ts';
import { type TraceSource, type Workbench, WorkbenchError } from './contract.ts';
import { doctorSteps } from './doctor.ts';

const refuse = (): never => {
  throw new WorkbenchError(
    'read-only',
    'This trace is only looked at: nothing is connected',
    'Start tenon inspect with a server.',
  );
};

/** Lines that are read at a time, so that others get a turn. */
const SLICE = 2_000;

/** The sessions of a trace as servers that ended. */
const serversOf = (trace: TraceSource): ServerView[] =>
  trace.index.all
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
          lists: [],
          generation: 0,
          watched: [],
        },
      ];
    });

/** A trace that was recorded before, to look at. `indexed`: when all of it has been read. */
export const createReader = (trace: TraceSource, by: string, indexed: Promise<unknown>): Workbench => {
  const listeners = new Set<(event: PushEvent) => void>();
  const diagnosis = createDiagnosis();
  let closed = false;
  let servers: ServerView[] = [];

  const state = (): StateView => ({
    by,
    trace: { file: trace.file, began: trace.head.began, length: trace.index.length },
    servers,
    inbox: [],
    findings: diagnosis.findings,
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
    for (let from = 1; from <= trace.index.length && !closed; from += SLICE) {
      for (const line of trace.read(from, from + SLICE - 1)) {
        const facts = trace.index.at(line.n);
        if (facts !== undefined) diagnosis.see(line, facts, trace.index);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    diagnosis.end();
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
    list: () => refuse(),
    refresh: async () => refuse(),
    request: async () => refuse(),
    cancel: () => refuse(),
    frame: async () => refuse(),
    complete: async () => refuse(),
    watchResource: async () => refuse(),
    setLogLevel: async () => refuse(),
    setRoots: async () => refuse(),
    inbox: () => [],
    answer: () => refuse(),
    auth: () => refuse(),
    setPausing: () => refuse(),
    release: () => refuse(),
    login: async () => refuse(),
    forgetLogin: async () => refuse(),
    check: async () => refuse(),
    saveTest: async () => refuse(),
    addTargets: async () => refuse(),
    setViewers() {},
    close: async () => void (closed = true),
  };
};
