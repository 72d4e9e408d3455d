import type { JsonObject } from '../../protocol/jsonrpc.ts';

/** A request that only the client can answer. */
export interface Question {
  /** Chosen by the author; unique within the call. */
  readonly name: string;
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  readonly params: JsonObject;
}

/** The outcome of validation: a value, or a reason to ask again. An answer of the wrong shape is a `ProtocolError` instead. */
export type ValidationResult<T> = { readonly value: T } | { readonly retryReason: string };

/** Validates the answer of a client. */
export type ValidateAnswer<T> = (answer: JsonObject) => ValidationResult<T> | Promise<ValidationResult<T>>;

/** How many times the user is asked the same question before the call fails. */
export const MAX_ATTEMPTS = 3;

/** The question again, with the reason why the last answer was not accepted. */
export function withReason(question: Question, reason: string): Question {
  return question.method === 'elicitation/create'
    ? { ...question, params: { ...question.params, message: `${String(question.params['message'])}\n\n${reason}` } }
    : question;
}
