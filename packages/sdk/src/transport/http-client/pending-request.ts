import type { Timer } from '../../client/clock.ts';
import type { RequestId } from '../../protocol/jsonrpc.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { SseEvent } from '../../wire/sse-parser.ts';
import type { AnswerEvents, AnswerEnd, UnreadableAnswer } from './read-answer.ts';
import type { LostStream } from './resume-stream.ts';
import { type AnswerHead, NOT_SENT } from './send.ts';

/** Receives the events of all requests of a transport: one object for all of them. */
export interface RequestOwner {
  head(pending: PendingRequest, answer: AnswerHead): void;
  body(pending: PendingRequest, body: string | UnreadableAnswer, status: number, type: string): void;
  event(pending: PendingRequest, event: SseEvent): void;
  end(pending: PendingRequest, ended: AnswerEnd): void;
}

/** A JSON-RPC request without a response, and the state of its HTTP answer. */
export class PendingRequest implements AnswerEvents, LostStream {
  readonly id: RequestId;
  /** The revision that it claims; undefined in a session. */
  readonly revision: Revision | undefined;
  /** Is it `initialize`? */
  readonly initializes: boolean;
  /** The session in which it was sent. */
  readonly session: string | undefined;
  readonly #owner: RequestOwner;
  answered = false;
  sent = NOT_SENT;
  /** The last event id of its stream. */
  lastId = '';
  timer: Timer;
  /** How many times its stream was lost since the last new event. */
  lost = 0;
  /** The delays before its stream is resumed. */
  pace: LostStream['pace'];
  /** The status and header fields of the answer. */
  answer: AnswerHead | undefined;

  constructor(
    id: RequestId,
    revision: Revision | undefined,
    initializes: boolean,
    session: string | undefined,
    owner: RequestOwner,
  ) {
    this.id = id;
    this.revision = revision;
    this.initializes = initializes;
    this.session = session;
    this.#owner = owner;
  }

  head(answer: AnswerHead): void {
    this.#owner.head(this, answer);
  }

  body(body: string | UnreadableAnswer, status: number, type: string): void {
    this.#owner.body(this, body, status, type);
  }

  event(event: SseEvent): void {
    if (event.id !== this.lastId) this.lost = 0;
    this.lastId = event.id;
    this.#owner.event(this, event);
  }

  end(ended: AnswerEnd): void {
    this.#owner.end(this, ended);
  }
}
