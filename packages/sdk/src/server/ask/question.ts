import { type ClientAbility, type ClientCapabilities, declares } from '../../protocol/capabilities.ts';
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

/** The first ability that a client needs to be asked a question, and did not declare. */
export function missingAbility(
  capabilities: ClientCapabilities,
  method: string,
  params: JsonObject,
): ClientAbility | undefined {
  return abilitiesFor(method, params).find((ability) => !declares(capabilities, ability));
}

function abilitiesFor(method: string, { mode, tools, toolChoice }: JsonObject): readonly ClientAbility[] {
  if (method === 'elicitation/create') return mode === 'url' ? ['elicitation.url'] : ['elicitation'];
  if (method === 'roots/list') return ['roots'];
  return tools === undefined && toolChoice === undefined ? ['sampling'] : ['sampling', 'sampling.tools'];
}

/** The capabilities that a client has to declare for an ability (`requiredCapabilities` of -32021). */
export function capabilitiesFor(ability: ClientAbility): ClientCapabilities {
  const [feature = '', part = ability === 'elicitation' ? 'form' : undefined] = ability.split('.');
  return { [feature]: part === undefined ? {} : { [part]: {} } };
}
