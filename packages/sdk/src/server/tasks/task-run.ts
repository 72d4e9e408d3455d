import { abortError } from '../../protocol/abort-error.ts';
import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { ErrorObject, JsonObject } from '../../protocol/jsonrpc.ts';
import type { LogLevel } from '../../protocol/log.ts';
import type { RequestContext } from '../../protocol/request-context.ts';
import type { Progress } from '../../protocol/results.ts';
import { featuresOf } from '../../protocol/revision.ts';
import { holdProcess, MAX_DELAY_MS } from '../../protocol/timers.ts';
import { withoutUndefined } from '../../protocol/without-undefined.ts';
import { rateLimitedLoggerOf } from '../../protocol/rate-limited-logger.ts';
import { RELATED_TASK } from '../../protocol/tasks.ts';
import { metaOf } from '../../protocol/meta.ts';
import { repeatWhileUnavailable } from '../../store/unavailable.ts';
import type { AskAccess, CallMethods } from '../call-context.ts';
import { createCallContext } from '../call-context.ts';
import { createQuestionMethods } from '../ask/question-methods.ts';
import type { Engine } from '../engine.ts';
import type { CompiledTool } from '../tool.ts';
import { runTool } from './run-tool.ts';
import { createTaskAsker, type AskedTask } from './task-asker.ts';
import { nextChange } from './task-changes.ts';
import { hasEnded, type TaskOutcome, type TaskRecord } from './task-record.ts';
import type { TaskAddress, TaskStore } from './task-store.ts';

/** The request that created a task; not available when another process runs the task again. */
export type Origin = Pick<RequestContext, 'session' | 'header' | 'logLevel' | 'announce' | 'principal'>;

/** The tasks that a run belongs to. */
export interface RunningTasks {
  readonly store: TaskStore;
  /** Changes a task, and notifies everyone who waits for it. */
  change(address: TaskAddress, change: (record: TaskRecord) => TaskRecord | undefined): Promise<TaskRecord | undefined>;
  /** Notifies subscribers that the state of a task, or its message, has changed. */
  announce(address: TaskAddress): void;
  /** Called when a run has ended. */
  forget(run: TaskRun): void;
}

/** The dependencies of a run, besides its task. */
export interface TaskRunDeps {
  readonly engine: Engine;
  readonly tasks: RunningTasks;
  readonly address: TaskAddress;
  readonly tool: CompiledTool;
  /** The lease of this run. */
  readonly token: string;
  readonly origin: Origin | undefined;
}

/** The maximum length of a status message, in characters: each response about the task contains it. */
const MAX_MESSAGE = 1_000;

/** The delay before a message is stored, in milliseconds, because handlers may report often. */
const SAVE_MS = 1_000;

/** Why a run stopped for a reason other than its handler. */
class Stopped extends Error {
  override readonly name = 'AbortError';
}

/** One run of the handler of a task, in this process. It is also the `RequestContext` of the handler. */
export class TaskRun implements RequestContext {
  readonly id: string;
  readonly #deps: TaskRunDeps;
  readonly #record: TaskRecord;
  readonly #controller = new AbortController();
  #deadline: ReturnType<typeof setTimeout> | undefined;
  #message: string | undefined;
  #saving: ReturnType<typeof setTimeout> | undefined;
  #questions = 0;
  #ended = false;
  /** One renewal at a time: a second one could find the lease taken by the first. */
  #renewing = false;
  /** Another process has the lease, so this run may no longer end the task. */
  #replaced = false;
  /** The outcome of a task whose time to live has passed. */
  #expiry: TaskOutcome | undefined;
  /** The values that middleware added for the handler. */
  state: object | undefined;

  constructor(record: TaskRecord, deps: TaskRunDeps) {
    this.id = record.id;
    this.#record = record;
    this.#deps = deps;
  }

  get revision(): RequestContext['revision'] {
    return this.#record.caller.revision;
  }

  get client(): RequestContext['client'] {
    return this.#record.caller.client;
  }

  get capabilities(): RequestContext['capabilities'] {
    return this.#record.caller.capabilities;
  }

  get principal(): RequestContext['principal'] {
    return this.#deps.origin?.principal ?? this.#record.caller.principal;
  }

  get quotaKey(): string | undefined {
    return this.#record.caller.quotaKey;
  }

  get session(): object | undefined {
    return this.#deps.origin?.session;
  }

  get header(): RequestContext['header'] {
    return this.#deps.origin?.header;
  }

