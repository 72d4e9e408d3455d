import type { InboxItem, RequestAnswer, ServerView } from '../../../../src/api/views.ts';
import type { Tone } from '../../parts/Badge.tsx';
import type { PastCall } from './calls.ts';

/**
 * The state of a call. `asking`: the user is being asked. `input`: its answer has questions that are not shown here. `task`: it
 * was answered with a task, whose result comes later.
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

/** Returns whether it has a result. Only results are compared. */
export function isFinal(state: string): boolean {
  return state === 'ok' || state === 'error' || state === 'tool-error';
}

/** The state of a call in the trace. A call without an answer is lost only if its session has ended. */
export function stateOf(
  { outcome, session, at, response }: PastCall,
  server: Pick<ServerView, 'session' | 'status'>,
  inbox: readonly InboxItem[],
): CallState {
  if (outcome !== 'pending' && outcome !== 'input') return isState(outcome) ? outcome : 'lost';
  const goesOn = session === server.session && server.status === 'ready';
  const questions = inbox.filter((item) => goesOn && item.status === 'open' && item.session === session);
  if (outcome === 'input') return questions.some(({ line }) => line === response) ? 'asking' : 'input';
  // Before 2026-07-28 a question does not say which call it belongs to.
  if (questions.some((item) => item.at >= at)) return 'asking';
  return goesOn ? 'running' : 'lost';
}
