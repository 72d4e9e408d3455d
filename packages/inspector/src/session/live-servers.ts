import type { LaunchBody } from '../api/bodies.ts';
import type { AskedView, PushEvent, StateView, TargetAnswer } from '../api/views.ts';
import { createRedactor } from '../record/redact.ts';
import { secretsOf } from '../record/secrets.ts';
import { createDiagnosis } from '../rules/diagnosis.ts';
import { changedLaunch } from './change-launch.ts';
import { type Target, WorkbenchError } from './contract.ts';
import { everyRule } from './every-rule.ts';
import { Inbox } from './inbox.ts';
import { LiveServer } from './live.ts';
import { LoginFlow, type LoginFlowOptions } from './login-flow.ts';
import type { Shared } from './shared.ts';
import type { ConfirmReason, WorkbenchOptions } from './workbench-options.ts';

const IDLE_MS = 60_000;
const TELL_MS = 100;
/** The number of confirmations kept; the oldest are dropped first. */
const MAX_ASKED = 20;

/** A page must not be able to start programs. */
function noTerminalError(): WorkbenchError {
  return new WorkbenchError(
    'failed',
    'There is no terminal here to confirm what is started',
    'Name the server on the command line: tenon inspect -- node server.js',
  );
}

/** A URL without headers and login settings: no process is started, and no secret is sent. */
function isAddressOnly({ launch }: Target): boolean {
  return 'url' in launch && launch.login === undefined && Object.keys(launch.headers ?? {}).length === 0;
}

