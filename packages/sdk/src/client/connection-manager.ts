import { onAbort } from '../protocol/on-abort.ts';
import { abortError } from '../protocol/abort-error.ts';
import { ConnectionError, TimeoutError } from '../protocol/errors.ts';
import { askedDelay, backOff } from './back-off.ts';
import { sleep, type Timer } from './clock.ts';
import type { NegotiationResult, ServerConnection } from './server-connection.ts';
import { copyError, type RpcConnection } from './rpc-connection.ts';
import type { Dialer } from './dialer.ts';
import { negotiate } from './negotiate.ts';
import type { Settings } from './options.ts';
import type { Report } from './report.ts';
import type { CallOptions } from './types.ts';

export interface ConnectionManagerOptions {
  readonly dialer: Dialer;
  readonly settings: Settings;
  readonly report: Report;
  /** Starts a connection that has been negotiated. `isReconnect`: it replaces a connection that ended. */
  onConnected(negotiated: NegotiationResult, isReconnect: boolean): ServerConnection;
  /** The connection has ended. */
  onLost(): void;
  /** Is a connection needed although there is no call, for watches? */
  isNeeded(): boolean;
}

/** A connection that ends sooner than this counts as a failure. */
const MIN_UPTIME_MS = 10_000;
/** A process is not started again after this many consecutive failures. */
const MAX_FAILURES = 5;

/**
 * Holds a client's current connection, and replaces it when it ends.
 *
 * A process that had run for some time is started again at once, others after 1, 2, 4 … 60 s, and no longer after five consecutive
 * failures; calls wait for it. See "Unexpected termination" of the stdio transport. A remote server restarts independently: each call tries
 * to connect, and fails with the reason if it cannot. Watches need a connection even without a call: for them, connecting is retried after
 * the same pauses, without a limit.
 */
export class ConnectionManager {
  /** Resolves when there will be no more connections: with the reason, or with undefined after `close`. */
  readonly closed: Promise<ConnectionError | undefined>;
  readonly #options: ConnectionManagerOptions;
  readonly #closing = new AbortController();
  #current: ServerConnection | undefined;
  #connectedAt = 0;
  #failures = 0;
  #notBefore = 0;
  #connecting: Promise<ServerConnection> | undefined;
  /** Timer for connecting without a call. */
  #retryTimer: Timer;
  #endError: ConnectionError | undefined;
  #resolveClosed!: (reason: ConnectionError | undefined) => void;

  constructor(options: ConnectionManagerOptions) {
    this.#options = options;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
  }

  /** Makes the first connection. Rejects if that fails. */
  async connect(): Promise<void> {
    const { dialer, settings, report } = this.#options;
    this.#adopt(await negotiate(dialer, settings, report, settings.signal), false);
  }

  /** The current connection, if there is one. */
  get current(): ServerConnection | undefined {
    return this.#current;
  }

