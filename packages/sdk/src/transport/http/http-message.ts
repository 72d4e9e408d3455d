import type { AllFields, HeaderLookup } from '../../wire/headers.ts';
import { decodePieces } from '../../wire/byte-pieces.ts';
import type { MessageText } from '../../protocol/message-text.ts';

/** A body that cannot be read as text: it is too large, or not UTF-8. */
export interface UnreadableBody {
  readonly unreadable: 'too large' | 'not UTF-8';
}

/** A request, independent of the HTTP library. */
export interface HttpRequest {
  /** `POST`, in upper case. */
  readonly method: string;
  /** The path of the URL as it was sent, without the query. */
  readonly path: string;
  /**
   * The `Host` header, or its replacement (`:authority`, the host of the URL). Undefined if there is none, and if the target of the request names
   * another host.
   */
  readonly host: string | null | undefined;
  /** The host that the target of the request names, if it names one. */
  readonly authority?: string | undefined;
  readonly header: HeaderLookup;
  /** The remote address of the connection; undefined if unknown. */
  readonly address?: string | undefined;
  /** The name of a header that was sent more than once although it has a single value. */
  readonly repeated: string | undefined;
  /** All header fields, by names in lower case. */
  fields(): AllFields;
  /** The query of the URL as it was sent, without the question mark; empty if there is none. */
  readonly search: string;
  /** The value of a query parameter. */
  query(name: string): string | undefined;
  /**
   * Reads the body as text and passes it to `take`. At most `most` bytes are read. Call it only once. If the sender disconnects before the
   * end, `take` is never called. `secret`: the body must not appear in traces.
   */
  body(most: number, take: (body: string | UnreadableBody) => void, secret?: boolean): void;
}

/** Headers of a response, by names in lower case. */
export type Headers = Readonly<Record<string, string>>;

/** The response to a request: sent at once with `send`, or begun with `stream`, then `write` and `end`. */
export interface HttpReply {
  /** Sends the whole response. `close`: closes the connection afterwards; the rest of the request is not read. */
  send(status: number, headers: Headers, body?: MessageText, close?: boolean): void;
  stream(headers: Headers): void;
  /** Returns a promise while the peer is behind; it resolves when there is room again, or the peer has disconnected. */
  write(text: string): void | Promise<void>;
  end(): void;
  /** Breaks the connection. */
  destroy(): void;
  /** The number of bytes that wait for the peer to read. */
  readonly unsent: number;
  /** Has the peer disconnected, or received everything? */
  readonly closed: boolean;
  /** Calls `listener` once if the peer disconnects before everything was sent. */
  onGone(listener: () => void): void;
}

export const JSON_TYPE: Headers = { 'content-type': 'application/json' };

/** Proxies must neither cache nor buffer a stream. */
export const EVENT_STREAM: Headers = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

export const TOO_LARGE: UnreadableBody = { unreadable: 'too large' };

/** The text of a body that was received in pieces. */
export function bodyText(pieces: readonly Uint8Array[]): string | UnreadableBody {
  return decodePieces(pieces) ?? { unreadable: 'not UTF-8' };
}
