import type { Implementation } from '../protocol/entities.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import type { CallAnswer, Call } from '../protocol/middleware.ts';
import type { QuestionStep } from '../protocol/question-step.ts';

type Awaitable<T> = T | Promise<T>;

/** A call that a client sends, as its middleware sees it. */
export interface OutgoingCall extends Call {
  /** Always `client`. */
  readonly side: 'client';
  /** What the server says about itself; undefined if it says nothing. */
  readonly server: Implementation | undefined;
  /** Where the server is, if it has a URL. */
  readonly url: string | undefined;
}

/** Goes on with the call: to the next middleware, or to the server. What it gets is added to the `_meta` of the request. */
export type SendNext = (more?: {
  /** Additional `_meta`. Keys of the protocol cannot be overridden. */
  readonly _meta?: Readonly<Record<string, unknown>>;
}) => Promise<CallAnswer>;

/** Answers a question. */
export type AnswerQuestion = () => Promise<JsonObject>;

/**
 * Code around the calls of a client: it may look at a call, refuse it by throwing an error, add to its `_meta`, and change or replace the
 * answer. It returns the answer that `next()` returned.
 */
export interface ClientMiddleware {
  (call: OutgoingCall, next: SendNext): Awaitable<CallAnswer>;
  /** Runs around the answer to each question that the server sends as a request of its own, up to 2025-11-25. */
  readonly aroundAnswer?: QuestionStep<AnswerQuestion> | undefined;
}
