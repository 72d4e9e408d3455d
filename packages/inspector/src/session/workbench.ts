import type { TokenStore } from 'tenon/auth';
import type { AskedView, AuthView, PushEvent, StateView, TargetAnswer } from '../api/views.ts';
import { createRedactor } from '../record/redact.ts';
import { createDiagnosis } from '../rules/diagnosis.ts';
import type { Finding } from '../rules/finding.ts';
import type { TraceStore } from '../trace/node/trace-store.ts';
import { type LoginFlow, createLoginFlow } from './login-flow.ts';
import type { CheckRow } from '../rules/finding.ts';
import { type Target, type Workbench, WorkbenchError } from './contract.ts';
import { everyRule } from './every-rule.ts';
import { changedLaunch } from './change-launch.ts';
import { createInbox } from './inbox.ts';
import { LiveServer } from './live.ts';
import type { LogLevel } from './log-level.ts';
import { readScript, type Script } from './script.ts';
import type { Shared } from './shared.ts';
import { secretsOf } from '../record/secrets.ts';

/** What a page wants of the person at the terminal: another server, or another way to start one. */
export type ConfirmReason = 'add' | 'change';

/** What a workbench is made of. */
export interface WorkbenchOptions extends Pick<Shared, 'timeoutMs'> {
  /** The trace that the sessions write. Closed with the workbench. */
  readonly store: TraceStore;
  /** The servers to begin with. None is connected at first. */
  readonly targets: readonly Target[];
  /** Name and version of this program. */
  readonly by: string;
  /** Where logins are kept. Default: in memory. */
  readonly tokens?: TokenStore;
  /** Servers are stopped this many milliseconds after the last page was closed. 0: never. Default 60,000. */
  readonly idleMs?: number;
  /**
   * Asks the person at the terminal whether servers that were typed into a page may be added, or started in another way. Without it only
   * addresses without headers can be added, because nothing is started for them.
   */
  readonly confirm?: (targets: readonly Target[], reason: ConfirmReason) => Promise<boolean>;
  /**
   * Reads what was typed or pasted. Throws an `Error` that says what is wrong with it, and in `fix` what to do about it. `leaveOut` is told
   * what of it cannot be used although the rest can: the page says so.
   */
  readonly readTargets?: (text: string, leaveOut: (what: string) => void) => Promise<readonly Target[]>;
  /** Checks a server. Default: nothing can be checked. */
  readonly check?: (
    target: Target,
    body: Parameters<Workbench['check']>[0],
    signal: AbortSignal,
  ) => Promise<readonly CheckRow[]>;
  /** Keeps a call as a test. Default: none can be kept. */
  readonly saveTest?: (
    target: Target,
    body: Parameters<Workbench['saveTest']>[0],
    store: TraceStore,
  ) => ReturnType<Workbench['saveTest']>;
  /** The file in which `saveTest` keeps them, for people to see. */
  readonly testFile?: string;
  /** What questions are answered with before anybody sees them. */
  readonly script?: Script;
  /** The folders that servers are told of at first, as `file://` URIs. */
  readonly roots?: readonly string[];
}

const IDLE_MS = 60_000;

/** A file of the user that cannot be used is not an internal error: the page shows what is wrong with it. */
function unusable(error: unknown): never {
  const { name, message, fix } = error as Error & { readonly fix?: string };
  if (name === 'SurfaceError' || name === 'TestFileError') throw new WorkbenchError('bad-request', message, fix);
  throw error;
}

/** A page must not be able to start programs. */
function nobodyToAsk(): WorkbenchError {
  return new WorkbenchError(
    'failed',
    'There is no terminal here that could confirm what is started',
    'Name the server on the command line: tenon inspect -- node server.js',
  );
}

/** Nothing is started, and nothing but the address is sent. */
function isAddressOnly({ launch }: Target): boolean {
  return 'url' in launch && Object.keys(launch.headers ?? {}).length === 0;
}

const TELL_MS = 100;

/** What was asked before that is forgotten. */
const MAX_ASKED = 20;

/**
 * Makes a workbench without a page: `openInspector` makes one with it.
 *
 * @example
 * ```ts
 * import { createTraceStore, createWorkbench } from '@tenon/inspector';
 *
 * const store = createTraceStore('weather.mcptrace', 'my tool 1.0');
 * const target = { id: 'weather', name: 'weather', launch: { command: 'node', args: ['server.js'] } };
 * const workbench = createWorkbench({ store, targets: [target], by: 'my tool 1.0' });
 * const { status, problem } = await workbench.connect('weather');
 * console.error(status, problem?.message);
 * await workbench.close();
 * ```
 */
