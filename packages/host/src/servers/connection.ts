import { type Client, connect, type ConnectOptions, TimeoutError } from 'tenon/client';
import { HostError } from '../values/host-error.ts';
import type { ServerConfig } from '../config/server-config.ts';
import type { ActionOutcome, ServerStop } from '../recorder.ts';
import type { ApprovedStart } from './approval.ts';
import { messageOf } from '../values/message-of.ts';
import { plainFailure } from './plain-failure.ts';
import { displayText } from '../values/plain-text.ts';
import type { Guard } from './guard.ts';
import { createStartWatch, isOutage, isPermanent } from './start-problems.ts';
import { targetOf } from './target.ts';
import type { ServerState, ServerView } from './view.ts';
import { waitFor } from '../values/wait-for.ts';
import { pause } from './pause.ts';

export interface ConnectionOptions {
  readonly config: ServerConfig;
  readonly guard: Guard;
  /** Milliseconds after which a start is no longer waited for. It continues. */
  readonly startMs: number;
  /** Milliseconds before the first restart of a server that ended too soon. */
  readonly restartMs: number;
  /** Milliseconds that a request waits for a server that is being started again. */
  readonly startWaitMs: number;
  /**
   * Asks whether the server may start, before each start. `started` is the digest of the last approved start. Resolves with undefined if it
   * may not.
   */
  approve(signal: AbortSignal, started: string | undefined): Promise<ApprovedStart | undefined>;
  /** The options of the client. `config` is the approved configuration with its variables filled in. */
  client(config: ServerConfig): ConnectOptions;
  /** Prepares the client. The server is ready when this resolves. */
  ready(client: Client): Promise<void>;
  /** The instructions that the model may get: undefined if they are not approved. */
  instructions(client: Client): string | undefined;
  /** Called when an approved start has succeeded or failed. */
  startEnded(end: ActionOutcome): void;
  /** Called when the client of a server is closed. */
  disconnected(stop: ServerStop): void;
  /** Called when the view of the server has changed. */
  changed(): void;
}

/** After this many consecutive failures, a server is not restarted automatically, unless only its network is down. */
const MAX_FAILURES = 5;
const MAX_PAUSE_MS = 60_000;
/** If a server ends within this time after its start, that counts as a failure. */
const QUICK_MS = 10_000;
/** How long to wait for the response to a ping. */
const PING_MS = 5_000;

/** The connection to one server of a host: asks before each start, restarts the server after failures, and stops it. */
export class Connection {
  readonly alias: string;
  state: ServerState = 'stopped';
  problem: string | undefined;
  startMs: number | undefined;
  /** The start in progress takes longer than its time. */
  isLate = false;
  client: Client | undefined;
  /** The digest of the last approved start. */
  launchDigest: string | undefined;
  readonly #options: ConnectionOptions;
  #life = new AbortController();
  #disconnected = new AbortController();
  /** Callers of `waitUntilStarted`. */
  readonly #waiting = new Set<() => void>();
  #failures = 0;
  /** The start that `start` waits for. */
  #running: Promise<void> | undefined;
  /** The start in progress, which continues when it is no longer waited for. */
  #starting: Promise<void> | undefined;
  /** Ends the waiting for the start in progress. */
  #stopWaiting: (() => void) | undefined;
  #retrying: Promise<void> | undefined;
  /** The start of an idle server, which its requests wait for. */
  #waking: Promise<void> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #busy = 0;
  #readySince = 0;

  constructor(options: ConnectionOptions) {
    this.alias = options.config.alias;
    this.#options = options;
  }

  /**
   * Starts the server, or waits for the start in progress. Resolves when it is ready, has failed once, or takes longer than its time. Never
   * rejects.
   */
  start(): Promise<void> {
    if (this.state === 'ready' || this.state === 'starting') return this.#running ?? Promise.resolve();
    return this.#startOnce(undefined);
  }

