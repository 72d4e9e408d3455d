import type { ClientAbility } from '../../protocol/capabilities.ts';
import type { JsonObject } from '../../protocol/jsonrpc.ts';

/** Something only the client can answer. */
export interface Question {
  /** Given by the author; unique within the call. */
  readonly name: string;
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  readonly params: JsonObject;
  /** What the client must have declared. */
  readonly abilities: readonly ClientAbility[];
}

/** What became of an answer: a value, or a reason to ask once more. An answer of the wrong shape is a `ProtocolError`. */
export type Verdict<T> = { readonly value: T } | { readonly again: string };

/** Judges the answer of a client. */
export type Judge<T> = (answer: JsonObject) => Verdict<T> | Promise<Verdict<T>>;

/** How often the user is asked the same thing before the call fails. */
export const MOST_ATTEMPTS = 3;

/** The question once more, with the reason why the last answer could not be taken. */
export const withReason = (question: Question, reason: string): Question =>
  question.method === 'elicitation/create'
    ? { ...question, params: { ...question.params, message: `${String(question.params['message'])}\n\n${reason}` } }
    : question;
