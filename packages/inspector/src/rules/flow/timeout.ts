import type { Side } from '../../trace/line.ts';
import { keyOf, type Request, type Response } from '../message.ts';
import type { Rule } from '../rule.ts';
import type { SessionState } from '../session-state.ts';
import { duration, objectOf, other, shown, textOf } from '../words.ts';
import { nameOf } from './timing.ts';

/** How SDKs word the reason of a cancellation after a timeout. */
const TIMED_OUT = /\btim(?:e|ed)[ -]?out\b/i;

/** The request of a timer: the one it cites, or else the one that has waited longest. */
function waitedFor(session: SessionState, cause: number | undefined): Request | undefined {
  const waiting = (['client', 'server'] as const).flatMap((side) => [...session.waiting[side].values()]);
  return waiting.find(({ n }) => n === cause) ?? waiting.toSorted((a, b) => a.at - b.at)[0];
}

/** The answer to a question of the server after which the server has sent nothing. */
interface LastAnswer {
  readonly question: Request;
  readonly n: number;
  readonly at: number;
  /** `decline`, for example. */
  readonly outcome: string;
}

function answerTo(question: Request, { n, at, value }: Response): LastAnswer {
  const error = Object.hasOwn(value, 'error');
  const outcome = error ? 'an error' : (textOf(objectOf(value['result'])['action']) ?? 'an answer');
  return { question, n, at, outcome: shown(outcome, 40) };
}

function wordsOf({ question, at, outcome }: LastAnswer, now: number): string {
  const message = textOf(question.params['message']);
  const asked = message === undefined ? `sent ${question.method}` : `asked "${shown(message, 80)}"`;
  return `; the server ${asked}, got ${outcome}, and sent nothing for ${duration(now - at)}`;
}

interface Reason {
  readonly words: string;
  readonly fix: string;
  readonly evidence: readonly number[];
}

const NO_REASON: Reason = {
  words: '',
  fix: 'Give it more time, or look at the activity of the other side meanwhile.',
  evidence: [],
};

export const timeout: Rule = {
  id: 'timeout',
  title: 'A request timed out',
  blame: ['server', 'client', 'unknown'],
  severity: ['warning'],
  why: 'Slowness breaks no rule: unknown, unless the other side wrote something other than a message instead of its answer.',
  page: 'cancellation#timeouts',
  watch: (report, session) => {
    const stray: Record<Side, number | undefined> = { client: undefined, server: undefined };
    let lastAnswer: LastAnswer | undefined;
    const reported = new WeakSet<Request>();

    const reasonOf = (request: Request, owing: Side, at: number): Reason => {
      const noise = stray[owing];
      if (noise !== undefined)
        return {
          words: `; the last output of the ${owing} is not a message`,
          fix: 'Look at the text in place of the answer: stdout is for messages only.',
          evidence: [noise],
        };
      if (owing === 'client' || lastAnswer === undefined || lastAnswer.question.n < request.n) return NO_REASON;
      return {
        words: wordsOf(lastAnswer, at),
        fix: 'Does its handler continue after each answer: decline, cancel, an error, and a form whose fields are false or empty?',
        evidence: [lastAnswer.question.n, lastAnswer.n],
      };
    };

    const timedOut = (request: Request, n: number, at: number): void => {
      // The cancellation and the timer of one request.
      if (reported.has(request)) return;
      reported.add(request);
      const owing = other(request.from);
      const { words, fix, evidence } = reasonOf(request, owing, at);
      report({
        severity: 'warning',
        blame: stray[owing] === undefined ? 'unknown' : owing,
        message: `The ${request.from} waited ${duration(at - request.at)} for the ${owing} to answer ${nameOf(request)}, then its time was up${words}`,
        fix,
        evidence: [request.n, ...evidence, n],
        revision: request.revision,
      });
    };

    return {
      request({ from }) {
        if (from === 'server') lastAnswer = undefined;
      },
      response(response) {
        const { from, request } = response;
        if (from === 'server') lastAnswer = undefined;
        else if (request !== undefined) lastAnswer = answerTo(request, response);
      },
      notification({ from, method, params, n, at }) {
        if (from === 'server') lastAnswer = undefined;
        if (method !== 'notifications/cancelled' || !TIMED_OUT.test(textOf(params['reason']) ?? '')) return;
        const request = session.waiting[from].get(keyOf(params['requestId']) ?? '');
        if (request !== undefined) timedOut(request, n, at);
      },
      text({ line }) {
        if (line.from !== undefined) stray[line.from] = undefined;
      },
      line({ line }) {
        if ((line.kind === 'junk' || line.kind === 'lost') && line.from !== undefined) stray[line.from] = line.n;
        if (line.kind !== 'timer') return;
        const request = waitedFor(session, line.cause);
        if (request !== undefined) timedOut(request, line.n, line.at);
      },
    };
  },
};
