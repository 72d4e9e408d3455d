import type { Facts } from '../trace/facts.ts';
import type { Conversation } from './conversation.ts';
import { paramsIn } from './script.ts';

/** The requests that the server made before, and which of them it has made again. */
export interface Questions {
  /** The id that the server has given this one now. */
  idOf(n: number): string | undefined;
  /** Finds the one that this is. Gives whether there is one. */
  claim(facts: Facts, text: string): boolean;
}

export function createQuestions(conversation: Conversation): Questions {
  const asked = conversation.said.filter(({ from, message }) => from === 'server' && message === 'request');
  const again = new Map<number, string>();
  return {
    idOf: (n) => again.get(n),
    claim(facts, text) {
      const free = asked.filter(({ n, method }) => method === facts.method && !again.has(n));
      const params = paramsIn(text);
      const own = free.find(({ n }) => paramsIn(conversation.text(n)) === params) ?? free[0];
      if (own !== undefined) again.set(own.n, facts.id!);
      return own !== undefined;
    },
  };
}
