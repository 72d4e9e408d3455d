import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Routes } from '../api/routes.ts';
import { type TraceSource, WorkbenchError } from '../session/contract.ts';
import { COMMON_HEADERS, DATA_POLICY } from './headers.ts';
import { ANSWERED, type Call, type Handlers } from './route.ts';
import { lanesOf } from './trace-lanes.ts';
import { linesOf } from './trace-lines.ts';
import { createTraceQueries } from './trace-query.ts';
import { createTraceSessions } from './trace-sessions.ts';
import { createTurns } from './turns.ts';

const DEFAULT_ROWS = 200;
const DEFAULT_BUCKETS = 200;

/** A file name that is safe on every system and in a header. */
function fileName(file: string): string {
  return basename(file).replaceAll(/[^\w.-]/g, '_') || 'trace.mcptrace';
}

async function sendFile(trace: TraceSource, { response, signal }: Call<Routes['download']>): Promise<typeof ANSWERED> {
  // Reading flushes the buffered lines, so the file ends with a whole line.
  trace.read(trace.index.length, trace.index.length);
  const { size } = await stat(trace.file).catch((error: unknown) => {
    throw new WorkbenchError('failed', `The file of the trace cannot be read: ${(error as Error).message}`);
  });
  response.writeHead(200, {
    ...COMMON_HEADERS,
    'content-security-policy': DATA_POLICY,
    'content-type': 'application/x-ndjson; charset=utf-8',
    'content-length': size,
    'content-disposition': `attachment; filename="${fileName(trace.file)}"`,
  });
  if (size === 0) response.end();
  else await pipeline(createReadStream(trace.file, { end: size - 1 }), response, { signal }).catch(() => {});
  return ANSWERED;
}

/** The handlers of the routes that read the trace. */
export function traceHandlers(trace: TraceSource): Pick<Handlers, 'trace' | 'lines' | 'lanes' | 'download'> {
  const turns = createTurns();
  const sessions = createTraceSessions(trace);
  const queries = createTraceQueries(trace, sessions, turns);
  return {
    trace: ({ query: { filter = '', from = 0, count = DEFAULT_ROWS }, signal }) =>
      queries.rows({ filter, from, count }, signal),
    lines: async ({ query, signal }) => ({ lines: await linesOf(trace, query.n, turns, signal) }),
    lanes: ({ query: { from = 0, to, buckets = DEFAULT_BUCKETS }, signal }) =>
      lanesOf(trace, sessions, { from, to, buckets }, turns, signal),
    download: (call) => sendFile(trace, call),
  };
}
