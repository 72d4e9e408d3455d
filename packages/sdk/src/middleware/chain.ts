import type { CallAnswer, Use } from '../protocol/middleware.ts';

/** The middlewares of a method, outermost first. */
export function stepsFor<M>(use: readonly Use<M>[], method: string): readonly M[] {
  return use.flatMap((one) => {
    if (typeof one === 'function') return [one];
    const byMethod = one as Readonly<Record<string, M>>;
    return Object.hasOwn(byMethod, method) ? [byMethod[method]!] : [];
  });
}

/** A middleware of either side, as the chain runs it. */
export type Step = (call: never, next: (more?: never) => Promise<CallAnswer>) => CallAnswer | Promise<CallAnswer>;

/** The parts of a call that a chain of middleware needs. */
export interface Chain {
  readonly method: string;
  /** Is the return value of a middleware an answer? */
  isAnswer(value: unknown): value is CallAnswer;
  /** Receives the argument that a middleware passed to `next`. */
  take(more: object): void;
  /** Gets the answer when the innermost middleware asks for it. */
  last(): Promise<CallAnswer>;
}

/**
 * Runs middlewares around a call, the first one outermost. Each may call `next` once, and has to return an answer. Any other call of `next`
 * rejects.
 */
export async function runChain(steps: readonly Step[], call: unknown, chain: Chain): Promise<CallAnswer> {
  const run = async (at: number): Promise<CallAnswer> => {
    const step = steps[at];
    if (step === undefined) return chain.last();
    let state: 'new' | 'used' | 'ended' = 'new';
    const next = (more?: object): Promise<CallAnswer> => {
      if (state !== 'new') return rejected(chain.method, state);
      state = 'used';
      if (more !== undefined) chain.take(more);
      return quiet(run(at + 1));
    };
    try {
      const answer = await step(call as never, next);
      if (chain.isAnswer(answer)) return answer;
    } finally {
      state = 'ended';
    }
    throw new TypeError(`A middleware for ${chain.method} did not return the answer that \`next()\` returned`);
  };
  return run(0);
}

function rejected(method: string, state: 'used' | 'ended'): Promise<never> {
  const why = state === 'used' ? 'a second time' : 'after it had returned';
  return quiet(Promise.reject(new Error(`A middleware for ${method} called \`next()\` ${why}`)));
}

/** A middleware might not await `next()`. A rejection must not end the process then. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
