import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../../../protocol/log.ts';
import type { Store } from '../../../store/store.ts';
import { within } from '../../promises.ts';

/** The paths at which load balancers and supervisors check a server; `false`: none. */
export interface ProbePaths {
  readonly health: string | false;
  readonly ready: string | false;
}

/** How long the store may take to answer, and how long its answer counts, in milliseconds. */
const CHECK_MS = 1_000;
/** A load balancer that has asked within this time is likely to ask again, in milliseconds. */
const ASKING_MS = 60_000;

/** A key without a value. */
const UNUSED_KEY = 'tenon/ready';

/**
 * Answers the probes of a server. They are exempt from the check of the host, because probes name the server by its address. That is safe:
 * the answer is the same for every sender, no page of another origin can read it, and nothing changes.
 */
export class Probes {
  readonly #paths: ProbePaths;
  readonly #store: Store | undefined;
  readonly #log: Logger;
  /** The server shuts down. */
  draining = false;
  #checkedAt = -Infinity;
  #check: Promise<boolean> = Promise.resolve(true);
  #askedAt = -Infinity;

  constructor(paths: ProbePaths, store: Store | undefined, log: Logger) {
    this.#paths = paths;
    this.#store = store;
    this.#log = log;
  }

  /** Does something check whether this server is ready, such as a load balancer? */
  get areUsed(): boolean {
    return performance.now() - this.#askedAt < ASKING_MS;
  }

  /** Answers a probe; returns false for any other request. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = '', method } = request;
    if (method !== 'GET' && method !== 'HEAD') return false;
    const mark = url.indexOf('?');
    const path = mark === -1 ? url : url.slice(0, mark);
    if (path === this.#paths.health) send(response, 'ok');
    else if (path === this.#paths.ready) void this.#answerReady(response);
    else return false;
    return true;
  }

  async #answerReady(response: ServerResponse): Promise<void> {
    this.#askedAt = performance.now();
    if (this.draining) return send(response, 'draining');
    return send(response, (await this.#storeAnswers()) ? 'ok' : 'store-unavailable');
  }

  /** Does the store answer? It is asked at most once a second, however many probes there are. */
  #storeAnswers(): Promise<boolean> {
    const store = this.#store;
    if (store === undefined) return Promise.resolve(true);
    const now = performance.now();
    if (now - this.#checkedAt < CHECK_MS) return this.#check;
    this.#checkedAt = now;
    return (this.#check = this.#ask(store));
  }

  async #ask(store: Store): Promise<boolean> {
    let isAnswered = false;
    let failure: unknown;
    const ask = async (): Promise<void> => {
      try {
        await store.get(UNUSED_KEY);
        isAnswered = true;
      } catch (error) {
        failure = error;
      }
    };
    await within(CHECK_MS, ask(), false);
    if (!isAnswered)
      this.#log({ level: 'error', event: 'store-failed', message: 'The store does not answer', details: failure });
    return isAnswered;
  }
}

function send(response: ServerResponse, status: 'ok' | 'draining' | 'store-unavailable'): void {
  const fields = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  response.writeHead(status === 'ok' ? 200 : 503, fields);
  response.end(JSON.stringify({ status }));
}
