import type { ConnectOptions, RootsOption } from 'tenon/client';
import type { RequestBody } from '../api/bodies.ts';
import type {
  LaunchView,
  ListAnswer,
  ListKind,
  ProblemView,
  RequestAnswer,
  ServerStatus,
  ServerView,
} from '../api/views.ts';
import { LIST_KINDS } from '../api/views.ts';
import { createRecorder, type Recorder } from '../record/recorder.ts';
import type { LoginFlow } from './login-flow.ts';
import { type Claims, createClaims } from './claims.ts';
import { type Target, WorkbenchError } from './contract.ts';
import { doctorSteps } from './doctor.ts';
import { hasAnsweredOpening, stderrLines } from './doctor-facts.ts';
import { askerOf } from './asker.ts';
import { EXTENSIONS } from './extensions.ts';
import { followLists, followTasks } from './follow-lists.ts';
import { createLogLevelSetting, type LogLevel, type LogLevelSetting } from './log-level.ts';
import { fetchList, isOffered, type KeptList } from './lists.ts';
import { type OpenServer, openServer } from './open.ts';
import { tryLegacy } from './other-era.ts';
import { cleaned, evidenceAt, problemOf, withPath, withStderr } from './problem.ts';
import { createRequests, type Requests } from './requests.ts';
import { createRoots, type Roots } from './roots.ts';
import { sendRequest } from './send-request.ts';
import type { Shared } from './shared.ts';
import { isPair, type ServerDescription, describe, shownLaunch, shownTarget } from './shown.ts';
import { createTasks, type Tasks } from './tasks.ts';
import { createWatches, type Watches } from './watches.ts';

/** The time limit for connecting to a silent server, without the time for logging in. */
const CONNECT_MS = 30_000;
const REQUEST_MS = 60_000;
/** Higher limits than a client has: the inspector should show what would be too much for a client. */
const LIMITS = { lineBytes: 64 * 1024 * 1024, elements: 5_000_000 };

type Connected = OpenServer & {
  readonly description: ServerDescription;
  readonly recorder: Recorder;
  readonly claims: Claims;
  readonly tasks: Tasks;
  readonly stop: AbortController;
};

