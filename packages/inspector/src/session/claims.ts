import type { TraceStore } from '../trace/node/trace-store.ts';
import type { Facts } from '../trace/facts.ts';

/** The lines of one request of ours: with the questions of a modern server there are several, one for each round. */
export interface Claim {
  readonly lines: readonly number[];
  end(): void;
}

/** Finds the lines of requests that are made through the client, which says nothing of the wire. */
export interface Claims {
  /** Call it right before the request is made: requests are written in the order they are made in. */
  expect(method: string): Claim;
  close(): void;
}

interface Open {
  readonly method: string;
  readonly lines: number[];
}

export const createClaims = (store: TraceStore, session: string): Claims => {
  const open = new Set<Open>();

  /** A round that goes on carries answers, or the state of the server. */
  const goesOn = (text: string): boolean => text.includes('"inputResponses"') || text.includes('"requestState"');

  const take = (facts: Facts, text: string): void => {
    const same = [...open].filter(({ method }) => method === facts.method);
    const last = ({ lines }: Open): Facts | undefined => store.index.at(lines.at(-1) ?? 0);
    const going = goesOn(text) ? same.find((claim) => last(claim)?.outcome === 'input') : undefined;
    (going ?? same.find(({ lines }) => lines.length === 0))?.lines.push(facts.n);
  };

  const stop = store.watch((line, facts) => {
    if (open.size > 0 && facts.session === session && facts.message === 'request' && facts.from === 'client')
      take(facts, line.text);
  });

  return {
    expect(method) {
      const claim: Open = { method, lines: [] };
      open.add(claim);
      return { lines: claim.lines, end: () => void open.delete(claim) };
    },
    close: stop,
  };
};
