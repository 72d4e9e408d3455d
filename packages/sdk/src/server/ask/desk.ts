import type { JsonObject } from '../../protocol/jsonrpc.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { Logger } from '../../protocol/log.ts';
import type { Store } from '../../store/store.ts';
import type { Sealer } from '../../store/sealer.ts';
import type { Judge, Question } from './question.ts';

/** Where questions go and answers come from; one for each call. The two eras have one each: `wait.ts` and `replay.ts`. */
export interface Desk {
  /** The accepted answer, as the judge sees it. Rejects with `Pause` where the handler has to stop here. */
  answer<T>(question: Question, judge: Judge<T>): Promise<T>;
  /** The recorded result of an action, or its result now. */
  once(name: string, action: () => unknown): Promise<unknown>;
}

/**
 * The private signal that stops a handler at a question in the modern era. It is not a failure: the handler runs
 * again when the client has answered.
 */
export class Pause extends Error {
  override readonly name = 'Pause';
}

/** What travels sealed in `requestState`. */
export interface CallState {
  readonly callId: string;
  /** Accepted answers, by question. */
  readonly answers: readonly (readonly [name: string, answer: JsonObject])[];
  /** Results of `once`, by name. */
  readonly done: readonly (readonly [name: string, result?: unknown])[];
  /** Fingerprints of the questions asked so far. */
  readonly asked: readonly (readonly [name: string, fingerprint: string])[];
  /** Questions that wait for an answer, and how often they have been asked. */
  readonly open: readonly (readonly [name: string, attempts: number])[];
}

/** A desk that stops the handler at each question, and knows afterwards what was asked. */
export interface ReplayDesk extends Desk {
  /** The questions that wait for an answer. Not empty: the handler had to stop. */
  readonly open: ReadonlyMap<string, Question>;
  /** Settles when no `once` is running any more. */
  settled(): Promise<void>;
  /** What the next run needs. */
  state(): CallState;
}

/** What a call that may ask is conducted with. */
export interface Conductor {
  readonly sealer: Sealer;
  /** Undefined: that of the process. */
  readonly store: Store | undefined;
  readonly limits: Limits;
  readonly log: Logger;
}

/** Names a call for the seal of its state: the tool, prompt or URI, and the arguments that were given. */
export interface CallName {
  readonly method: string;
  readonly name: string;
  readonly args: unknown;
}

/** A call that stopped at questions. */
export interface Suspended {
  readonly requests: JsonObject;
  /** Sealed. */
  readonly state: string;
}
