import type { ApiClock } from './clock.ts';

/** A refusal, as rules for limits see it. */
export interface LimitedReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** How often this request was refused before. */
  readonly attempt: number;
  /** In milliseconds since 1970. */
  readonly now: number;
}

/** How long to wait before the request is sent again, in milliseconds; undefined if a limit is not the reason of the refusal. */
export type WaitRule = (reply: LimitedReply) => number | undefined;

/** The wait in a Retry-After header, given in seconds or as a date (RFC 9110, 10.2.3), in milliseconds. Undefined without a valid header. */
export function retryAfter({ headers, now }: Pick<LimitedReply, 'headers' | 'now'>): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const date = /^[A-Za-z]{3}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The wait until a limit without remaining requests ends, if the headers with this prefix say when, in milliseconds. */
export function untilReset(
  { headers, now }: Pick<LimitedReply, 'headers' | 'now'>,
  prefix: string,
): number | undefined {
  // In seconds since 1970. Larger numbers are no times that a date could show.
  const reset = headers.get(`${prefix}-reset`)?.trim() ?? '';
  if (headers.get(`${prefix}-remaining`) !== '0' || !/^\d{1,10}$/.test(reset)) return undefined;
  return Math.max(0, Number(reset) * 1_000 - now);
}

/** A wait that doubles with every attempt, starting with this one, in milliseconds. */
export function doubling(first: number, attempt: number): number {
  return first * 2 ** Math.min(attempt, 10);
}

/** The rule for services that follow HTTP: 429 always is a limit, 503 only with Retry-After. */
export function waitByStatus(reply: LimitedReply): number | undefined {
  if (reply.status === 429) return retryAfter(reply) ?? doubling(1_000, reply.attempt);
  return reply.status === 503 ? retryAfter(reply) : undefined;
}

/** How often a waiting call reports, in milliseconds. */
const REPORT_MS = 5_000;
/** A wait is never shorter, so that an answer with `Retry-After: 0` does not cause a flood of requests. */
const MIN_WAIT_MS = 1_000;
/** After this time, the service is asked again, so that one wrong answer does not stop all calls for years. */
const MAX_PAUSE_MS = 3_600_000;
/** After a pause, the calls that have waited go on one by one, this long after each other. */
const SPREAD_MS = 100;

/** The times until which a service wants no requests: one for all calls, because the limit is that of the token. */
export class Pauses {
  readonly #clock: ApiClock;
  /** `end`: what the service has said, which may be later than the end of the pause. */
  readonly #pauses = new Map<string, { readonly until: number; readonly end: number }>();
  /** When the next of the calls that have waited may go on. */
  readonly #next = new Map<string, number>();

  constructor(clock: ApiClock) {
    this.#clock = clock;
  }

  /** Pauses the requests that share this limit, for an hour at most. */
  add(limit: string, ms: number): void {
    const [now, wait] = [this.#clock.now(), Math.max(ms, MIN_WAIT_MS)];
    const { until, end } = this.#pauses.get(limit) ?? { until: 0, end: 0 };
    this.#pauses.set(limit, {
      until: Math.max(now + Math.min(wait, MAX_PAUSE_MS), until),
      end: Math.max(now + wait, end),
    });
  }

  /** When the service accepts requests again, as far as it has said, in milliseconds since 1970. */
  end(limit: string): number {
    return this.#pauses.get(limit)?.end ?? this.#clock.now();
  }

  /** The rest of the pause, in milliseconds. */
  rest(limit: string): number {
    const rest = (this.#pauses.get(limit)?.until ?? 0) - this.#clock.now();
    if (rest <= 0) this.#pauses.delete(limit);
    return Math.max(0, rest);
  }

  /** Waits until the pause is over and those that came first go on, and reports the remaining seconds. */
  async wait(limit: string, signal: AbortSignal, report: (seconds: number) => unknown): Promise<void> {
    let hasWaited = false;
    for (let rest = this.rest(limit); rest > 0; rest = this.rest(limit)) {
      hasWaited = true;
      await report(Math.ceil(rest / 1_000));
      await this.#clock.sleep(Math.min(rest, REPORT_MS), signal);
    }
    if (hasWaited) await this.#takeTurn(limit, signal);
  }

  async #takeTurn(limit: string, signal: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    const turn = Math.max(now, this.#next.get(limit) ?? 0);
    this.#next.set(limit, turn + SPREAD_MS);
    if (turn > now) await this.#clock.sleep(turn - now, signal);
  }
}
