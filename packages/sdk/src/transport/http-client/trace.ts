import type { SseEvent } from '../../wire/sse-parser.ts';

/** Headers whose values anybody may see. All others may hold what is secret. */
const PUBLIC: ReadonlySet<string> = new Set([
  'accept',
  'allow',
  'content-length',
  'content-type',
  'cache-control',
  'last-event-id',
  'location',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'retry-after',
  'transfer-encoding',
  'www-authenticate',
]);

const shownValue = (name: string, value: string): string =>
  PUBLIC.has(name) || name.startsWith('mcp-param-') ? value : '…';

/** An address without what may be secret in it. */
const shownUrl = (url: string): string => {
  const { origin, pathname, search } = new URL(url);
  return `${origin}${pathname}${search === '' ? '' : '?…'}`;
};

const request = (method: string, url: string, headers: Readonly<Record<string, string>>): string =>
  [
    `${method} ${shownUrl(url)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${shownValue(name, value)}`),
  ].join('; ');

const TOLD = ['content-type', 'mcp-session-id', 'allow', 'location', 'retry-after', 'www-authenticate'] as const;

const answer = (status: number, header: (name: string) => string | undefined): string =>
  [
    `${status}`,
    ...TOLD.flatMap((name) => {
      const value = header(name);
      return value === undefined ? [] : [`${name}: ${shownValue(name, value)}`];
    }),
  ].join('; ');

const event = ({ event: name, id, kind }: SseEvent): string =>
  [`event: ${name}`, ...(id === '' ? [] : [`id: ${id}`]), ...(kind === 'empty' ? ['no data'] : [])].join('; ');

/** HTTP as lines of a trace. */
export interface HttpLines {
  request(method: string, url: string, headers: Readonly<Record<string, string>>): string;
  /** The head of an answer. */
  answer(status: number, header: (name: string) => string | undefined): string;
  /** What of an event of a stream is not its message. */
  event(event: SseEvent): string;
}

export const httpLines: HttpLines = { request, answer, event };
