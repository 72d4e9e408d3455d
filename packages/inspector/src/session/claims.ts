import type { TraceStore } from '../trace/node/trace-store.ts';
import type { Facts } from '../trace/facts.ts';
import { memberText, memberTexts } from '../values/json-text.ts';

/** The lines of one request of ours. With the questions of a modern server there are several, one for each round. */
export interface Claim {
  readonly lines: readonly number[];
  end(): void;
}

/** Finds the lines of requests that are made through the client, which does not expose the wire. */
export interface Claims {
  /** Call it right before the request is made: requests are written in the order in which they are made. */
  expect(method: string): Claim;
  close(): void;
}

interface Open {
  readonly method: string;
  readonly lines: number[];
}

/** Identifies a round (2026-07-28): the request state, and the names of the questions. */
interface Round {
  readonly state: string | undefined;
  readonly names: string;
}

/** The round of a result with questions, or of parameters with answers. Undefined: neither. */
function roundOf(text = '{}', member: 'inputRequests' | 'inputResponses'): Round | undefined {
  const state = memberText(text, 'requestState');
  const questions = memberText(text, member);
  if (state === undefined && questions === undefined) return undefined;
  const names = (memberTexts(questions ?? '{}') ?? []).map(([name]) => name).toSorted();
  return { state, names: JSON.stringify(names) };
}

/** A request state is unique to a round; without one, only the names of the questions can be compared. */
function isSame(asked: Round | undefined, answered: Round): boolean {
  return (
    asked !== undefined &&
    asked.state === answered.state &&
    (answered.state !== undefined || asked.names === answered.names)
  );
}

export function createClaims(store: TraceStore, session: string): Claims {
  const open = new Set<Open>();

  /** The round that a claim is waiting to continue. Undefined: none. */
  const askedIn = ({ lines }: Open): Round | undefined => {
    const last = store.index.at(lines.at(-1) ?? 0);
    if (last?.outcome !== 'input' || last.pair === undefined) return undefined;
    const result = memberText(store.read(last.pair, last.pair)[0]?.text ?? '{}', 'result');
    return roundOf(result, 'inputRequests');
  };

  const take = (facts: Facts, text: string): void => {
    const same = [...open].filter(({ method }) => method === facts.method);
    const round = roundOf(memberText(text, 'params'), 'inputResponses');
    // Several calls may be waiting for answers.
    const going = round === undefined ? undefined : same.find((claim) => isSame(askedIn(claim), round));
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
}
