import type { Implementation } from '../protocol/entities.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import type { CallAnswer, Call } from '../protocol/middleware.ts';
import type { QuestionStep } from '../protocol/question-step.ts';

type Awaitable<T> = T | Promise<T>;

/** A call that a client sends, as its middleware sees it. */
export interface OutgoingCall extends Call {
  /** Always `client`. */
  readonly side: 'client';
  /** The name and version that the server reports; undefined if it reports none. */
  readonly server: Implementation | undefined;
  /** The URL of the server, if it has one. */
  readonly url: string | undefined;
}

/** Continues with the next middleware, or sends the call to the server. Its argument is added to the request. */
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
  /** Runs around the answer to each question that the server sends as a separate request, up to 2025-11-25. */
  readonly aroundAnswer?: QuestionStep<AnswerQuestion> | undefined;
}