export function createWorkbench(options: WorkbenchOptions): Workbench {
  const { store, idleMs = IDLE_MS } = options;
  const redactor = createRedactor();
  const listeners = new Set<(event: PushEvent) => void>();
  const servers = new Map<string, LiveServer>();
  const loginFlows = new Map<string, LoginFlow>();
  const sessions = new Map<string, number>();
  const asked = new Map<string, AskedView>();
  let askedCount = 0;
  let idle: NodeJS.Timeout | undefined;
  let closed = false;

  const tell = (event: PushEvent): void => {
    for (const listener of listeners) listener(event);
  };

  // A flood may break a rule many times in a moment: pages are told of all of it together.
  let telling: NodeJS.Timeout | undefined;
  const diagnosis = createDiagnosis(
    () => {
      telling ??= setTimeout(() => {
        telling = undefined;
        tell({ type: 'findings', findings: diagnosis.findings });
      }, TELL_MS);
    },
    { rules: everyRule() },
  );
  const unwatch = store.watch((line, facts) => diagnosis.see(line, facts, store.index));
  const findings = (): readonly Finding[] => diagnosis.findings;
  const inbox = createInbox(
    () => tell({ type: 'inbox', items: inbox.items }),
    (text) => redactor.clean(text).text,
  );

  const setScript = (text: string): void => {
    inbox.script = readScript(text);
    tell({ type: 'script', text });
  };
  if (options.script !== undefined) inbox.script = options.script;

  const shared: Shared = {
    store,
    redactor,
    inbox,
    timeoutMs: options.timeoutMs,
    logLevel: 'info',
    name(server) {
      const count = (sessions.get(server) ?? 0) + 1;
      sessions.set(server, count);
      return `${server}#${count}`;
    },
    changed: (id) => {
      const server = servers.get(id);
      if (server !== undefined) tell({ type: 'server', server: server.view() });
    },
    progress: (server, key, { message, ...progress }) =>
      tell({
        type: 'progress',
        server,
        key,
        ...progress,
        message: message === undefined ? undefined : redactor.clean(message).text,
      }),
    findings,
  };

  const add = (target: Target): LiveServer => {
    if (servers.has(target.id)) throw new WorkbenchError('bad-request', `There is a server ${target.id} already`);
    for (const secret of secretsOf(target.launch)) redactor.hide(secret);
    let loginFlow: LoginFlow | undefined;
    if ('url' in target.launch) {
      const changed = (): void => {
        tell({ type: 'auth', auth: loginFlow!.view() });
        // Whether it waits for a login is a part of its status.
        shared.changed(target.id);
      };
      loginFlow = createLoginFlow(target.id, redactor, changed, {
        refusedIn: (session, status) =>
          store.index.all
            .filter((facts) => facts.session === session && facts.status === status)
            .slice(-1)
            .map(({ n }) => n),
        store: options.tokens,
      });
      loginFlows.set(target.id, loginFlow);
    }
    const server = new LiveServer(target, shared, loginFlow, options.roots);
    servers.set(target.id, server);
    return server;
  };
  for (const target of options.targets) add(target);

  /** The server that is the same already, or one more. Its id may be that of another, which is still there. */
  const sameOrNew = (target: Target): LiveServer => {
    const launch = JSON.stringify(target.launch);
    const same = [...servers.values()].find(
      (server) => server.target.name === target.name && JSON.stringify(server.target.launch) === launch,
    );
    if (same !== undefined) return same;
    let { id } = target;
    for (let count = 2; servers.has(id); count++) id = `${target.id}-${count}`;
    return add({ ...target, id });
  };

  const serverOf = (id: string): LiveServer => {
    const server = servers.get(id);
    if (server === undefined) throw new WorkbenchError('unknown-server', `There is no server ${id}`);
    return server;
  };
  const loginFlowOf = (id: string): LoginFlow => {
    serverOf(id);
    const loginFlow = loginFlows.get(id);
    if (loginFlow === undefined) throw new WorkbenchError('bad-request', 'Only servers at a URL have a login');
    return loginFlow;
  };
  const authView = (id: string): AuthView => loginFlowOf(id).view();

  const state = (): StateView => ({
    by: options.by,
    trace: { file: store.file, began: store.head.began, length: store.index.length },
    servers: [...servers.values()].map((server) => server.view()),
    asked: [...asked.values()],
    inbox: inbox.items,
    script: inbox.script.text,
    findings: findings(),
    auth: [...loginFlows.keys()].map(authView),
    testFile: options.testFile,
    readOnly: false,
  });

  const stopAll = async (): Promise<void> => {
    await Promise.all([...servers.values()].map((server) => server.disconnect().catch(() => {})));
  };

  /** Asks the terminal, and goes on when it says yes. */
  const askTerminal = (
    confirm: NonNullable<WorkbenchOptions['confirm']>,
    targets: readonly Target[],
    reason: ConfirmReason,
    start: () => void,
  ): string => {
    const id = `asked-${++askedCount}`;
    const note = (status: AskedView['status']): void => {
      asked.set(id, { id, status });
      for (const oldest of asked.keys()) if (asked.size > MAX_ASKED) asked.delete(oldest);
      tell({ type: 'asked', asked: [...asked.values()] });
    };
    note('waiting');
    void confirm(targets, reason).then(
      (yes) => {
        note(yes ? 'yes' : 'no');
        if (yes && !closed) start();
      },
      // There is no answer, because the terminal is gone.
      () => note('no'),
    );
    return id;
  };

  return {
    trace: store,
    state,
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async connect(id, { revision } = {}) {
      const server = serverOf(id);
      await server.connect(revision);
      return server.view();
    },
    disconnect: (id) => serverOf(id).disconnect(),
    list: (id, kind) => serverOf(id).list(kind),
    refresh: (id) => serverOf(id).refresh(),
    request: (id, body) => serverOf(id).request(body),
    answerTo: (id, key) => serverOf(id).requests.answer(key),
    cancel: (id, key) => serverOf(id).requests.cancel(key),
    async frame(id, text) {
      const { frame, recorder } = serverOf(id).connected;
      const before = store.index.length;
      await frame(text);
      const sent = store.index.all
        .slice(before)
        .find(({ session, from }) => session === recorder.session && from === 'client');
      return { line: sent?.n ?? before + 1 };
    },
    async complete(id, { ref, argument, typed, resolved }) {
      const { client } = serverOf(id).connected;
      const { values, hasMore = false } = await client.complete(ref, { argument, value: typed, resolved });
      return { values, hasMore };
    },
    watchResource: (id, uri, on) => serverOf(id).watch(uri, on),
    async setLogLevel(id, level) {
      await serverOf(id).setLogLevel(level as LogLevel);
    },
    setRoots: (id, roots, ask) => serverOf(id).setRoots(roots, ask),
    inbox: () => inbox.items,
    answer: (item, answer) => inbox.answer(item, answer),
    setScript,
    auth: authView,
    setPausing: (id, pausing) => loginFlowOf(id).setPausing(pausing),
    release: (id, hop) => loginFlowOf(id).release(hop),
    async login(id) {
      await loginFlowOf(id).forget();
      await serverOf(id).connect(undefined);
    },
    forgetLogin: (id) => loginFlowOf(id).forget(),
    async check(body, signal) {
      if (options.check === undefined) throw new WorkbenchError('failed', 'Nothing can be checked here');
      return options.check(serverOf(body.server).target, body, signal).catch(unusable);
    },
    async saveTest(body) {
      if (options.saveTest === undefined) throw new WorkbenchError('failed', 'Tests cannot be kept here');
      return options.saveTest(serverOf(body.server).target, body, store).catch(unusable);
    },
    async addTargets(text): Promise<TargetAnswer> {
      const { confirm, readTargets } = options;
      if (readTargets === undefined) throw nobodyToAsk();
      let targets: readonly Target[];
      const leftOut: string[] = [];
      try {
        targets = await readTargets(text, (what) => leftOut.push(redactor.clean(what).text));
      } catch (error) {
        const { message, fix } = error as Error & { readonly fix?: string };
        throw new WorkbenchError('bad-request', message, fix);
      }
      const servers = targets.map(({ name }) => name);
      const start = (): void => {
        const wanted = targets.map(sameOrNew);
        tell({ type: 'state', state: state() });
        for (const server of wanted) if (server.session === undefined) void server.connect(undefined).catch(() => {});
      };
      if (confirm === undefined) {
        if (!targets.every(isAddressOnly)) throw nobodyToAsk();
        start();
        return { status: 'added', servers, leftOut };
      }
      return { status: 'asked-in-terminal', servers, leftOut, asked: askTerminal(confirm, targets, 'add', start) };
    },
    async changeLaunch(id, body): Promise<TargetAnswer> {
      const { confirm } = options;
      const server = serverOf(id);
      const target: Target = { ...server.target, launch: changedLaunch(server.target.launch, body) };
      if (confirm === undefined) throw nobodyToAsk();
      for (const secret of secretsOf(target.launch)) redactor.hide(secret);
      const start = (): void => {
        server.relaunch(target.launch);
        void server.connect(server.view().pinned).catch(() => {});
      };
      const inTerminal = askTerminal(confirm, [target], 'change', start);
      return { status: 'asked-in-terminal', servers: [target.name], leftOut: [], asked: inTerminal };
    },
    setViewers(count) {
      clearTimeout(idle);
      idle = undefined;
      if (count > 0 || idleMs === 0 || closed) return;
      idle = setTimeout(() => void stopAll(), idleMs);
      idle.unref();
    },
    async close() {
      closed = true;
      clearTimeout(idle);
      await stopAll();
      diagnosis.end();
      clearTimeout(telling);
      unwatch();
      store.close();
    },
  };
}