/** One server under test, and its newest connection. */
export class LiveServer {
  target: Target;
  readonly #shared: Shared;
  readonly #loginFlow: LoginFlow | undefined;
  /** The command or the URL, without secrets. */
  #shown: string;
  #launch: LaunchView;
  readonly requests: Requests;
  #open: Connected | undefined;
  #status: ServerStatus = 'idle';
  #session: string | undefined;
  #other: string | undefined;
  #problem: ServerView['problem'];
  #connectMs: number | undefined;
  #lists = new Map<ListKind, KeptList>();
  #listsDone = false;
  #generation = 0;
  readonly #watches: Watches;
  readonly #roots: Roots;
  #rootsOption: RootsOption = [];
  readonly #logLevel: LogLevelSetting;
  /** The revision requested for the last connection. */
  #pinned: string | undefined;
  #attempt: AbortController | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(target: Target, shared: Shared, loginFlow: LoginFlow | undefined, roots?: readonly string[]) {
    this.target = target;
    this.#pinned = target.revision;
    this.#shared = shared;
    this.#loginFlow = loginFlow;
    this.#logLevel = createLogLevelSetting(shared.logLevel);
    this.#roots = createRoots(shared.inbox, roots);
    this.#watches = createWatches(() => shared.changed(target.id));
    this.requests = createRequests(() => shared.changed(target.id));
    this.#shown = shownTarget(target, shared.redactor);
    this.#launch = shownLaunch(target, shared.redactor);
  }

  /** Changes how it is started, from the next connection on. */
  relaunch(launch: Target['launch']): void {
    this.target = { ...this.target, launch };
    this.#shown = shownTarget(this.target, this.#shared.redactor);
    this.#launch = shownLaunch(this.target, this.#shared.redactor);
    this.#shared.changed(this.target.id);
  }

  get #auth(): Pick<ConnectOptions, 'auth'> {
    const auth = this.#loginFlow?.auth ?? this.#shared.auth;
    return auth === undefined || !('url' in this.target.launch) ? {} : { auth };
  }

  get #transport(): 'stdio' | 'http' {
    return 'url' in this.target.launch ? 'http' : 'stdio';
  }

  view(): ServerView {
    const client = this.#open?.client;
    const { target } = this;
    const lists = [...this.#lists.values()];
    return {
      id: target.id,
      name: target.name,
      transport: this.#transport,
      target: this.#shown,
      launch: this.#launch,
      status: this.#status !== 'failed' && this.#loginFlow?.waits() === true ? 'login' : this.#status,
      session: this.#session,
      pinned: this.#pinned,
      revision: client?.revision,
      era: client?.era,
      ...this.#open?.description,
      connectMs: this.#connectMs,
      problem: this.#problem,
      doctor:
        this.#session === undefined
          ? []
          : doctorSteps({
              store: this.#shared.store,
              session: this.#session,
              other: this.#other,
              transport: this.#transport,
              pinned: this.#pinned,
              status: this.#status,
              problem: this.#problem,
              lists: lists.map(({ view, evidence }) => ({ ...view, evidence })),
              listsDone: this.#listsDone,
            }),
      lists: lists.map(({ view }) => view),
      generation: this.#generation,
      running: this.requests.running,
      tasks: this.#open?.tasks.views ?? [],
      watched: this.#watches.uris,
      logLevel: this.#open === undefined ? undefined : this.#logLevel.level,
      roots: this.#roots.folders,
      asksRoots: this.#roots.ask,
    };
  }

  /** The connection. Throws if there is none. */
  get connected(): Connected {
    if (this.#open === undefined)
      throw new WorkbenchError('not-connected', `${this.target.name} is not connected`, 'Connect first.');
    return this.#open;
  }

  get session(): string | undefined {
    return this.#session;
  }

  #set(status: ServerStatus, problem?: ServerView['problem']): void {
    this.#status = status;
    this.#problem = problem;
    this.#shared.changed(this.target.id);
  }

  readonly #hide = (secret: string): void => this.#shared.redactor.hide(secret);

  /** The problem for pages. Errors quote text of servers, so secrets are removed as in all lines. */
  #problemFrom(error: unknown, session: string): ProblemView {
    const { store, redactor } = this.#shared;
    const last = store.index.all.findLast((facts) => facts.session === session);
    const problem = problemOf(error, evidenceAt(error, store.index, last), hasAnsweredOpening(store.index, session));
    return withStderr(cleaned(problem, redactor), stderrLines(store, session));
  }

  #begin(target: Target, suffix = ''): Recorder {
    const { store, redactor } = this.#shared;
    return createRecorder(
      store,
      this.#shared.name(`${target.id}${suffix}`),
      { name: target.name, transport: this.#transport, target: this.#shown, recorder: 'client' },
      redactor,
    );
  }

  /** Offers every client capability, so that the page shows how the server uses them. */
  #options(recorder: Recorder, signal: AbortSignal): Omit<ConnectOptions, 'onTrace'> {
    const { inbox } = this.#shared;
    const asker = askerOf(this.target.id, recorder.session, this.#shared.store, () => this.#open);
    const { answering } = this.#shared;
    return {
      info: { name: 'tenon-inspector', version: '0.1.0' },
      ...(answering ?? {
        extensions: EXTENSIONS,
        elicit: { handler: (question, context) => inbox.elicit(asker, question, context), form: true, url: true },
        sample: { handler: (params, context) => inbox.sample(asker, params, context), tools: true, context: true },
        roots: (this.#rootsOption = this.#roots.answering(asker)),
      }),
      ...this.#auth,
      timeout: this.#shared.timeoutMs ?? REQUEST_MS,
      limits: LIMITS,
      signal,
    };
  }

  /** Connects. An existing connection, or an attempt to connect, ends first. */
  connect(revision: string | undefined): Promise<void> {
    this.#giveUp();
    return this.#inTurn(async () => {
      await this.#end();
      await this.#connect(revision);
    });
  }

  async #connect(revision: string | undefined): Promise<void> {
    const target: Target = revision === undefined ? this.target : { ...this.target, revision };
    this.#pinned = target.revision;
    const attempt = new AbortController();
    this.#attempt = attempt;
    const recorder = this.#begin(target);
    this.#session = recorder.session;
    this.#other = undefined;
    this.#connectMs = undefined;
    this.#lists.clear();
    this.#listsDone = false;
    this.#loginFlow?.record(recorder);
    this.#set('connecting');
    const started = performance.now();
    const connectMs = this.#shared.timeoutMs ?? CONNECT_MS;
    const late = setTimeout(() => {
      if (this.#loginFlow?.waits() === true) return;
      const text = `${target.name} did not answer for ${connectMs / 1000} s`;
      recorder.write({ kind: 'timer', text });
      attempt.abort(Object.assign(new Error(text), { name: 'TimeoutError' }));
    }, connectMs);
    try {
      const open = await openServer(target, recorder, this.#options(recorder, attempt.signal), this.#hide);
      // Requests from now on have time limits of their own.
      clearTimeout(late);
      if (attempt.signal.aborted) return void (await open.close());
      this.#connectMs = Math.round((performance.now() - started) * 10) / 10;
      const description = describe(open.client, this.#shared.redactor);
      this.#launch = { ...this.#launch, pair: isPair(this.#shared.store, recorder.session) };
      this.#open = {
        ...open,
        description,
        recorder,
        claims: createClaims(this.#shared.store, recorder.session),
        tasks: createTasks({
          client: open.client,
          ...this.#shared,
          asker: askerOf(target.id, recorder.session, this.#shared.store, () => this.#open),
          folders: () => this.#roots.folders,
          signal: attempt.signal,
          changed: () => this.#shared.changed(target.id),
          problemFrom: (error) => this.#problemFrom(error, recorder.session),
        }),
        stop: attempt,
      };
      this.#loginFlow?.ended();
      void open.client.closed.then((reason) => this.#gone(recorder.session, reason));
      this.#logLevel.begin(open.client);
      this.#set('ready');
      await this.#readLists(attempt.signal);
      await this.#tryOther(target);
    } catch (error) {
      // If an existing connection ended, `#gone` has already reported it, with its reason.
      if (this.#attempt !== attempt || this.#status === 'failed' || this.#status === 'closed') return;
      this.#loginFlow?.ended(error);
      const reason: unknown = attempt.signal.reason ?? error;
      const problem = await withPath(this.#problemFrom(reason, recorder.session), target);
      if (this.#attempt === attempt) this.#set('failed', problem);
    } finally {
      clearTimeout(late);
    }
  }

  #gone(session: string, reason: Error | undefined): void {
    if (this.#session !== session || this.#open === undefined) return;
    this.#open.claims.close();
    this.#open = undefined;
    this.#watches.clear();
    if (reason === undefined) this.#set('closed');
    else this.#set('failed', this.#problemFrom(reason, session));
  }

  /** Tries the other era, on a separate connection that ends at once. */
  async #tryOther(target: Target): Promise<void> {
    const open = this.#shared.bothEras === false || target.revision !== undefined ? undefined : this.#open;
    if (open === undefined || open.client.era === 'legacy') return this.#shared.changed(target.id);
    const recorder = this.#begin(target, '.legacy');
    this.#other = recorder.session;
    const giveUp = AbortSignal.timeout(this.#shared.timeoutMs ?? CONNECT_MS);
    const signal = AbortSignal.any([giveUp, open.stop.signal]);
    await tryLegacy(target, recorder, { ...this.#auth, limits: LIMITS, signal }, this.#hide);
    this.#shared.changed(target.id);
  }

  /** Resolves when the connection has ended completely. */
  disconnect(): Promise<void> {
    this.#giveUp();
    return this.#inTurn(() => this.#end());
  }

  /** Runs actions one at a time: two pages may connect at the same time. */
  #inTurn(act: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(act);
    this.#turn = done.catch(() => {});
    return done;
  }

  /** Aborts everything that is pending, so that the next action starts soon. */
  #giveUp(): void {
    this.#attempt?.abort(new Error('The connection was ended'));
    this.#attempt = undefined;
    this.#loginFlow?.giveUp();
    this.requests.cancelAll();
  }

  async #end(): Promise<void> {
    this.#giveUp();
    const open = this.#open;
    this.#open = undefined;
    this.#watches.clear();
    open?.claims.close();
    await open?.close();
    if (open !== undefined || this.#status === 'connecting') this.#set('closed');
  }

  async refresh(): Promise<void> {
    await this.#ask(LIST_KINDS);
  }

  async #ask(kinds: readonly ListKind[]): Promise<void> {
    const { client, recorder, stop } = this.connected;
    for (const kind of kinds) {
      if (!isOffered(client, kind)) continue;
      const list = await fetchList(
        client,
        this.#shared.store,
        recorder.session,
        kind,
        stop.signal,
        this.#shared.redactor,
        this.#shared.timeoutMs,
      );
      if (this.#session !== recorder.session) return;
      this.#lists.set(kind, list);
    }
    this.#listsDone = true;
    this.#generation++;
    this.#shared.changed(this.target.id);
  }

  /** Reads the lists, and reads those again that the server reports as changed. */
  async #readLists(signal: AbortSignal): Promise<void> {
    const { client, recorder } = this.connected;
    const refresh = async (): Promise<void> => {
      if (this.#open?.client === client) await this.refresh();
    };
    if (isOffered(client, 'tasks'))
      followTasks(this.#shared.store, recorder.session, () => this.#ask(['tasks']), signal);
    await followLists(client, refresh, signal);
  }

  list(kind: ListKind): ListAnswer {
    return { generation: this.#generation, entries: this.#lists.get(kind)?.entries ?? [] };
  }

  async request(body: RequestBody): Promise<RequestAnswer> {
    const { client, claims, recorder } = this.connected;
    return this.requests.run(body, (signal) =>
      sendRequest({
        client,
        claims,
        store: this.#shared.store,
        recorder,
        redactor: this.#shared.redactor,
        body,
        signal,
        findings: () => this.#shared.findings(),
        onProgress: (progress) => this.#shared.progress(this.target.id, body.key, progress),
      }),
    );
  }

  async watch(uri: string, on: boolean): Promise<void> {
    await this.#watches.set(uri, on, () => this.connected.client);
  }

  async setLogLevel(level: LogLevel): Promise<void> {
    await this.#logLevel.choose(this.connected.client, level);
    this.#shared.changed(this.target.id);
  }

  async setRoots(roots: readonly string[], ask: boolean): Promise<void> {
    if (this.#roots.set(roots, ask)) await this.#open?.client.setRoots(this.#rootsOption);
    this.#shared.changed(this.target.id);
  }
}
