import { type Facts, valueOf } from './facts.ts';
import type { TraceLine } from './line.ts';

/** A result that asks (2026-07-28), which no request has gone on from yet. */
interface Round {
  /** The line of the result. */
  readonly n: number;
  readonly of: Pick<Facts, 'session' | 'method' | 'subject'>;
  /** What the server wants to be told again, as JSON. A server may put anything there. */
  readonly state: string | undefined;
  /** The names of the questions. */
  readonly names: string;
}

/** Links the requests that are one call: each but the first goes on from a result that asks. */
export interface Rounds {
  /** A result that asks. */
  asked(facts: Facts, line: TraceLine): void;
  /** The line of the result that a request goes on from; undefined: it begins a call. */
  before(facts: Facts, line: TraceLine): number | undefined;
}

/** More results without a retry, and longer states, are not remembered. */
const MAX_OPEN = 1_000;
const MAX_STATE_LENGTH = 100_000;

type Json = Record<string, unknown>;
function membersOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function namesIn(questions: unknown): string {
  return JSON.stringify(Object.keys(membersOf(questions)).toSorted());
}
function stateIn({ requestState }: Json): string | undefined {
  return requestState === undefined ? undefined : JSON.stringify(requestState);
}

/** Whether a request goes on at all is seen without reading it: most do not. */
function goesOn({ text }: TraceLine): boolean {
  return text.includes('"inputResponses"') || text.includes('"requestState"');
}

export function createRounds(): Rounds {
  /** The oldest first. */
  const open: Round[] = [];
  return {
    asked({ n, session, method, subject }, line) {
      const result = membersOf(membersOf(valueOf(line))['result']);
      const state = stateIn(result);
      if ((state?.length ?? 0) > MAX_STATE_LENGTH) return;
      open.push({ n, of: { session, method, subject }, state, names: namesIn(result['inputRequests']) });
      if (open.length > MAX_OPEN) open.shift();
    },
    before({ session, method, subject }, line) {
      if (open.length === 0 || !goesOn(line)) return undefined;
      const params = membersOf(membersOf(valueOf(line))['params']);
      const state = stateIn(params);
      const { inputResponses } = params;
      if (state === undefined && inputResponses === undefined) return undefined;
      // A state is the server's own; without one the questions have to do. Older ones may have been given up.
      const at = open.findLastIndex(
        ({ of, state: known, names }) =>
          of.session === session &&
          of.method === method &&
          of.subject === subject &&
          known === state &&
          (state !== undefined || names === namesIn(inputResponses)),
      );
      return at < 0 ? undefined : open.splice(at, 1)[0]!.n;
    },
  };
}