  /**
   * Runs `work` with the client, and starts an idle server first. While the server is being started again, waits for it as long as
   * `waitUntilStarted`. Throws a `HostError` with the reason if the server is not ready then.
   */
  async use<T>(work: (client: Client) => Promise<T>, signal?: AbortSignal): Promise<T> {
    clearTimeout(this.#idle);
    if (this.state === 'idle')
      this.#waking = this.#startOnce(this.launchDigest).finally(() => (this.#waking = undefined));
    if (this.#waking !== undefined) await this.#waking;
    else if (this.state === 'waiting') await this.#running;
    else await this.waitUntilStarted(signal);
    const { client } = this;
    // Between its handshake and its lists, a server has a client, but cannot be used yet.
    if (client === undefined || this.state !== 'ready')
      throw new HostError('not-running', `The server '${this.alias}' is not running: ${this.problem ?? this.state}`);
    this.#busy++;
    try {
      return await work(client);
    } catch (error) {
      if (error instanceof TimeoutError) void this.#checkAlive(client);
      throw error;
    } finally {
      this.#busy--;
      this.#scheduleIdleStop();
    }
  }

  /** Aborts when the current process or connection has ended, so that its questions need no answer. */
  get disconnected(): AbortSignal {
    return this.#disconnected.signal;
  }

  /** Whether the server is starting, or waits for the approval of its start. */
  get isStarting(): boolean {
    return this.state === 'starting' || this.state === 'waiting';
  }

  /** Resolves when the start has succeeded or failed, after `startWaitMs` milliseconds, or when the signal aborts. */
  async waitUntilStarted(signal?: AbortSignal): Promise<void> {
    if (this.state !== 'starting') return;
    let onArrival!: () => void;
    const arriving = new Promise<void>((resolve) => (onArrival = resolve));
    this.#waiting.add(onArrival);
    const cancelPause = new AbortController();
    const signals = signal === undefined ? [cancelPause.signal] : [cancelPause.signal, signal];
    await Promise.race([arriving, pause(this.#options.startWaitMs, AbortSignal.any(signals))]);
    cancelPause.abort();
    this.#waiting.delete(onArrival);
  }

  /** Stops the server. `by` is for the audit log. */
  async stop(by: Pick<ServerStop, 'requestedBy' | 'why'>, state: ServerState = 'stopped'): Promise<void> {
    clearTimeout(this.#idle);
    this.#life.abort(new Error(`The server '${this.alias}' is stopped`));
    this.#life = new AbortController();
    this.#failures = 0;
    this.#setState(state);
    await this.#disconnect({ ...by, outcome: 'ok' });
    await Promise.all([this.#running, this.#starting, this.#retrying]);
  }

  /** Shows whether the last request reached a server that is ready. */
  setReach(problem: string | undefined): void {
    if (this.state !== 'ready' || this.problem === (problem && displayText(problem))) return;
    this.#setState('ready', problem);
  }

  view(): ServerView {
    const { client } = this;
    return {
      alias: this.alias,
      state: this.state,
      problem: this.problem,
      revision: client?.revision,
      serverInfo: client?.server,
      instructions: client && this.#options.instructions(client),
      startMs: this.startMs,
      late: this.isLate,
    };
  }

  #setState(state: ServerState, problem?: string): void {
    this.state = state;
    this.problem = problem && displayText(problem);
    if (state !== 'starting') this.isLate = false;
    if (state !== 'starting') for (const onArrival of this.#waiting) onArrival();
    this.#options.changed();
  }

  async #disconnect(stop: ServerStop): Promise<void> {
    const { client } = this;
    if (client === undefined) return;
    this.client = undefined;
    this.#disconnected.abort(new Error(`The server '${this.alias}' is gone`));
    this.#options.disconnected(stop);
    await client.close();
  }

  /** Runs one start at a time, and waits for its first attempt only; retries run in the background. */
  #startOnce(started: string | undefined): Promise<void> {
    if (this.#running !== undefined) return this.#running;
    const starting = this.#askAndStart(started, this.#life.signal).then((again) => {
      if (again) void this.#scheduleRetry();
    });
    this.#starting = starting;
    const late = new Promise<void>((resolve) => (this.#stopWaiting = resolve));
    this.#running = Promise.race([starting, late]).finally(() => (this.#running = undefined));
    return this.#running;
  }

  #scheduleRetry(): Promise<void> {
    return (this.#retrying = this.#retry(this.#life.signal));
  }

  async #retry(signal: AbortSignal): Promise<void> {
    const { restartMs } = this.#options;
    do await pause(Math.min(MAX_PAUSE_MS, restartMs * 2 ** Math.max(0, this.#failures - 1)), signal);
    while (!signal.aborted && (await this.#askAndStart(this.launchDigest, signal)));
  }

  /** Asks for approval and starts the server. Returns true if that failed and can be retried. Never rejects. */
  async #askAndStart(started: string | undefined, signal: AbortSignal): Promise<boolean> {
    // A restart of the same launch needs no approval.
    this.#setState(started === undefined ? 'waiting' : 'starting', this.problem);
    try {
      // A person who is asked for an input may never answer.
      const approved = await waitFor(this.#options.approve(signal, started), signal);
      if (signal.aborted) return false;
      if (approved === undefined) {
        this.#setState('refused', 'it was not allowed to start');
        return false;
      }
      this.launchDigest = approved.digest;
      return await this.#connect(approved.config, signal);
    } catch (error) {
      if (!signal.aborted) this.#setState('failed', messageOf(error));
      return false;
    }
  }

  async #connect(config: ServerConfig, signal: AbortSignal): Promise<boolean> {
    const { guard, startMs } = this.#options;
    this.isLate = false;
    this.#setState('starting', this.problem);
    const startedAt = performance.now();
    const watch = createStartWatch(startMs, (problem) => {
      if (signal.aborted) return;
      this.isLate = true;
      this.#setState('starting', problem);
      this.#stopWaiting?.();
    });
    const disconnected = (this.#disconnected = new AbortController());
    let client: Client | undefined;
    const tried = (outcome: ActionOutcome['outcome']): void =>
      this.#options.startEnded({ outcome, ms: performance.now() - startedAt, revision: client?.revision });
    try {
      client = await connect(targetOf(config, { guard, onStderr: watch.onStderr }), {
        ...this.#options.client(config),
        // A restart needs a new approval, and its tools have to be read again.
        restart: false,
        signal,
      });
      this.client = client;
      await waitFor(this.#options.ready(client), signal);
      this.startMs = performance.now() - startedAt;
      this.#readySince = performance.now();
      tried('ok');
      watch.stop();
      this.#setState('ready');
      this.#scheduleIdleStop();
      void client.closed.then((reason) => this.#onClosed(client!, reason));
      return false;
    } catch (error) {
      watch.stop();
      const problem = messageOf(error);
      tried(signal.aborted ? 'cancelled' : error instanceof TimeoutError ? 'timeout' : 'error');
      if (this.client === client)
        await this.#disconnect({ requestedBy: 'host', why: plainFailure(error), outcome: 'error' });
      disconnected.abort(error);
      await client?.close();
      if (signal.aborted) return false;
      this.#failures++;
      const isCounted = !isOutage(error, this.#options.config);
      const isFinal = isPermanent(error) || (isCounted && this.#failures >= MAX_FAILURES);
      this.isLate = false;
      this.#setState(isFinal ? 'failed' : 'starting', problem);
      return !isFinal;
    }
  }

  /** After a timeout: a server that does not answer a ping either is restarted. */
  async #checkAlive(client: Client): Promise<void> {
    const answers = await client.ping({ timeout: PING_MS }).then(
      () => true,
      () => false,
    );
    if (!answers) await this.#onClosed(client, new TimeoutError('request-timeout', 'it stopped responding'));
  }

  /** After the connection ended: restarts the server, at once if it had run well, else after a pause. */
  async #onClosed(client: Client, reason: Error | undefined): Promise<void> {
    if (this.client !== client) return;
    const { signal } = this.#life;
    this.#failures = performance.now() - this.#readySince < QUICK_MS ? this.#failures + 1 : 0;
    const isFinal = this.#failures >= MAX_FAILURES;
    this.#setState(isFinal ? 'failed' : 'starting', reason?.message ?? 'the connection ended');
    const why = reason === undefined ? 'the connection ended' : plainFailure(reason);
    await this.#disconnect({ requestedBy: this.alias, why, outcome: 'error' });
    if (isFinal || signal.aborted) return;
    if (this.#failures > 0) await this.#scheduleRetry();
    else await this.#startOnce(this.launchDigest);
  }

  #scheduleIdleStop(): void {
    const { idleMs } = this.#options.config;
    if (idleMs === undefined || this.#busy > 0 || this.client === undefined) return;
    clearTimeout(this.#idle);
    const why = `it was idle for ${idleMs} ms`;
    this.#idle = setTimeout(() => void this.stop({ requestedBy: 'host', why }, 'idle'), idleMs);
    this.#idle.unref();
  }
}
