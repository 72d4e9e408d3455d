import type { InboxItem, RequestAnswer, ServerView } from '../../../../src/api/views.ts';
import type { Tone } from '../../parts/Badge.tsx';
import type { PastCall } from './calls.ts';

/**
 * The state of a call. `asking`: the user is asked something. `input`: its answer has questions, which are not asked here. `task`: it was
 * answered with a task, so its result is still to come.
 */
export type CallState = RequestAnswer['outcome'] | 'asking' | 'input' | 'task';

export const TONES: Readonly<Record<CallState, Tone>> = {
  ok: 'ok',
  error: 'bad',
  'tool-error': 'bad',
  timeout: 'warn',
  cancelled: 'plain',
  lost: 'bad',
  running: 'info',
  asking: 'info',
  input: 'info',
  task: 'info',
};

export const WORDS: Readonly<Record<CallState, string>> = {
  ok: 'ok',
  error: 'error',
  'tool-error': 'tool error',
  timeout: 'timed out',
  cancelled: 'cancelled',
  lost: 'no answer',
  running: 'running',
  asking: 'waits for your answer',
  input: 'asks for input',
  task: 'runs as a task',
};

function isState(outcome: string): outcome is CallState {
  return Object.hasOwn(WORDS, outcome);
}

/** Has it come to a result? Only results are compared. */
export function isFinal(state: string): boolean {
  return state === 'ok' || state === 'error' || state === 'tool-error';
}

/** The state of a call in the trace. Without an answer it is lost only when its session has ended. */
export function stateOf(
  { outcome, session, at, response }: PastCall,
  server: Pick<ServerView, 'session' | 'status'>,
  inbox: readonly InboxItem[],
): CallState {
  if (outcome !== 'pending' && outcome !== 'input') return isState(outcome) ? outcome : 'lost';
  const goesOn = session === server.session && server.status === 'ready';
  const questions = inbox.filter((item) => goesOn && item.status === 'open' && item.session === session);
  if (outcome === 'input') return questions.some(({ line }) => line === response) ? 'asking' : 'input';
  // Before 2026-07-28 nothing says which call a question is for.
  if (questions.some((item) => item.at >= at)) return 'asking';
  return goesOn ? 'running' : 'lost';
}