  get meta(): RequestContext['meta'] {
    return this.#record.caller.meta;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get cancelled(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Tasks of 2026-07-28 send no log messages ("Tasks", "Task Status Notifications"). */
  get logLevel(): LogLevel | undefined {
    return this.#isLegacy ? this.#deps.origin?.logLevel : undefined;
  }

  get task(): NonNullable<RequestContext['task']> {
    return { id: this.id, run: this.#record.run };
  }

  get asking(): boolean {
    return this.#questions > 0;
  }

  /** The latest message that the handler reported with its progress. */
  get message(): string | undefined {
    return this.#message;
  }

  get owner(): string {
    return this.#deps.address.owner;
  }

  get #isLegacy(): boolean {
    return featuresOf(this.revision).era === 'legacy';
  }

  /** In 2025-11-25 progress and log messages go to the session, as long as it exists. */
  notify(method: string, params: JsonObject): void | Promise<void> {
    if (this.#ended || !this.#isLegacy) return undefined;
    const meta = { ...metaOf(params), [RELATED_TASK]: { taskId: this.id } };
    return this.#deps.origin?.announce?.(method, { ...params, _meta: meta });
  }

  announce(method: string, params: JsonObject): void | Promise<void> {
    return this.notify(method, params);
  }

  /** The message of a report becomes the status message of the task. */
  onProgress({ message }: Progress): void {
    if (message === undefined || this.#ended) return;
    this.#message = message.slice(0, MAX_MESSAGE);
    this.#deps.tasks.announce(this.#deps.address);
    if (this.#saving !== undefined) return;
    this.#saving = setTimeout(() => void this.#saveMessage(), SAVE_MS);
    holdProcess(this.#saving, false);
  }

  /** Other processes show the message that is stored. */
  async #saveMessage(): Promise<void> {
    this.#saving = undefined;
    const message = this.#message;
    await this.#deps.tasks
      .change(this.#deps.address, (record) =>
        this.#isMine(record) && message !== undefined ? { ...record, message } : undefined,
      )
      // The next message, or the end of the task, is stored instead.
      .catch(() => {});
  }

  /** Runs the handler. Resolves when the task has ended, or another process has taken it over. Never rejects. */
  async run(input: unknown): Promise<void> {
    const { engine, tasks, address, token } = this.#deps;
    const { leaseMs } = engine.limits;
    const renewal = setInterval(() => void this.#keepLease(), Math.min(leaseMs / 3, MAX_DELAY_MS));
    // The handler, not this timer, keeps the process alive.
    holdProcess(renewal, false);
    this.#waitForDeadline();
    try {
      await this.#endOrFail(() => this.#outcomeOf(input));
    } catch (error) {
      this.#logNotStored(error, 'has ended, but this could not be stored');
    } finally {
      this.#ended = true;
      clearInterval(renewal);
      clearTimeout(this.#deadline);
      clearTimeout(this.#saving);
      tasks.forget(this);
      await tasks.store.release(address, token).catch(() => {});
    }
  }

  /** Stops the handler: the task was cancelled, or belongs to another process now. */
  stop(reason: string): void {
    if (!this.#controller.signal.aborted) this.#controller.abort(new Stopped(reason));
  }

  async #outcomeOf(input: unknown): Promise<TaskOutcome> {
    const { engine, tool } = this.#deps;
    const ctx = createCallContext(this, this.#asking());
    try {
      return { result: await runTool(engine, tool, { args: this.#record.args, input }, this, ctx) };
    } catch (error) {
      if (error instanceof ProtocolError) return { error: errorObject(error) };
      throw error;
    }
  }

  #asking(): AskAccess {
    let opening: Promise<CallMethods> | undefined;
    const { callId } = this.#record;
    const open = async (): Promise<CallMethods> => {
      const asker = await createTaskAsker(this.#asked());
      return { asker, ...createQuestionMethods(asker, this, () => callId) };
    };
    return { callId: () => callId, open: () => (opening ??= open()) };
  }

  #asked(): AskedTask {
    const { tasks, address } = this.#deps;
    const mine = (record: TaskRecord | undefined): TaskRecord => {
      if (record !== undefined && this.#isMine(record)) return record;
      this.stop('The task was cancelled');
      throw abortError(this.signal);
    };
    return {
      revision: this.revision,
      // A task waits for a store that is unavailable, as it waits for answers: until it is stopped.
      read: async () => mine(await repeatWhileUnavailable(() => tasks.store.read(address), this.signal)),
      change: async (change) => {
        const own = (record: TaskRecord) => (this.#isMine(record) ? change(record) : undefined);
        return mine(await repeatWhileUnavailable(() => tasks.change(address, own), this.signal));
      },
      waitUntil: (condition) => this.#waitUntil(condition),
    };
  }

  async #waitUntil(condition: () => Promise<boolean>): Promise<void> {
    this.#questions++;
    try {
      for (;;) {
        const next = nextChange(this.id, this.signal);
        try {
          if (this.cancelled) throw abortError(this.signal);
          if (await condition()) return;
          await next.wait();
        } finally {
          next.stop();
        }
      }
    } finally {
      this.#questions--;
    }
  }

  /** Is the task still running in this run? */
  #isMine(record: TaskRecord): boolean {
    return !hasEnded(record) && record.run === this.#record.run;
  }

  async #end(outcome: TaskOutcome): Promise<void> {
    await this.#deps.tasks.change(this.#deps.address, (record) =>
      this.#isMine(record)
        ? withoutUndefined({
            ...{ ...record, state: 'ended' as const, outcome, questions: {} },
            message: this.#message ?? record.message,
          })
        : undefined,
    );
  }

  /**
   * Ends the task with its outcome, or as failed if the outcome cannot be stored because it is not JSON or too large. The handler has run
   * either way: a task that did not end would seem interrupted, and might run again.
   */
  async #endOrFail(run: () => Promise<TaskOutcome>): Promise<void> {
    try {
      const outcome = await run();
      await this.#endLater(this.#expiry ?? this.#bounded(outcome));
    } catch (error) {
      this.#logNotStored(error, 'has ended, but its result could not be stored');
      await this.#endLater(UNSTORABLE);
    }
  }

  /** Stores the outcome. If the store is unavailable, waits for it: without its outcome, the task would seem interrupted. */
  async #endLater(outcome: TaskOutcome): Promise<void> {
    const { createdAt, ttlMs } = this.#record;
    const leftMs = Math.min(ttlMs, Date.parse(createdAt) + ttlMs - Date.now());
    const end = async (): Promise<void> => (this.#replaced ? undefined : this.#end(outcome));
    await repeatWhileUnavailable(end, NEVER, Math.max(leftMs, this.#deps.engine.limits.leaseMs));
  }

  #bounded(outcome: TaskOutcome): TaskOutcome {
    const { taskBytes } = this.#deps.engine.limits;
    const [what, value] = 'error' in outcome ? ['error', outcome.error] : ['result', outcome.result];
    const { length } = JSON.stringify(value);
    if (length <= taskBytes) return outcome;
    const message = `The ${what} has ${length} characters, more than the ${taskBytes} that a task may have. Return a resource link to it.`;
    return { error: { code: CODE.internalError, message } };
  }

  #logNotStored(details: unknown, what: string): void {
    const message = `Task ${this.id} ${what}`;
    this.#deps.engine.log({ level: 'error', event: 'task-not-stored', message, details });
  }

  async #keepLease(): Promise<void> {
    if (this.#renewing) return;
    this.#renewing = true;
    try {
      await repeatWhileUnavailable(() => this.#renewLease(), NEVER, this.#deps.engine.limits.leaseMs);
    } catch (error) {
      const message = `The lease of task ${this.id} failed`;
      rateLimitedLoggerOf(this.#deps.engine.log)({ level: 'warn', event: 'task-lease', message, details: error });
    } finally {
      this.#renewing = false;
    }
  }

  async #renewLease(): Promise<void> {
    if (this.#ended) return;
    const { engine, tasks, address, token } = this.#deps;
    const { leaseMs } = engine.limits;
    // A lease that expired while the machine slept, or the store was unavailable, may not have been taken yet.
    const held =
      (await tasks.store.renew(address, token, leaseMs)) || (await tasks.store.lease(address, token, leaseMs));
    if (!held) {
      this.#replaced = true;
      return this.stop('Another process has taken over the task');
    }
    const record = await tasks.store.read(address);
    if (record === undefined || !this.#isMine(record)) this.stop('The task was cancelled');
  }

  /**
   * The time to live counts from the creation of the task, however often it runs again. It may be longer than the longest delay of a timer.
   */
  #waitForDeadline(): void {
    const { createdAt, ttlMs } = this.#record;
    // The clock may have been set back since.
    const leftMs = Math.min(ttlMs, Date.parse(createdAt) + ttlMs - Date.now());
    const passed = (): void => (leftMs > MAX_DELAY_MS ? this.#waitForDeadline() : void this.#expire());
    this.#deadline = setTimeout(passed, Math.min(Math.max(leftMs, 1), MAX_DELAY_MS));
    holdProcess(this.#deadline, false);
  }

  /** The time to live has passed. The task fails now, even if the handler does not stop. */
  async #expire(): Promise<void> {
    const message = `The task did not end within its time to live of ${this.#record.ttlMs} ms`;
    this.#expiry = { error: { code: CODE.internalError, message } };
    await this.#end(this.#expiry).catch(() => {});
    this.stop(message);
  }
}

const NEVER = new AbortController().signal;

const UNSTORABLE: TaskOutcome = {
  error: {
    code: CODE.internalError,
    message: 'The task has run, but its result could not be stored. The log of the server says why.',
  },
};

function errorObject({ code, message, data }: ProtocolError): ErrorObject {
  return data === undefined ? { code, message } : { code, message, data };
}
