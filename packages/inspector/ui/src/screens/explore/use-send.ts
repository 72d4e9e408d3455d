import { useEffect, useMemo, useRef, useState } from 'react';
import { ROUTES } from '../../../../src/api/routes.ts';
import type { ProblemView, RequestAnswer } from '../../../../src/api/views.ts';
import { post } from '../../store/api.ts';
import { problemOf } from '../../store/use-task.ts';
import type { Draft } from './request-of.ts';

/** A request under way, or its end. */
export interface Sending {
  /** Names the request that runs; undefined: none does. */
  readonly key: string | undefined;
  readonly answer: RequestAnswer | undefined;
  /** The page could not even ask. */
  readonly problem: ProblemView | undefined;
  send(draft: Draft, timeoutMs: number | undefined): void;
  cancel(): void;
  /** Another call is looked at. */
  forget(): void;
}

type State = Pick<Sending, 'key' | 'answer' | 'problem'>;
const IDLE: State = { key: undefined, answer: undefined, problem: undefined };

/** Sends requests to a server, one at a time. */
export const useSend = (server: string): Sending => {
  const [state, setState] = useState<State>(IDLE);
  const current = useRef<string>(undefined);
  useEffect(() => () => void (current.current = undefined), []);

  const acts = useMemo(() => {
    const cancel = (): void => {
      const key = current.current;
      if (key === undefined) return;
      post(ROUTES.cancel, { key }, { at: { id: server } }).catch((error: unknown) => {
        if (current.current === key) setState((before) => ({ ...before, problem: problemOf(error) }));
      });
    };
    const send = async (draft: Draft, timeoutMs: number | undefined): Promise<void> => {
      const key = crypto.randomUUID();
      current.current = key;
      setState({ ...IDLE, key });
      try {
        const answer = await post<RequestAnswer>(
          ROUTES.requests,
          { ...draft, key, ...(timeoutMs === undefined ? {} : { timeoutMs }) },
          { at: { id: server } },
        );
        if (current.current === key) setState({ ...IDLE, answer });
      } catch (error) {
        if (current.current === key) setState({ ...IDLE, problem: problemOf(error) });
      }
      if (current.current === key) current.current = undefined;
    };
    return {
      send: (draft: Draft, timeoutMs: number | undefined) => void send(draft, timeoutMs),
      cancel,
      forget: () => setState((before) => (before.key === undefined ? IDLE : before)),
    };
  }, [server]);
  return { ...state, ...acts };
};