  /** The current connection, or the next one once it is made. */
  whenConnected({ signal, timeout = this.#options.settings.timeout }: CallOptions): Promise<ServerConnection> {
    if (this.#endError !== undefined) return Promise.reject(copyError(this.#endError));
    if (this.#current !== undefined) return Promise.resolve(this.#current);
    const { clock } = this.#options.settings;
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(abortError(signal));
      const late = (): void =>
        reject(new TimeoutError('connect-timeout', `No connection to the server within ${timeout} ms`));
      const timer = timeout === Infinity ? undefined : clock.setTimeout(late, timeout);
      const stopListening = onAbort(signal, () => reject(abortError(signal!)));
      const settled = (): void => {
        clock.clearTimeout(timer);
        stopListening();
      };
      this.#reconnectOnce().then(resolve, reject).finally(settled);
    });
  }

  /** Makes a new connection without a call, if there is none and one is needed. */
  connectIfNeeded(): void {
    if (this.#current !== undefined || this.#connecting !== undefined || this.#endError !== undefined) return;
    if (!this.#options.isNeeded()) return;
    const { clock } = this.#options.settings;
    clock.clearTimeout(this.#retryTimer);
    const pause = this.#notBefore - clock.now();
    if (this.#isRemote && pause > 0) this.#retryTimer = clock.setTimeout(() => this.connectIfNeeded(), pause);
    else void this.#reconnectOnce();
  }

  /** Is the server at a URL, rather than a process of this client? */
  get #isRemote(): boolean {
    return this.#options.dialer.http !== undefined;
  }

  get url(): string | undefined {
    return this.#options.dialer.url;
  }

  async close(): Promise<void> {
    const rpc = this.#current?.rpc;
    const closed = new ConnectionError('closed', 'The client is closed');
    this.#finish(closed, undefined);
    if (!this.#closing.signal.aborted) this.#closing.abort(closed);
    await rpc?.close('The client is closed');
    await this.#connecting?.catch(() => {});
  }

  #adopt(negotiated: NegotiationResult, isReconnect: boolean): ServerConnection {
    this.#connectedAt = this.#options.settings.clock.now();
    this.#current = this.#options.onConnected(negotiated, isReconnect);
    void negotiated.rpc.ended.then((error) => this.#onEnded(negotiated.rpc, error));
    return this.#current;
  }

  #onEnded(rpc: RpcConnection, error: ConnectionError): void {
    const { dialer, settings, report } = this.#options;
    this.#current = undefined;
    this.#options.onLost();
    if (this.#closing.signal.aborted) return;
    rpc.close().catch((cause: unknown) => report('debug', 'close-failed', 'The connection could not be closed', cause));
    if (!dialer.restarts) return this.#finish(error, error);
    report('warn', 'connection-lost', error.message, error.cause);
    // The first time that a server has forgotten the session is not a failure.
    if (error.status === 404 && this.#failures === 0) this.#failures = 1;
    else if (settings.clock.now() - this.#connectedAt < MIN_UPTIME_MS) this.#countFailure(error);
    else this.#failures = this.#notBefore = 0;
    this.connectIfNeeded();
  }

  #countFailure(error: Error): void {
    const { settings, report } = this.#options;
    this.#failures++;
    const asked = error instanceof ConnectionError ? error.retryAfterMs : undefined;
    this.#notBefore = settings.clock.now() + Math.max(backOff(this.#failures), askedDelay(asked));
    if (this.#isRemote || this.#failures < MAX_FAILURES) return;
    const message = `The server ended or failed ${this.#failures} times in a row and is not started again: ${error.message}`;
    const ended = new ConnectionError('given-up', message, { cause: error.cause ?? error });
    report('error', 'given-up', ended.message, ended.cause);
    this.#finish(ended, ended);
  }

  #reconnectOnce(): Promise<ServerConnection> {
    if (this.#connecting !== undefined) return this.#connecting;
    this.#connecting = this.#reconnect().finally(() => {
      this.#connecting = undefined;
      // Until now `connectIfNeeded` relied on this attempt. It may have failed, or its connection may have ended already.
      this.connectIfNeeded();
    });
    this.#connecting.catch(() => {});
    return this.#connecting;
  }

  async #reconnect(): Promise<ServerConnection> {
    const { dialer, settings, report } = this.#options;
    const { signal } = this.#closing;
    for (;;) {
      const pause = this.#notBefore - settings.clock.now();
      if (pause > 0 && !this.#isRemote) await sleep(settings.clock, pause, signal);
      try {
        return this.#adopt(await negotiate(dialer, settings, report, signal), true);
      } catch (error) {
        if (signal.aborted) throw this.#endError ?? error;
        report('warn', 'restart-failed', (error as Error).message, (error as Error).cause);
        this.#countFailure(error as Error);
        if (this.#endError !== undefined) throw this.#endError;
        if (this.#isRemote) throw error;
      }
    }
  }

  #finish(error: ConnectionError, reason: ConnectionError | undefined): void {
    if (this.#endError !== undefined) return;
    this.#endError = error;
    this.#options.settings.clock.clearTimeout(this.#retryTimer);
    this.#resolveClosed(reason);
  }
}
