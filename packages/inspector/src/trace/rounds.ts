import { type Facts, valueOf } from './facts.ts';
import type { TraceLine } from './line.ts';

/** A result with questions (2026-07-28) that no request has answered yet. */
interface Round {
  /** The line of the result. */
  readonly n: number;
  readonly of: Pick<Facts, 'session' | 'method' | 'subject'>;
  /** The request state of the server, as JSON. A server may put any value there. */
  readonly state: string | undefined;
  /** The names of the questions. */
  readonly names: string;
}

/** Links the requests of one call: each but the first answers the questions of a result. */
export interface Rounds {
  /** Takes a result with questions. */
  asked(facts: Facts, line: TraceLine): void;
  /** The line of the result whose questions a request answers. Undefined: the request begins a call. */
  before(facts: Facts, line: TraceLine): number | undefined;
}

/** The most results kept that no request has answered, and the longest state kept. */
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

/** A cheap test without parsing, because most requests answer no questions. */
function goesOn({ text }: TraceLine): boolean {
  return text.includes('"inputResponses"') || text.includes('"requestState"');
}

export function createRounds(): Rounds {
  /** Oldest first. */
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
      // A request state is unique to a round; without one, only the names of the questions can be compared. The newest match
      // counts, because older rounds may have been abandoned.
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
