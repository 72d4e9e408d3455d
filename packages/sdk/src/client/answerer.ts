import type { Implementation } from '../protocol/entities.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import type { Revision } from '../protocol/revision.ts';
import type { ServerQuestion } from './server-question.ts';
import type { RootsOption, Settings } from './options.ts';

/** Answers a server's questions, in both eras. */
export interface Answerer {
  /**
   * Returns the answer in the format of `revision`. Throws a `RefusedQuestion` for one that is not allowed, and any error of the handler.
   */
  answer(
    question: ServerQuestion,
    revision: Revision,
    server: Implementation | undefined,
    signal: AbortSignal,
  ): Promise<JsonObject>;
  /** The roots, for `roots/list`. */
  roots: RootsOption | undefined;
}

/** The code for answers is loaded with the first question, because most servers ask none. */
export function createAnswerer(settings: Settings): Answerer {
  const answerer: Answerer = {
    roots: settings.roots,
    async answer(question, revision, server, signal) {
      const { answerQuestion } = await import('./answer.ts');
      return answerQuestion(question, { revision, server, signal, settings, roots: answerer.roots });
    },
  };
  return answerer;
}
