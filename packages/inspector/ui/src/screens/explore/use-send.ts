import { useEffect, useMemo, useRef, useState } from 'react';
import type { ProblemView, RequestAnswer, RunningView, ServerView } from '../../../../src/api/views.ts';
import { api } from '../../store/api.ts';
import { answerTo, sendRequest } from '../../store/requests.ts';
import { problemOf } from '../../store/use-task.ts';
import type { Draft } from './request-of.ts';

/** A running request, or its outcome. */
export interface Sending {
  /** The key of the running request; undefined: none. */
  readonly key: string | undefined;
  readonly answer: RequestAnswer | undefined;
  /** The inspector did not accept the request. */
  readonly problem: ProblemView | undefined;
  /** Sends, unless a request runs: pressing twice sends once. `beside`: sends anyway, and shows the new request. */
  send(draft: Draft, timeoutMs: number | undefined, beside?: boolean): void;
  cancel(): void;
  /** Clears the answer, because another call is shown. */
  forget(): void;
}

type State = Pick<Sending, 'key' | 'answer' | 'problem'>;
const IDLE: State = { key: undefined, answer: undefined, problem: undefined };

const NONE: readonly RunningView[] = [];

/**
 * Sends requests to a server, one at a time. A request that is already running, because the page was reloaded or another screen
 * was shown, is awaited as if it had been sent here: `isOwn` returns whether a request belongs here.
 */
export function useSend(server: ServerView, isOwn: (running: RunningView) => boolean): Sending {
  const [state, setState] = useState<State>(IDLE);
  const current = useRef<string>(undefined);
  const hasSent = useRef(false);
  useEffect(() => () => void (current.current = undefined), []);
  const { id, running = NONE } = server;

  const acts = useMemo(() => {
    const follow = async (key: string, answered: Promise<RequestAnswer>): Promise<void> => {
      current.current = key;
      setState({ ...IDLE, key });
      let end: State;
      try {
        end = { ...IDLE, answer: await answered };
      } catch (error) {
        end = { ...IDLE, problem: problemOf(error) };
      }
      if (current.current !== key) return;
      current.current = undefined;
      setState(end);
    };
    return {
      follow: (key: string) => void follow(key, answerTo(id, key)),
      send(draft: Draft, timeoutMs: number | undefined, beside = false): void {
        if (current.current !== undefined && !beside) return;
        hasSent.current = true;
        const key = crypto.randomUUID();
        const body = { ...draft, key, timeoutMs };
        void follow(key, sendRequest(id, body));
      },
      cancel(): void {
        const key = current.current;
        if (key === undefined) return;
        api.cancel({ parts: { id }, body: { key } }).catch((error: unknown) => {
          if (current.current === key) setState((before) => ({ ...before, problem: problemOf(error) }));
        });
      },
      forget: () => setState((before) => (before.key === undefined ? IDLE : before)),
    };
  }, [id]);

  const own = running.findLast(isOwn)?.key;
  useEffect(() => {
    if (own !== undefined && !hasSent.current && current.current === undefined) acts.follow(own);
  }, [own, acts]);
  return { ...state, ...acts };
}
