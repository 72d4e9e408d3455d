import type { AllFields } from '../../wire/headers.ts';

/** An HTTP request. */
export interface Outgoing {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  /** Names in lower case. Requests with equal fields may share one object, which never changes. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Identifies the request when it is sent again with other credentials or after a redirect. */
  readonly identity?: object | undefined;
}

/** The status and the header fields of an answer. */
export interface AnswerHead {
  readonly status: number;
  /** A header field by its name in lower case. */
  header(name: string): string | undefined;
  all(): AllFields;
}

/**
 * Receives the answer: `head`, any number of `data`, `end`. Nothing is called after the request was aborted, and only `sent` and `end` are
 * called before the function that sends has returned.
 */
export interface Incoming {
  /** Called immediately with the header fields that are actually sent, if they are known. */
  sent?(headers: AllFields): void;
  head(answer: AnswerHead): void;
  /** A part of the body. */
  data(chunk: Uint8Array): void;
  /** The end: with an error, the answer is not complete. `delivered`: the request may have reached the server. */
  end(error?: Error, delivered?: boolean): void;
}

/** A request that was sent. */
export interface SentRequest {
  abort(): void;
}

/**
 * Sends a request. Does not follow redirects. Never throws: a request that cannot be sent ends with an error, because many are sent from
 * timers and callbacks, where nothing would catch an exception.
 */
export type HttpSend = (request: Outgoing, incoming: Incoming) => SentRequest;

/** A request that was not sent, so there is nothing to abort. */
export const NOT_SENT: SentRequest = { abort() {} };
