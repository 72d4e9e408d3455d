import type { CheckRow } from '../rules/finding.ts';
import type { LiveServer } from '../session/live.ts';
import { runLoad } from './load.ts';

const CONCURRENCY = 16;
const DURATION_MS = 1_000;

/** A second of pings, many at once: that none fails, and how long they take. No tool is called, because its effects are unknown. */
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
