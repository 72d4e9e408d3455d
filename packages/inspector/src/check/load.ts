import type { Client } from 'tenon/client';
import type { CheckRow } from '../rules/finding.ts';
import type { LiveServer } from '../session/live.ts';

/** The request to send, how many at once, and for how long. */
export interface LoadOptions {
  /** Sends one request. Rejects if it fails. */
  send(client: Client, signal: AbortSignal): Promise<unknown>;
  /** The number of requests in progress at any time. */
  readonly concurrency: number;
  /** How long to send requests, in milliseconds. */
  readonly durationMs: number;
  /** Ends the load early. `runLoad` then rejects with its reason. */
  readonly signal: AbortSignal;
}

/** The result of a load. Times in milliseconds. */
export interface LoadResult {
  /** The number of requests that ended. */
  readonly requests: number;
  /** The number of requests that failed. */
  readonly failures: number;
  /** The message of the first failure. */
  readonly firstFailure?: string;
  /** Requests that ended in each second, on average. */
  readonly perSecond: number;
  /** Half of the requests took no longer. */
  readonly p50: number;
  /** 90 % of the requests took no longer. */
  readonly p90: number;
  /** 99 % of the requests took no longer. */
  readonly p99: number;
  /** The slowest request. */
  readonly max: number;
}

/** The load ends after this many failures in a row. */
const MAX_FAILURES_IN_A_ROW = 100;
/** The most times kept. Beyond that, they are thinned out evenly. */
const MAX_TIMES = 200_000;

/** Keeps a sample of the times: when it is full, every second time is dropped, and from then on twice as many are skipped. */
function createTimes() {
  let kept: number[] = [];
  let step = 1;
  let seen = 0;
  return {
    add(ms: number): void {
      if (seen++ % step !== 0) return;
      kept.push(ms);
      if (kept.length < MAX_TIMES) return;
      kept = kept.filter((_ms, index) => index % 2 === 0);
      step *= 2;
    },
    sorted: (): number[] => kept.toSorted((a, b) => a - b),
  };
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/**
 * Sends requests one after the other, several at once, until the time is up or a hundred have failed in a row. Rejects only with
 * the reason of the signal; failed requests are counted.
 *
 * @example
 * ```ts
 * import { runLoad } from '@tenon/inspector';
 * import { connect } from 'tenon/client';
 *
 * await using client = await connect('https://weather.example/mcp');
 * const { p50, p99 } = await runLoad(client, {
 *   send: (to, signal) => to.call('forecast', { city: 'Oslo' }, { signal }),
 *   concurrency: 10,
 *   durationMs: 5_000,
 *   signal: AbortSignal.timeout(60_000),
 * });
 * ```
 */
export async function runLoad(client: Client, options: LoadOptions): Promise<LoadResult> {
  const { send, concurrency, durationMs, signal } = options;
  const times = createTimes();
  let requests = 0;
  let failures = 0;
  let firstFailure: string | undefined;
  let max = 0;
  const started = performance.now();
  let end = started + durationMs;
  let inRow = 0;

  const work = async (): Promise<void> => {
    while (performance.now() < end) {
      signal.throwIfAborted();
      const begun = performance.now();
      try {
        await send(client, signal);
        inRow = 0;
      } catch (error) {
        signal.throwIfAborted();
        failures++;
        firstFailure ??= (error as Error).message;
        // Requests to a server that has gone fail at once: that must not become a busy loop.
        inRow++;
        if (inRow >= MAX_FAILURES_IN_A_ROW) end = 0;
      }
      requests++;
      const ms = performance.now() - begun;
      times.add(ms);
      max = Math.max(max, ms);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  const sorted = times.sorted();
  const at = (share: number): number =>
    round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return {
    requests,
    failures,
    firstFailure,
    perSecond: Math.round(requests / ((performance.now() - started) / 1000)),
    p50: at(0.5),
    p90: at(0.9),
    p99: at(0.99),
    max: round(max),
  };
}

const CONCURRENCY = 16;
const DURATION_MS = 1_000;

/**
 * Sends many pings at once for a second: none may fail, and their times are reported. No tool is called, because its effects are
 * unknown.
 */
export async function loadRow(server: LiveServer, signal: AbortSignal): Promise<CheckRow> {
  const head = { group: 'load', id: 'ping', title: `${CONCURRENCY} pings at once for a second` } as const;
  const { status, problem } = server.view();
  if (status !== 'ready')
    return {
      ...head,
      status: 'fail',
      detail: 'the server is not there any more',
      findings: [
        {
          rule: 'load',
          severity: 'error',
          blame: problem?.blame ?? 'unknown',
          message: problem?.message ?? 'The server is not connected any more',
          evidence: problem?.evidence ?? [],
        },
      ],
    };
  const started = performance.now();
  const result = await runLoad(server.connected.client, {
    concurrency: CONCURRENCY,
    durationMs: DURATION_MS,
    signal,
    send: (client, stop) => client.ping({ signal: stop }),
  });
  const { requests, failures, perSecond, p50, p99, firstFailure } = result;
  return {
    ...head,
    status: failures === 0 ? 'pass' : 'fail',
    detail: `${requests} pings, ${perSecond} a second, p50 ${p50} ms, p99 ${p99} ms${failures === 0 ? '' : `, ${failures} failed`}`,
    ms: Math.round(performance.now() - started),
    findings:
      failures === 0
        ? []
        : [
            {
              rule: 'load',
              severity: 'error',
              blame: 'server',
              message: `${failures} of ${requests} pings failed: ${firstFailure}`,
              evidence: [],
            },
          ],
  };
}
