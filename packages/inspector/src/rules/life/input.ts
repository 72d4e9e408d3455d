import { ASKING_METHODS, INPUT_METHODS } from 'tenon/internal';
import { type Request, resultOf } from '../message.ts';
import { isModern, MODERN } from '../revisions.ts';
import type { Rule } from '../rule.ts';
import { isObject } from '@tenon/values/is-object';
import { type Json, listed, objectOf, quoted, written } from '../words.ts';

export const inputRequired: Rule = {
  id: 'input-required',
  title: 'An unusable result that asks for input',
  blame: ['server'],
  severity: ['error'],
  why: 'The server asks: with questions or a state, only for the three methods that allow it, and only questions of the protocol.',
  page: 'mrtr#inputrequiredresult',
  watch: (report) => ({
    response(response) {
      const { request, n } = response;
      const result = resultOf(response);
      if (request?.from !== 'client' || result?.['resultType'] !== 'input_required') return;
      const { inputRequests, requestState } = result;
      const strange = Object.entries(objectOf(inputRequests))
        .filter(([, question]) => !isObject(question) || !INPUT_METHODS.has(String(question['method'])))
        .map(([key]) => key);
      const problem =
        inputRequests === undefined && requestState === undefined
          ? 'has neither inputRequests nor requestState'
          : inputRequests !== undefined && !isObject(inputRequests)
            ? `has inputRequests that are ${quoted(inputRequests)}, not an object`
            : requestState !== undefined && typeof requestState !== 'string'
              ? `has a requestState that is ${quoted(requestState)}, not text`
              : strange.length > 0
                ? `asks with requests other than elicitation, sampling or roots: ${listed(strange)}`
                : ASKING_METHODS.has(request.method)
                  ? undefined
                  : 'asks for input, which only tools/call, prompts/get and resources/read may';
      if (problem === undefined) return;
      report({
        severity: 'error',
        blame: 'server',
        message: `The result of ${request.method} ${problem}`,
        fix: 'Ask with inputRequests (name → { method, params }), and keep what you need in requestState.',
        evidence: [request.n, n],
        revision: MODERN,
      });
    },
  }),
};

/** The questions of a server, and the request that they belong to. */
interface Round {
  readonly request: Request;
  readonly n: number;
  readonly state: string | undefined;
  readonly keys: readonly string[];
}

const MAX_ROUNDS = 1_000;
/** The largest request that is kept for comparison, in characters. */
const MAX_SIZE = 64 * 1024;

/** Identifies a request across its rounds. */
function subjectOf({ method, params }: Request): string {
  return `${method}\n${String(params['name'] ?? params['uri'])}`;
}

function isSame(one: Json, two: Json): boolean {
  const bare = (params: Json): string | undefined =>
    written({ ...params, _meta: undefined, inputResponses: undefined, requestState: undefined });
  return bare(one) === bare(two);
}

/** The problem with a request that continues a round. */
function retryProblem(
  retry: Request,
  round: Round,
): readonly [what: string, severity: 'error' | 'warning'] | undefined {
  const { params, key } = retry;
  const given = objectOf(params['inputResponses']);
  const missing = round.keys.filter((name) => !Object.hasOwn(given, name));
  if (key !== undefined && key === round.request.key) return ['has the id of the request before it', 'error'];
  if (round.state !== undefined && params['requestState'] === undefined)
    return ['does not give back requestState', 'error'];
  if (round.state !== undefined && params['requestState'] !== round.state)
    return ['gives back another requestState', 'error'];
  if (round.state === undefined && params['requestState'] !== undefined)
    return ['has a requestState, although the server gave none', 'error'];
  if (missing.length > 0) return [`does not answer ${listed(missing)}`, 'error'];
  return isSame(params, round.request.params)
    ? undefined
    : ['has other parameters than the request before it', 'warning'];
}

export const inputRetry: Rule = {
  id: 'input-retry',
  title: 'Questions of the server were not answered as they were asked',
  blame: ['client'],
  severity: ['error', 'warning'],
  why: 'The client repeats its request with a new id, all answers, and requestState exactly as it came.',
  page: 'mrtr#basic-workflow',
  watch: (report) => {
    /** Rounds that have not been continued yet, newest last. */
    const rounds = new Map<string, Round[]>();
    let count = 0;
    return {
      anew() {
        rounds.clear();
        count = 0;
      },
      response(response) {
        const { request, n } = response;
        const result = resultOf(response);
        if (request?.from !== 'client' || result?.['resultType'] !== 'input_required') return;
        if (count >= MAX_ROUNDS || request.size > MAX_SIZE) return;
        const { inputRequests, requestState } = result;
        const state = typeof requestState === 'string' ? requestState : undefined;
        const round: Round = { request, n, state, keys: Object.keys(objectOf(inputRequests)) };
        rounds.set(subjectOf(request), [...(rounds.get(subjectOf(request)) ?? []), round]);
        count++;
      },
      request(request) {
        const { from, params, n, revision, method } = request;
        if (from === 'server' || !isModern(revision)) return;
        if (params['inputResponses'] === undefined && params['requestState'] === undefined) return;
        const subject = subjectOf(request);
        const open = rounds.get(subject) ?? [];
        // Any round that fits may be meant. A round of another session, continued here, is not known.
        const round =
          open.find((round) => retryProblem(request, round) === undefined) ??
          open.find(({ state }) => state !== undefined && state === params['requestState']) ??
          open.at(-1);
        if (round === undefined) return;
        rounds.set(
          subject,
          open.filter((one) => one !== round),
        );
        count--;
        const problem = retryProblem(request, round);
        if (problem === undefined) return;
        report({
          severity: problem[1],
          blame: 'client',
          message: `The client continues ${method}, but its request ${problem[0]}`,
          fix: 'Repeat the request unchanged, with a new id, an answer for each key of inputRequests, and requestState exactly as received.',
          evidence: [round.request.n, round.n, n],
          revision,
        });
      },
    };
  },
};
