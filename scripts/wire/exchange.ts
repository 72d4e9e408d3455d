// What is recorded of one request, or of one message on a channel.
import type { Revision } from 'tenon';

export const TRANSPORTS = ['memory', 'stdio', 'http', 'fetch', 'http-stateless', 'fetch-stateless', 'sse'] as const;

/** How the messages travel: two kinds of channel, `node:http` over sockets, the fetch entry, both also without sessions, HTTP+SSE. */
export type Transport = (typeof TRANSPORTS)[number];

export interface Cell {
  readonly transport: Transport;
  readonly revision: Revision;
}

/** How an HTTP answer ended: completed, broken off by the server, or left by the client. */
export type End = 'complete' | 'broken' | 'left';

export interface Exchange {
  readonly transport: Transport;
  readonly revision: Revision;
  /** The name of the input; unique within transport and revision. */
  readonly input: string;
  /** What was sent, for the reader of a difference. It is not compared. */
  readonly sent: string;
  status?: number;
  /** Names and values in the order in which they came. */
  headers?: (readonly [name: string, value: string])[];
  /** HTTP+SSE: the body of the answer to the POST. */
  posted?: string;
  /** Messages of a channel, events of a stream, or one body: each as it came, byte for byte. */
  frames: string[];
  end?: End;
}

/** All exchanges with one build. */
export interface Recording {
  readonly folder: string;
  readonly exchanges: readonly Exchange[];
}

/** What two recordings are matched by. */
export function keyOf({ transport, revision, input }: Exchange): string {
  return `${input} (${transport}, ${revision})`;
}
