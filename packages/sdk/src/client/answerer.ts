import type { Implementation } from '../protocol/entities.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import type { Revision } from '../protocol/revision.ts';
import type { Asked } from './asked.ts';
import type { RootsOption, Settings } from './options.ts';

/** Answers what a server asks: the same on both eras. */
export interface Answerer {
  /**
   * The answer in the words of `revision`. Throws a `Refusal` for a question that may not be asked, and what the handler threw.
   */
  answer(
    asked: Asked,
    revision: Revision,
    server: Implementation | undefined,
    signal: AbortSignal,
  ): Promise<JsonObject>;
  /** What `roots/list` answers. */
  roots: RootsOption | undefined;
}

/** What it takes to answer is loaded with the first question: most servers ask nothing. */
export const createAnswerer = (settings: Settings): Answerer => {
  const answerer: Answerer = {
    roots: settings.roots,
    async answer(asked, revision, server, signal) {
      const { answerTo } = await import('./answer.ts');
      return answerTo(asked, { revision, server, signal, settings, roots: answerer.roots });
    },
  };
  return answerer;
};
