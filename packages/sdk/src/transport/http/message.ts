import type { AllFields, HeaderLookup } from '../../wire/headers.ts';
import { decodePieces } from '../../wire/utf8.ts';

/** A body that is no text: it has too many bytes, or some that are not UTF-8. */
export interface UnreadableBody {
  readonly unreadable: 'too large' | 'not UTF-8';
}

/** A request, whatever HTTP server took it. */
export interface HttpRequest {
  /** `POST`, in upper case. */
  readonly method: string;
  /** The path of the URL, as it was sent, without the query. */
  readonly path: string;
  /** The `Host` header, or what stands for it (`:authority`, the host of the URL). */
  readonly host: string | null | undefined;
  readonly header: HeaderLookup;
  /** Where the connection comes from; undefined where that is not known. */
  readonly address?: string | undefined;
  /** The name of a header that was sent more than once although it has a single value. */
  readonly repeated: string | undefined;
  /** All header fields, by names in lower case. */
  fields(): AllFields;
  /** The value of a parameter of the query. */
  query(name: string): string | undefined;
  /**
   * Reads the body as text and hands it over. No more than `most` bytes are read.
   * Called once. When the sender goes away before its end, `take` is never called. `secret`: it is shown to nobody who looks on.
   */
  body(most: number, take: (body: string | UnreadableBody) => void, secret?: boolean): void;
}

/** Header fields of an answer, by names in lower case. */
export type Headers = Readonly<Record<string, string>>;

/** The answer to a request: sent at once with `send`, or begun with `stream`, then `write` and `end`. */
export interface HttpReply {
  /** Sends all of it. `close`: the connection is of no use afterwards, what the peer still sends is not read. */
  send(status: number, headers: Headers, body?: string, close?: boolean): void;
  stream(headers: Headers): void;
  /** Gives a promise while the peer is behind; it settles when there is room again, or the peer is gone. */
  write(text: string): void | Promise<void>;
  end(): void;
  /** Breaks the connection off. */
  destroy(): void;
  /** How many bytes wait for the peer to read. */
  readonly unsent: number;
  /** Is the peer gone, or has it all? */
  readonly closed: boolean;
  /** Calls `listener` once, if the peer goes away before all was sent. */
  onGone(listener: () => void): void;
}

export const JSON_TYPE: Headers = { 'content-type': 'application/json' };

/** Nobody on the way may keep a stream, or hold it back. */
export const EVENT_STREAM: Headers = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

export const TOO_LARGE: UnreadableBody = { unreadable: 'too large' };

/** The text of a body that came in pieces. */
export function bodyText(pieces: readonly Uint8Array[]): string | UnreadableBody {
  return decodePieces(pieces) ?? { unreadable: 'not UTF-8' };
}
