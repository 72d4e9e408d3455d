import type { ClientCapabilities } from '../../protocol/capabilities.ts';
import type { Implementation } from '../../protocol/entities.ts';
import type { ErrorObject, JsonObject } from '../../protocol/jsonrpc.ts';
import type { Meta } from '../../protocol/meta.ts';
import type { Principal } from '../../protocol/request-context.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { Formatted } from '../../store/record-format.ts';
import type { OnceOutcome } from '../ask/once-outcome.ts';

/** How a task ended: with the result of its tool, encoded for the revision of the call, or with a JSON-RPC error. */
export type TaskOutcome = { readonly result: JsonObject } | { readonly error: ErrorObject };

/** A question of a task to the client, encoded for the revision of the call. */
export interface TaskQuestion {
  readonly method: string;
  readonly params: JsonObject;
}

/** The answer of the client: a result, or a JSON-RPC error (2025-11-25). */
export type TaskAnswer = { readonly result: JsonObject } | { readonly error: ErrorObject };

/** The client that called, with the members that the handler may need when it runs again in another process. */
export interface TaskCaller {
  readonly revision: Revision;
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  readonly principal: Pick<Principal, 'id' | 'scopes'> | undefined;
  readonly quotaKey: string | undefined;
  readonly meta: Meta;
}

/** A task as it is stored, as JSON: all that other nodes and later processes know about it. */
export interface TaskRecord extends Formatted {
  readonly id: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly caller: TaskCaller;
  /** The same in every run; handlers get it as `idempotencyKey`. */
  readonly callId: string;
  readonly state: 'working' | 'ended' | 'cancelled';
  readonly outcome?: TaskOutcome;
  readonly message?: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly updatedAt: string;
  /** How long the task may run, and how long it is kept after its last change, in milliseconds. */
  readonly ttlMs: number;
  /** Counts the runs. A run that finds a greater number has been replaced, and may no longer change the task. */
  readonly run: number;
  /** Questions without an answer, by their key. Keys are never reused. */
  readonly questions: Readonly<Record<string, TaskQuestion>>;
  readonly answers: Readonly<Record<string, TaskAnswer>>;
  /** Fingerprints of the questions asked so far, by name. */
  readonly asked: readonly (readonly [name: string, fingerprint: string])[];
  /** How each action of `once` ended, by name. */
  readonly done: Readonly<Record<string, OnceOutcome>>;
}

/** Has the task ended? */
export function hasEnded({ state }: Pick<TaskRecord, 'state'>): boolean {
  return state !== 'working';
}

/** The own member with a key that a peer chose: `constructor` is a valid key. */
export function own<T>(members: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(members, key) ? members[key] : undefined;
}

/**
 * The key of a question and the number of its attempt. Each attempt is a question of its own, and keys are unique whatever the names are
 * ("Tasks", "Task Update Requests").
 */
export function keyOf(name: string, attempt: number): string {
  return attempt === 1 && !/#\d+$/.test(name) ? name : `${name}#${attempt}`;
}

/** The name of the question with a key. */
export function nameOf(key: string): string {
  return key.replace(/#\d+$/, '');
}
