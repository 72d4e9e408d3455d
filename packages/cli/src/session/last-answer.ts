import { isObject } from '@tenon/values/is-object';

/** An answer to a question of the server after which the server has sent nothing. */
export interface LastAnswer {
  /** The text of the question, or its method. */
  readonly asked: string;
  /** `decline`, for example. */
  readonly outcome: string;
}

/** Finds out whether the server went silent after an answer to one of its questions. */
export interface AnswerWatch {
  sent(message: Readonly<Record<string, unknown>>): void;
  received(message: Readonly<Record<string, unknown>>): void;
  readonly last: LastAnswer | undefined;
  /** The methods of questions that this client refused. */
  readonly refused: ReadonlySet<string>;
}

const MAX_QUESTIONS = 1_000;

function textOf(method: string, params: unknown): string {
  const message = isObject(params) ? params['message'] : undefined;
  return typeof message === 'string' ? message : method;
}

function outcomeOf(answer: unknown): string {
  const action = isObject(answer) ? answer['action'] : undefined;
  return typeof action === 'string' ? action : 'an answer';
}

export function watchAnswers(): AnswerWatch {
  /** The open questions, by the id of the request, or the name in a result that asks for input. */
  const questions = new Map<unknown, { readonly method: string; readonly asked: string }>();
  const refused = new Set<string>();
  let last: LastAnswer | undefined;

  const ask = (key: unknown, method: unknown, params: unknown): void => {
    if (typeof method !== 'string' || method === 'ping' || questions.size >= MAX_QUESTIONS) return;
    questions.set(key, { method, asked: textOf(method, params) });
  };
  const answer = (key: unknown, outcome: string): void => {
    const question = questions.get(key);
    questions.delete(key);
    if (question !== undefined) last = { asked: question.asked, outcome };
  };

  return {
    received({ id, method, params, result }) {
      last = undefined;
      if (id !== undefined) ask(`id ${JSON.stringify(id)}`, method, params);
      const requests = isObject(result) ? result['inputRequests'] : undefined;
      if (!isObject(requests)) return;
      for (const [name, one] of Object.entries(requests))
        if (isObject(one)) ask(`name ${name}`, one['method'], one['params']);
    },
    sent({ id, method, params, result, error }) {
      const responses = isObject(params) ? params['inputResponses'] : undefined;
      if (isObject(responses))
        for (const [name, one] of Object.entries(responses)) answer(`name ${name}`, outcomeOf(one));
      if (method !== undefined || id === undefined) return;
      const key = `id ${JSON.stringify(id)}`;
      const question = questions.get(key);
      if (error != null && question !== undefined && refused.size < MAX_QUESTIONS) refused.add(question.method);
      answer(key, error != null ? 'an error' : outcomeOf(result));
    },
    get last() {
      return last;
    },
    refused,
  };
}