/** The servers of a workbench, their logins and questions, and the events for pages. */
export class LiveServers {
  readonly inbox: Inbox;
  readonly #options: WorkbenchOptions;
  readonly #redactor = createRedactor();
  readonly #listeners = new Set<(event: PushEvent) => void>();
  readonly #servers = new Map<string, LiveServer>();
  readonly #loginFlows = new Map<string, LoginFlow>();
  /** The number of sessions that each server has had. */
  readonly #sessions = new Map<string, number>();
  /** The confirmations requested in the terminal, and their outcomes. */
  readonly #asked = new Map<string, AskedView>();
  #askedCount = 0;
  readonly #shared: Shared;
  readonly #diagnosis = createDiagnosis(() => this.#tellFindings(), { rules: everyRule() });
  readonly #unwatch: () => void;
  #telling: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: WorkbenchOptions) {
    const { script, store, targets } = options;
    this.#options = options;
    this.#unwatch = store.watch((line, facts) => this.#diagnosis.see(line, facts, store.index));
    this.inbox = new Inbox(
      () => this.tell({ type: 'inbox', items: this.inbox.items }),
      (text) => this.#redactor.clean(text).text,
    );
    if (script !== undefined) this.inbox.script = script;
    this.#shared = this.#createShared();
    for (const target of targets) this.#add(target);
  }

  watch(listener: (event: PushEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(event: PushEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  state(): StateView {
    const { by, store, testFile } = this.#options;
    return {
      by,
      trace: { file: store.file, began: store.head.began, length: store.index.length },
      servers: [...this.#servers.values()].map((server) => server.view()),
      asked: [...this.#asked.values()],
      inbox: this.inbox.items,
      script: this.inbox.script.text,
      findings: this.#diagnosis.findings,
      auth: [...this.#loginFlows.values()].map((flow) => flow.view()),
      testFile,
      readOnly: false,
    };
  }

  serverOf(id: string): LiveServer {
    const server = this.#servers.get(id);
    if (server === undefined) throw new WorkbenchError('unknown-server', `There is no server ${id}`);
    return server;
  }

  loginFlowOf(id: string): LoginFlow {
    this.serverOf(id);
    const loginFlow = this.#loginFlows.get(id);
    if (loginFlow === undefined) throw new WorkbenchError('bad-request', 'Only servers at a URL have a login');
    return loginFlow;
  }

  async addTargets(text: string): Promise<TargetAnswer> {
    const { confirm, readTargets } = this.#options;
    if (readTargets === undefined) throw noTerminalError();
    let targets: readonly Target[];
    const leftOut: string[] = [];
    try {
      targets = await readTargets(text, (what) => leftOut.push(this.#redactor.clean(what).text));
    } catch (error) {
      const { message, fix } = error as Error & { readonly fix?: string };
      throw new WorkbenchError('bad-request', message, fix);
    }
    const servers = targets.map(({ name }) => name);
    const start = (): void => {
      const wanted = targets.map((target) => this.#sameOrNew(target));
      this.tell({ type: 'state', state: this.state() });
      for (const server of wanted) if (server.session === undefined) void server.connect(undefined).catch(() => {});
    };
    if (confirm === undefined) {
      if (!targets.every(isAddressOnly)) throw noTerminalError();
      start();
      return { status: 'added', servers, leftOut };
    }
    return { status: 'asked-in-terminal', servers, leftOut, asked: this.#askTerminal(confirm, targets, 'add', start) };
  }

  async changeLaunch(id: string, body: LaunchBody): Promise<TargetAnswer> {
    const { confirm } = this.#options;
    const server = this.serverOf(id);
    const target: Target = { ...server.target, launch: changedLaunch(server.target.launch, body) };
    if (confirm === undefined) throw noTerminalError();
    for (const secret of secretsOf(target.launch)) this.#redactor.hide(secret);
    const start = (): void => {
      server.relaunch(target.launch);
      void server.connect(server.view().pinned).catch(() => {});
    };
    const asked = this.#askTerminal(confirm, [target], 'change', start);
    return { status: 'asked-in-terminal', servers: [target.name], leftOut: [], asked };
  }

  /** Asks in the terminal, and calls `start` if the answer is yes. */
  #askTerminal(
    confirm: NonNullable<WorkbenchOptions['confirm']>,
    targets: readonly Target[],
    reason: ConfirmReason,
    start: () => void,
  ): string {
    const id = `asked-${++this.#askedCount}`;
    const note = (status: AskedView['status']): void => {
      this.#asked.set(id, { id, status });
      for (const oldest of this.#asked.keys()) if (this.#asked.size > MAX_ASKED) this.#asked.delete(oldest);
      this.tell({ type: 'asked', asked: [...this.#asked.values()] });
    };
    note('waiting');
    void confirm(targets, reason).then(
      (yes) => {
        note(yes ? 'yes' : 'no');
        if (yes && !this.#closed) start();
      },
      // The terminal is gone, so there is no answer.
      () => note('no'),
    );
    return id;
  }

  /** Stops the servers when no page has been open for a while. */
  setViewers(count: number): void {
    clearTimeout(this.#idle);
    this.#idle = undefined;
    const { idleMs = IDLE_MS } = this.#options;
    if (count > 0 || idleMs === 0 || this.#closed) return;
    this.#idle = setTimeout(() => void this.#stopAll(), idleMs);
    this.#idle.unref();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    await this.#stopAll();
    this.#diagnosis.end();
    clearTimeout(this.#telling);
    this.#unwatch();
    this.#options.store.close();
  }

  #createShared(): Shared {
    const { store, timeoutMs } = this.#options;
    const clean = (text: string): string => this.#redactor.clean(text).text;
    return {
      store,
      redactor: this.#redactor,
      inbox: this.inbox,
      timeoutMs,
      logLevel: 'info',
      name: (server) => {
        const count = (this.#sessions.get(server) ?? 0) + 1;
        this.#sessions.set(server, count);
        return `${server}#${count}`;
      },
      changed: (id) => {
        const server = this.#servers.get(id);
        if (server !== undefined) this.tell({ type: 'server', server: server.view() });
      },
      progress: (server, key, { message, ...progress }) =>
        this.tell({
          type: 'progress',
          server,
          key,
          ...progress,
          message: message === undefined ? undefined : clean(message),
        }),
      findings: () => this.#diagnosis.findings,
    };
  }

  /** A flood may break a rule many times in a moment, so pages receive the findings in batches. */
  #tellFindings(): void {
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined;
      this.tell({ type: 'findings', findings: this.#diagnosis.findings });
    }, TELL_MS);
  }

  #add(target: Target): LiveServer {
    if (this.#servers.has(target.id)) throw new WorkbenchError('bad-request', `There is a server ${target.id} already`);
    for (const secret of secretsOf(target.launch)) this.#redactor.hide(secret);
    const loginFlow = 'url' in target.launch ? this.#createLoginFlow(target.id, target.launch.login) : undefined;
    if (loginFlow !== undefined) this.#loginFlows.set(target.id, loginFlow);
    const server = new LiveServer(target, this.#shared, loginFlow, this.#options.roots);
    this.#servers.set(target.id, server);
    return server;
  }

  #createLoginFlow(id: string, login: LoginFlowOptions['login']): LoginFlow {
    const { store, tokens } = this.#options;
    const changed = (): void => {
      this.tell({ type: 'auth', auth: flow.view() });
      // Waiting for a login is part of its status.
      this.#shared.changed(id);
    };
    const flow: LoginFlow = new LoginFlow(id, this.#redactor, changed, {
      refusedIn: (session, status) =>
        store.index.all
          .filter((facts) => facts.session === session && facts.status === status)
          .slice(-1)
          .map(({ n }) => n),
      store: tokens,
      login,
    });
    return flow;
  }

  /** An existing server with the same launch, or a new one. A new server gets an unused id. */
  #sameOrNew(target: Target): LiveServer {
    const launch = JSON.stringify(target.launch);
    const same = [...this.#servers.values()].find(
      (server) => server.target.name === target.name && JSON.stringify(server.target.launch) === launch,
    );
    if (same !== undefined) return same;
    let { id } = target;
    for (let count = 2; this.#servers.has(id); count++) id = `${target.id}-${count}`;
    return this.#add({ ...target, id });
  }

  async #stopAll(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.disconnect().catch(() => {})));
  }
}
