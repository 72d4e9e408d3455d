import type { ApiClock } from './clock.ts';
import type { WaitRule } from './rate-limits.ts';
import type { WholeReply } from './reply-cache.ts';
import type { ApiToken } from './token.ts';

export interface ApiLimits {
  /** Maximum size of an answer, uncompressed. Default: 10 MiB. */
  readonly maxBytes: number;
  /** Maximum duration of one request. Default: 30 seconds. */
  readonly timeoutMs: number;
  /** How long one request may wait for limits of the service. Default: 5 minutes. */
  readonly maxWaitMs: number;
  /** How many requests are sent at a time; up to 100 others wait. Default: 10. */
  readonly concurrency: number;
  /** How often a request that only reads is sent again after a failure. Default: 2. */
  readonly retries: number;
}

export const DEFAULT_LIMITS: ApiLimits = {
  maxBytes: 10 * 1024 * 1024,
  timeoutMs: 30_000,
  maxWaitMs: 300_000,
  concurrency: 10,
  retries: 2,
};

export interface ApiOptions {
  /** The name of the service in messages. */
  readonly service: string;
  /** The address that paths are relative to. No other origin is ever sent a request. */
  readonly url: string | URL;
  readonly token?: ApiToken;
  /** Headers of all requests. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly limits?: Partial<ApiLimits>;
  /** The status that an answer stands for, if the service has another use of statuses, such as errors with 200. Default: the one it has. */
  readonly statusOf?: (reply: WholeReply) => number;
  /** Recognizes refusals because of a limit. Default: 429, and 503 with Retry-After. */
  readonly waitFor?: WaitRule;
  /** Which limit applies to a request, if the service has several. Default: one for all. */
  readonly limitOf?: (url: URL) => string;
  /** Recognizes requests that change nothing, which may be repeated after a failure. Default: GET and HEAD. */
  readonly isRead?: (request: { readonly method: string; readonly url: URL }) => boolean;
  /** What else the headers or the body of a refusal say, as whole sentences. */
  readonly noteOn?: (headers: Headers, status: number, body: string) => string | undefined;
  readonly clock?: ApiClock;
}
