import { useCallback, useEffect, useRef, useState } from 'react';
import type { ProblemView } from '../../../src/api/views.ts';
import { ApiError } from './api.ts';

/** An error as a `ProblemView`. */
export function problemOf(error: unknown): ProblemView {
  return {
    message: error instanceof Error ? error.message : String(error),
    blame: 'unknown',
    evidence: [],
    fix: error instanceof ApiError ? error.fix : undefined,
  };
}

export interface Task<Args extends readonly unknown[]> {
  readonly running: boolean;
  readonly problem: ProblemView | undefined;
  run(...args: Args): void;
  /** Aborts the running action. */
  stop(): void;
}

/** Runs an action of a screen: one at a time, aborted when the component unmounts. Its error is kept until the next run. */
export function useTask<Args extends readonly unknown[]>(
  act: (signal: AbortSignal, ...args: Args) => Promise<void>,
): Task<Args> {
  const [state, setState] = useState<{ running: boolean; problem?: ProblemView }>({ running: false });
  const current = useRef<AbortController>(undefined);
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => () => current.current?.abort(), []);

  const run = useCallback((...args: Args) => {
    current.current?.abort();
    const stop = new AbortController();
    current.current = stop;
    setState({ running: true });
    latest
      .current(stop.signal, ...args)
      .then(() => {
        if (current.current === stop) setState({ running: false });
      })
      .catch((error: unknown) => {
        if (current.current === stop)
          setState(stop.signal.aborted ? { running: false } : { running: false, problem: problemOf(error) });
      });
  }, []);
  const stop = useCallback(() => current.current?.abort(), []);
  return { running: state.running, problem: state.problem, run, stop };
}
