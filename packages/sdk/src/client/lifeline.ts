import { abortError, ConnectionError, TimeoutError } from '../protocol/errors.ts';
import { backOff } from './back-off.ts';
import { sleep, type Timer } from './clock.ts';
import type { Agreed, Conversation } from './conversation.ts';
import { again, type Calls } from './correlate.ts';
import type { Dialer } from './dialer.ts';
import { negotiate } from './negotiate.ts';
import type { Settings } from './options.ts';
import type { Report } from './report.ts';
import type { CallOptions } from './types.ts';

export interface LifelineOptions {
  readonly dialer: Dialer;
  readonly settings: Settings;
  readonly report: Report;
  /** Begins to talk on a new connection. `again`: it replaces one that ended. */
  begin(agreed: Agreed, again: boolean): Conversation;
  /** The connection ended. */
  ended(): void;
  /** Is a connection needed even while there is no call? */
  needed(): boolean;
}

/** A server that ends sooner than this after its start has failed. */
const QUICK_MS = 10_000;
/** After so many failures in a row a process is not started again. */
const MOST_FAILURES = 5;

/**
 * The connection of a client, which may end and be made again.
 *
 * A process is started again at once if it had run well, else after 1, 2, 4 … 60 s, and after five failures in a row no more; calls wait
 * for it. See "Unexpected termination" of the stdio transport. A server at an address comes back on its own: each call tries to connect,
 * and fails with the reason if it cannot. Watches need a connection without a call; for them it is retried after the same pauses, without
 * end.
 */
export class Lifeline {
  /** Resolves when there will be no connection any more: with the reason, or undefined after `close`. */
  readonly closed: Promise<ConnectionError | undefined>;
  readonly #options: LifelineOptions;
  readonly #closing = new AbortController();
  #live: Conversation | undefined;
  #since = 0;
  #failures = 0;
  #notBefore = 0;
  #coming: Promise<Conversation> | undefined;
  /** Waits to connect without a call. */
  #later: Timer;
  #over: ConnectionError | undefined;
  #tellClosed!: (reason: ConnectionError | undefined) => void;

  constructor(options: LifelineOptions) {
    this.#options = options;
    this.closed = new Promise((resolve) => {
      this.#tellClosed = resolve;
    });
  }

  /** Makes the first connection. Rejects if there is none to be had. */
  async connect(): Promise<void> {
    const { dialer, settings, report } = this.#options;
    this.#adopt(await negotiate(dialer, settings, report, settings.signal), false);
  }

  /** The connection there is. */
  get live(): Conversation | undefined {
    return this.#live;
  }

  /** The connection there is, or the next one. */
  reach({ signal, timeout = this.#options.settings.timeout }: CallOptions): Promise<Conversation> {
    if (this.#over !== undefined) return Promise.reject(again(this.#over));
    if (this.#live !== undefined) return Promise.resolve(this.#live);
    const { clock } = this.#options.settings;
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(abortError(signal));
      const abort = (): void => reject(abortError(signal!));
      const late = (): void => reject(new TimeoutError(`No connection to the server for ${timeout} ms`));
      const timer = timeout === Infinity ? undefined : clock.setTimeout(late, timeout);
      signal?.addEventListener('abort', abort, { once: true });
      const settled = (): void => {
        clock.clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      this.#connectAgain().then(resolve, reject).finally(settled);
    });
  }

  /** Makes a new connection without a call, if there is none and something needs one. */
  wake(): void {
    if (this.#live !== undefined || this.#coming !== undefined || this.#over !== undefined) return;
    if (!this.#options.needed()) return;
    const { clock } = this.#options.settings;
    clock.clearTimeout(this.#later);
    const pause = this.#notBefore - clock.now();
    if (this.#atAddress && pause > 0) this.#later = clock.setTimeout(() => this.wake(), pause);
    else void this.#connectAgain();
  }

  /** Is the server reached at an address, and no process of this client? */
  get #atAddress(): boolean {
    return this.#options.dialer.http !== undefined;
  }

  async close(): Promise<void> {
    const calls = this.#live?.calls;
    const closed = new ConnectionError('The client is closed');
    this.#finish(closed, undefined);
    if (!this.#closing.signal.aborted) this.#closing.abort(closed);
    await calls?.close('The client is closed');
    await this.#coming?.catch(() => {});
  }

  #adopt(agreed: Agreed, again: boolean): Conversation {
    this.#since = this.#options.settings.clock.now();
    this.#live = this.#options.begin(agreed, again);
    void agreed.calls.ended.then((error) => this.#lost(agreed.calls, error));
    return this.#live;
  }

  #lost(calls: Calls, error: ConnectionError): void {
    const { dialer, settings, report } = this.#options;
    this.#live = undefined;
    this.#options.ended();
    if (this.#closing.signal.aborted) return;
    calls
      .close()
      .catch((cause: unknown) => report('debug', 'close-failed', 'The connection could not be closed', cause));
    if (!dialer.restarts) return this.#finish(error, error);
    report('warn', 'connection-lost', error.message, error.cause);
    // A server that forgot a session has not failed, the first time.
    if (error.status === 404 && this.#failures === 0) this.#failures = 1;
    else if (settings.clock.now() - this.#since < QUICK_MS) this.#failed(error);
    else this.#failures = this.#notBefore = 0;
    this.wake();
  }

  #failed(error: Error): void {
    const { settings, report } = this.#options;
    this.#failures++;
    this.#notBefore = settings.clock.now() + backOff(this.#failures);
    if (this.#atAddress || this.#failures < MOST_FAILURES) return;
    const message = `The server ended or failed ${this.#failures} times in a row and is not started again: ${error.message}`;
    const gone = new ConnectionError(message, { cause: error.cause ?? error });
    report('error', 'given-up', gone.message, gone.cause);
    this.#finish(gone, gone);
  }

  #connectAgain(): Promise<Conversation> {
    if (this.#coming !== undefined) return this.#coming;
    this.#coming = this.#reconnect().finally(() => {
      this.#coming = undefined;
      // Until now `wake` relied on this attempt. It may have failed, or its connection may have ended already.
      this.wake();
    });
    this.#coming.catch(() => {});
    return this.#coming;
  }

  async #reconnect(): Promise<Conversation> {
    const { dialer, settings, report } = this.#options;
    const { signal } = this.#closing;
    for (;;) {
      const pause = this.#notBefore - settings.clock.now();
      if (pause > 0 && !this.#atAddress) await sleep(settings.clock, pause, signal);
      try {
        return this.#adopt(await negotiate(dialer, settings, report, signal), true);
      } catch (error) {
        if (signal.aborted) throw this.#over ?? error;
        report('warn', 'restart-failed', (error as Error).message, (error as Error).cause);
        this.#failed(error as Error);
        if (this.#over !== undefined) throw this.#over;
        if (this.#atAddress) throw error;
      }
    }
  }

  #finish(error: ConnectionError, reason: ConnectionError | undefined): void {
    if (this.#over !== undefined) return;
    this.#over = error;
    this.#options.settings.clock.clearTimeout(this.#later);
    this.#tellClosed(reason);
  }
}
