import type { JsonObject } from '../../protocol/jsonrpc.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { Logger } from '../../protocol/log.ts';
import type { Store } from '../../store/store.ts';
import type { Sealer } from '../../store/sealer.ts';
import type { OnceOutcome } from './once-outcome.ts';
import type { ValidateAnswer, Question } from './question.ts';

/** Asks the questions of one call and returns the answers. Each era has its own implementation: `wait.ts` and `replay.ts`. */
export interface Asker {
  /** The accepted answer, as `validate` returns it. Rejects with `Pause` if the handler has to stop here. */
  answer<T>(question: Question, validate: ValidateAnswer<T>): Promise<T>;
  /** The recorded result of an action; without a record, runs the action now. */
  once(name: string, action: () => unknown): Promise<unknown>;
}

/**
 * Stops a handler at a question in the modern era; never visible outside. It is not a failure: the handler runs again when the client has
 * answered.
 */
export class Pause extends Error {
  override readonly name = 'Pause';
}

/** The state that travels sealed in `requestState`. */
export interface CallState {
  readonly callId: string;
  /** Accepted answers, by question. */
  readonly answers: readonly (readonly [name: string, answer: JsonObject])[];
  /** How each action of `once` ended, by name. */
  readonly done: readonly (readonly [name: string, outcome: OnceOutcome])[];
  /** Fingerprints of the questions asked so far. */
  readonly asked: readonly (readonly [name: string, fingerprint: string])[];
  /** Questions that wait for an answer, and how many times they have been asked. */
  readonly open: readonly (readonly [name: string, attempts: number])[];
}

/** Stops the handler at each question, and records the open questions. */
export interface ReplayAsker extends Asker {
  /** The questions that wait for an answer. Not empty: the handler had to stop. */
  readonly open: ReadonlyMap<string, Question>;
  /** Resolves when no `once` is running. */
  settled(): Promise<void>;
  /** The state that the next run needs. */
  state(): CallState;
}

/** The parts of the server that a call needs to ask questions. */
export interface CallDeps {
  readonly sealer: Sealer;
  /** Default: the store of the process. */
  readonly store: Store | undefined;
  readonly limits: Limits;
  readonly log: Logger;
}

/** Identifies a call for the seal of its state: the tool, prompt or URI, and the arguments. */
export interface CallTarget {
  readonly method: string;
  readonly name: string;
  readonly args: unknown;
}

/** A call that stopped at questions. */
export interface Suspension {
  readonly requests: JsonObject;
  /** The sealed `CallState`. */
  readonly state: string;
}
