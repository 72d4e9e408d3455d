import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ROUTES } from '../api/routes.ts';
import type { LanesAnswer, LinesAnswer, TraceAnswer } from '../api/views.ts';
import { type TraceSource, WorkbenchError } from '../session/contract.ts';
import { numberOfQuery } from './fields.ts';
import { COMMON_HEADERS, DATA_POLICY } from './headers.ts';
import { badRequest } from './refusal.ts';
import { ANSWERED, type Call, type Route } from './route.ts';
import { lanesOf, MOST_BUCKETS } from './trace-lanes.ts';
import { linesOf, MOST_LINES } from './trace-lines.ts';
import { createTraceQueries, MOST_ROWS } from './trace-query.ts';
import { createTraceSessions } from './trace-sessions.ts';
import { createTurns } from './turns.ts';

const within = (value: number, least: number, most: number, name: string): number => {
  if (value < least || value > most) throw badRequest(`${name} must be from ${least} to ${most}`);
  return value;
};

const whole = (value: number, least: number, most: number, name: string): number => {
  if (!Number.isInteger(value)) throw badRequest(`${name} must be a whole number`);
  return within(value, least, most, name);
};

const MOST_PLACE = 2 ** 32;
const DEFAULT_ROWS = 200;
const DEFAULT_BUCKETS = 200;

const numbersOfLines = (text: string): readonly number[] => {
  const texts = text.split(',', MOST_LINES + 1);
  if (texts.length > MOST_LINES) throw badRequest(`n may name ${MOST_LINES} lines`);
  return texts.map((text) => {
    if (!/^\d{1,10}$/.test(text)) throw badRequest('n must be numbers of lines, with commas between them');
    return Number(text);
  });
};

/** A name that means the same to every system and in every header. */
const fileName = (file: string): string => basename(file).replaceAll(/[^\w.-]/g, '_') || 'trace.mcptrace';

const sendFile = async (trace: TraceSource, { response, signal }: Call): Promise<typeof ANSWERED> => {
  // Reading writes what still waits to be written: the file ends with a whole line.
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
};

/** What pages ask about the trace. */
export const traceRoutes = (trace: TraceSource): readonly Route[] => {
  const turns = createTurns();
  const sessions = createTraceSessions(trace);
  const queries = createTraceQueries(trace, sessions, turns);
  return [
    {
      method: 'GET',
      path: ROUTES.trace,
      act: ({ query, signal }): Promise<TraceAnswer> =>
        queries.rows(
          {
            filter: query.get('filter') ?? '',
            from: whole(numberOfQuery(query, 'from', 0), -MOST_PLACE, MOST_PLACE, 'from'),
            count: whole(numberOfQuery(query, 'count', DEFAULT_ROWS), 0, MOST_ROWS, 'count'),
          },
          signal,
        ),
    },
    {
      method: 'GET',
      path: ROUTES.lines,
      act: async ({ query, signal }): Promise<LinesAnswer> => ({
        lines: await linesOf(trace, numbersOfLines(query.get('n') ?? ''), turns, signal),
      }),
    },
    {
      method: 'GET',
      path: ROUTES.lanes,
      act: ({ query, signal }): Promise<LanesAnswer> => {
        const to = numberOfQuery(query, 'to', -1);
        return lanesOf(
          trace,
          sessions,
          {
            from: within(numberOfQuery(query, 'from', 0), 0, Number.MAX_SAFE_INTEGER, 'from'),
            to: to < 0 ? undefined : to,
            buckets: whole(numberOfQuery(query, 'buckets', DEFAULT_BUCKETS), 1, MOST_BUCKETS, 'buckets'),
          },
          turns,
          signal,
        );
      },
    },
    { method: 'GET', path: ROUTES.download, download: true, act: (call) => sendFile(trace, call) },
  ];
};
