// The recording of one request, or of one message on a channel.
import type { Revision } from 'tenon';

export const TRANSPORTS = ['memory', 'stdio', 'http', 'fetch', 'http-stateless', 'fetch-stateless', 'sse'] as const;

/** The transports: two kinds of channel, `node:http` over sockets, the fetch entry, both also without sessions, HTTP+SSE. */
export type Transport = (typeof TRANSPORTS)[number];

export interface Cell {
  readonly transport: Transport;
  readonly revision: Revision;
}

/** How an HTTP response ended: completed, broken by the server, or left by the client. */
export type End = 'complete' | 'broken' | 'left';

export interface Exchange {
  readonly transport: Transport;
  readonly revision: Revision;
  /** The name of the input; unique within transport and revision. */
  readonly input: string;
  /** The sent text, shown with differences. It is not compared. */
  readonly sent: string;
  status?: number;
  /** Names and values in the received order. */
  headers?: (readonly [name: string, value: string])[];
  /** HTTP+SSE: the body of the response to the POST. */
  posted?: string;
  /** Messages of a channel, events of a stream, or one body, byte for byte. */
  frames: string[];
  end?: End;
}

/** All exchanges with one build. */
export interface Recording {
  readonly folder: string;
  readonly exchanges: readonly Exchange[];
}

/** The key by which two recordings are matched. */
export function keyOf({ transport, revision, input }: Exchange): string {
  return `${input} (${transport}, ${revision})`;
}
