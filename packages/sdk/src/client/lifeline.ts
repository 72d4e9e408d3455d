import { abortError, ConnectionError, TimeoutError } from '../protocol/errors.ts';
import { backOff } from './back-off.ts';
import { sleep } from './clock.ts';
import type { Conversation } from './conversation.ts';
import type { Calls } from './correlate.ts';
import { type Agreed, type Dialer, negotiate } from './negotiate.ts';
import type { Settings } from './options.ts';
import type { Report } from './report.ts';
import type { CallOptions } from './types.ts';

/** The connection of a client, which may end and be made again. */
export interface Lifeline {
  /** The connection there is. */
  readonly live: Conversation | undefined;
  /** The connection there is, or the next one. */
  reach(options: CallOptions): Promise<Conversation>;
  /** Makes a new connection now, if there is none. */
  wake(): void;
  close(): Promise<void>;
  /** Resolves when there will be no connection any more: with the reason, or undefined after `close`. */
  readonly closed: Promise<ConnectionError | undefined>;
}

export interface LifelineOptions {
  readonly dialer: Dialer;
  readonly settings: Settings;
  readonly report: Report;
  /** Begins to talk on a new connection. `again`: it replaces one that ended. */
  begin(agreed: Agreed, again: boolean): Conversation;
  /** The connection ended. Gives whether a new one is needed at once. */
  ended(): boolean;
}

/** A server that ends sooner than this after its start has failed. */
const QUICK_MS = 10_000;
/** After so many failures in a row it is not started again. */
const MOST_FAILURES = 5;

/**
 * Connects, and connects again when a server ended unexpectedly: at once if it had run well, else after 1, 2, 4 … 60 s, and after five failures
 * in a row no more. Rejects if the first connection cannot be made. See "Unexpected termination" of the stdio transport.
 */
export const openLifeline = async (options: LifelineOptions): Promise<Lifeline> => {
  const { dialer, settings, report, begin } = options;
  const { clock } = settings;
  const closing = new AbortController();
  let live: Conversation | undefined;
  let since = 0;
  let failures = 0;
  let notBefore = 0;
  let coming: Promise<Conversation> | undefined;
  let over: ConnectionError | undefined;
  let tellClosed: (reason: ConnectionError | undefined) => void;
  const closed = new Promise<ConnectionError | undefined>((resolve) => {
    tellClosed = resolve;
  });

  const adopt = (agreed: Agreed, again: boolean): Conversation => {
    since = clock.now();
    const conversation = begin(agreed, again);
    live = conversation;
    void agreed.calls.ended.then((error) => lost(agreed.calls, error));
    return conversation;
  };

  const finish = (error: ConnectionError, reason: ConnectionError | undefined): void => {
    if (over !== undefined) return;
    over = error;
    tellClosed(reason);
  };

  const failed = (error: Error): void => {
    failures++;
    notBefore = clock.now() + backOff(failures);
    if (failures < MOST_FAILURES) return;
    const gone = new ConnectionError(
      `The server ended or failed ${failures} times in a row and is not started again: ${error.message}`,
      {
        cause: error.cause ?? error,
      },
    );
    report('error', 'given-up', gone.message, gone.cause);
    finish(gone, gone);
  };

  const lost = (calls: Calls, error: ConnectionError): void => {
    live = undefined;
    const needed = options.ended();
    if (closing.signal.aborted) return;
    calls
      .close()
      .catch((cause: unknown) => report('debug', 'close-failed', 'The connection could not be closed', cause));
    if (!dialer.restarts) return finish(error, error);
    report('warn', 'connection-lost', error.message, error.cause);
    if (clock.now() - since < QUICK_MS) failed(error);
    else failures = notBefore = 0;
    if (needed && over === undefined) void wake();
  };

  const reconnect = async (): Promise<Conversation> => {
    for (;;) {
      const pause = notBefore - clock.now();
      if (pause > 0) await sleep(clock, pause, closing.signal);
      try {
        return adopt(await negotiate(dialer, settings, report, closing.signal), true);
      } catch (error) {
        if (closing.signal.aborted) throw over ?? error;
        report('warn', 'restart-failed', (error as Error).message, (error as Error).cause);
        failed(error as Error);
        if (over !== undefined) throw over;
      }
    }
  };

  const wake = (): Promise<Conversation> => {
    if (coming !== undefined) return coming;
    coming = reconnect().finally(() => {
      coming = undefined;
    });
    coming.catch(() => {});
    return coming;
  };

  const reach = ({ signal, timeout = settings.timeout }: CallOptions): Promise<Conversation> => {
    if (over !== undefined) return Promise.reject(new ConnectionError(over.message, { cause: over.cause ?? over }));
    if (live !== undefined) return Promise.resolve(live);
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(abortError(signal));
      const abort = (): void => reject(abortError(signal!));
      const timer =
        timeout === Infinity
          ? undefined
          : clock.setTimeout(() => reject(new TimeoutError(`No connection to the server for ${timeout} ms`)), timeout);
      signal?.addEventListener('abort', abort, { once: true });
      wake()
        .then(resolve, reject)
        .finally(() => {
          clock.clearTimeout(timer);
          signal?.removeEventListener('abort', abort);
        });
    });
  };

  adopt(await negotiate(dialer, settings, report, settings.signal), false);

  return {
    get live() {
      return live;
    },
    reach,
    wake: () => {
      if (live === undefined && over === undefined) void wake();
    },
    async close() {
      const first = !closing.signal.aborted;
      const calls = live?.calls;
      finish(new ConnectionError('The client is closed'), undefined);
      if (first) closing.abort(new ConnectionError('The client is closed'));
      await calls?.close('The client is closed');
      await coming?.catch(() => {});
    },
    closed,
  };
};
