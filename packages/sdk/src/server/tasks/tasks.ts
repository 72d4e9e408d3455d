import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { RequestContext } from '../../protocol/request-context.ts';
import { rateLimitedLoggerOf } from '../../protocol/rate-limited-logger.ts';
import { withoutUndefined } from '../../protocol/without-undefined.ts';
import { holdProcess, MAX_DELAY_MS } from '../../protocol/timers.ts';
import { memoryStore } from '../../store/memory.ts';
import { FORMAT, isReadable } from '../../store/record-format.ts';
import type { Store } from '../../store/store.ts';
import { UnavailableError, watchedStore } from '../../store/unavailable.ts';
import type { CallState } from '../ask/asker.ts';
import type { Engine } from '../engine.ts';
import type { CompiledTool } from '../tool.ts';
import { notifyChanged } from './task-changes.ts';
import { hasEnded, keyOf, type TaskRecord } from './task-record.ts';
import { type Origin, type RunningTasks, TaskRun } from './task-run.ts';
import { ownerOf, type TaskAddress, TaskStore } from './task-store.ts';

/** A task and where it is stored. */
export interface StoredTask {
  readonly address: TaskAddress;
  readonly record: TaskRecord;
  /** The latest status message. */
  readonly message: string | undefined;
}

/** The properties of a new task. */
export interface TaskStart {
  /** The checked arguments. */
  readonly value: unknown;
  readonly ttlMs: number;
  /** The questions and answers before the task was created. */
  readonly state: CallState | undefined;
}

/** The store of tasks if none is given: shared by all connections of the process. */
let storeOfProcess: Store | undefined;

/** The runs of all servers of this process. */
const RUNS = new Map<string, TaskRun>();

/** Tasks that are being stored and do not run yet. They count against the limits. */
const STARTING = new Set<Pick<TaskRun, 'owner' | 'quotaKey'>>();

const ALL_TASKS = new WeakMap<Engine, Tasks>();

/** The tasks of an engine. */
export function tasksOf(engine: Engine): Tasks {
  let tasks = ALL_TASKS.get(engine);
  if (tasks === undefined) ALL_TASKS.set(engine, (tasks = new Tasks(engine)));
  return tasks;
}

/**
 * Adopts the tasks of processes that ended. The leases of a killed process last a while, so this is repeated as long as other processes
 * seem to run tasks, or if it fails. A task is also adopted when a client asks about it.
 */
export async function adoptTasks(engine: Engine): Promise<void> {
  let others = true;
  try {
    others = await tasksOf(engine).adoptAll();
  } catch (error) {
    const message = 'Tasks could not be read';
    rateLimitedLoggerOf(engine.log)({ level: 'warn', event: 'tasks-not-read', message, details: error });
  }
  if (!others) return;
  // A `WeakRef`, so that an engine that is no longer used does not look after tasks.
  const used = new WeakRef(engine);
  const timer = setTimeout(
    () => {
      const still = used.deref();
      if (still !== undefined) void adoptTasks(still);
    },
    Math.min(engine.limits.leaseMs, MAX_DELAY_MS),
  );
  holdProcess(timer, false);
}

/** The tasks of one server: creates, runs, finds, changes and cancels them. */
export class Tasks implements RunningTasks {
  readonly store: TaskStore;
  readonly #engine: Engine;
  /** Did the latest operation find the store unavailable? */
  #isAway = false;
  /** When the store was available again after it had been unavailable, by the monotonic clock. */
  #backAt = -Infinity;

  constructor(engine: Engine) {
    this.#engine = engine;
    const log = rateLimitedLoggerOf(engine.log);
    const store = watchedStore(engine.store ?? (storeOfProcess ??= memoryStore()), {
      failed: (error) => {
        this.#isAway = true;
        log({ level: 'error', event: 'store-failed', message: 'The store of tasks is not available', details: error });
      },
      answered: () => {
        if (this.#isAway) this.#backAt = performance.now();
        this.#isAway = false;
      },
    });
    this.store = new TaskStore(store, engine.of.info.name);
  }

  /** Creates a task for a call and starts it. When this resolves, the task can be found in the store. */
  async create(
    tool: CompiledTool,
    args: TaskRecord['args'],
    { value, ttlMs, state }: TaskStart,
    request: RequestContext,
  ): Promise<StoredTask> {
    const { principal, quotaKey, revision, client, capabilities, meta } = request;
    const address = { owner: ownerOf(principal), id: TaskStore.createId(Date.now()) };
    this.checkRoom(request);
    const now = new Date().toISOString();
    const caller = {
      ...{ revision, client, capabilities, quotaKey, meta },
      principal: principal && withoutUndefined({ id: principal.id, scopes: principal.scopes }),
    };
    const record: TaskRecord = {
      ...{
        format: FORMAT,
        id: address.id,
        tool: tool.name,
        args,
        caller,
        callId: state?.callId ?? crypto.randomUUID(),
        ttlMs,
        run: 1,
      },
      ...{ state: 'working', createdAt: now, updatedAt: now, questions: {} },
      answers: Object.fromEntries((state?.answers ?? []).map(([name, result]) => [keyOf(name, 1), { result }])),
      asked: state?.asked ?? [],
      done: Object.fromEntries(state?.done ?? []),
    };
    const token = crypto.randomUUID();
    const starting = { owner: address.owner, quotaKey };
    STARTING.add(starting);
    try {
      await this.#storeNew(address, record, token);
    } finally {
      STARTING.delete(starting);
    }
    if (request.cancelled) {
      await this.#drop({ address, record });
      throw new ProtocolError(CODE.internalError, 'The call was cancelled before it began');
    }
    this.#start(address, record, tool, token, request, value);
    const task = { address, record, message: undefined };
    // If the call is aborted before its answer was sent, the client does not learn of the task.
    request.signal.addEventListener('abort', () => void this.#drop(task), { once: true });
    request.dropTask = () => this.#drop(task);
    return task;
  }

  /** The task of this caller with this id. A task whose process has ended is run again, or fails, as its tool declares. */
  async find(id: string, request: Pick<RequestContext, 'principal'>): Promise<StoredTask | undefined> {
    const address = { owner: ownerOf(request.principal), id };
    const record = await this.store.read(address);
    if (record === undefined) return undefined;
    if (hasEnded(record) || RUNS.has(id)) return this.#withMessage(address, record);
    return this.#withMessage(address, await this.#adopt(address, record));
  }

  /** Some of this caller's tasks, ordered by age. */
  async list(
    request: Pick<RequestContext, 'principal'>,
    after: string | undefined,
    limit: number,
  ): Promise<readonly StoredTask[]> {
    const owner = ownerOf(request.principal);
    const records = await this.store.list(owner, after, limit);
    return records.map((record) => this.#withMessage({ owner, id: record.id }, record));
  }

  /** Changes a task, and notifies everyone who waits for it. */
  async change(
    address: TaskAddress,
    change: (record: TaskRecord) => TaskRecord | undefined,
  ): Promise<TaskRecord | undefined> {
    let changed = false;
    const record = await this.store.change(address, (before) => {
      const after = change(before);
      changed = after !== undefined;
      return after;
    });
    if (changed) {
      notifyChanged(address.id);
      this.announce(address);
    }
    return record;
  }

  /** Cancels a task that has not ended. Resolves with the task, and whether this call ended it. */
  async cancel(task: StoredTask): Promise<{ readonly task: StoredTask; readonly done: boolean }> {
    let done = false;
    const record = await this.change(task.address, (before) => {
      done = !hasEnded(before);
      return done ? { ...before, state: 'cancelled', questions: {} } : undefined;
    });
    if (done) RUNS.get(task.address.id)?.stop('The task was cancelled');
    return { task: { ...task, record: record ?? task.record }, done };
  }

  /** Notifies subscribers that the state of a task, or its message, has changed. */
  announce({ id }: TaskAddress): void {
    this.#engine.of.changes.announce({ task: id });
  }

  /** Throws a `ProtocolError` if this caller can have no more tasks now. */
  checkRoom({ principal, quotaKey }: Pick<RequestContext, 'principal' | 'quotaKey'>): void {
    const owner = ownerOf(principal);
    const { tasks, tasksPerPrincipal } = this.#engine.limits;
    let own = 0;
    for (const run of [...RUNS.values(), ...STARTING])
      if (owner === '-' ? quotaKey !== undefined && run.quotaKey === quotaKey : run.owner === owner) own++;
    if (RUNS.size + STARTING.size < tasks && own < tasksPerPrincipal) return;
    const limit = own >= tasksPerPrincipal ? tasksPerPrincipal : tasks;
    throw new ProtocolError(CODE.internalError, `Too many tasks at once: the limit is ${limit}`);
  }

  /** A run has ended. */
  forget(run: TaskRun): void {
    if (RUNS.get(run.id) === run) RUNS.delete(run.id);
  }

  /** Adopts or ends the tasks of processes that ended. Resolves with whether other processes seem to run tasks. */
  async adoptAll(): Promise<boolean> {
    const limit = 100;
    let others = false;
    for (let after: string | undefined; ;) {
      const open = await this.store.open(after, limit);
      for (const address of open) {
        const record = RUNS.has(address.id) ? undefined : await this.store.readAny(address);
        if (record === undefined) continue;
        // A node of another version runs it.
        if (!isReadable(record)) {
          others = true;
          continue;
        }
        const now = hasEnded(record) ? record : await this.#adopt(address, record);
        if (hasEnded(now)) await this.store.close(address);
        else if (!RUNS.has(address.id)) others = true;
      }
      if (open.length < limit) return others;
      after = open.at(-1)!.id;
    }
  }

  /** Cancels a task whose handle does not reach its client. Never rejects: where the store is away, the task runs on. */
  async #drop(task: Pick<StoredTask, 'address' | 'record'>): Promise<void> {
    try {
      await this.cancel({ ...task, message: undefined });
    } catch (error) {
      const message = `Task ${task.address.id} could not be cancelled, although its client does not know its handle`;
      this.#engine.log({ level: 'warn', event: 'task-not-stored', message, details: error });
    }
  }

  #withMessage(address: TaskAddress, record: TaskRecord): StoredTask {
    return { address, record, message: RUNS.get(address.id)?.message ?? record.message };
  }

  #start(
    address: TaskAddress,
    record: TaskRecord,
    tool: CompiledTool,
    token: string,
    origin: Origin | undefined,
    input: unknown,
  ): void {
    const run = new TaskRun(record, { engine: this.#engine, tasks: this, address, tool, token, origin });
    RUNS.set(address.id, run);
    void run.run(input);
  }

  /** Ends a task that no process runs, or runs it again. Resolves with the task in its current state. */
  async #adopt(address: TaskAddress, record: TaskRecord): Promise<TaskRecord> {
    const { leaseMs } = this.#engine.limits;
    // Leases may have expired because the store was unavailable. The processes that run those tasks renew them first. What counts is when
    // the store came back: the latest failure may have been long before that.
    if (this.#isAway || performance.now() < this.#backAt + leaseMs) return record;
    const token = crypto.randomUUID();
    if (!(await this.store.lease(address, token, leaseMs))) return record;
    let started = false;
    try {
      const found = await this.#toolOf(record);
      // Otherwise a task whose process dies in every run would never end.
      const inTime = Date.now() < Date.parse(record.createdAt) + record.ttlMs;
      const rerun = inTime && found !== undefined && found.tool.tool.options.interrupted === 'rerun';
      const run = record.run + 1;
      const now = await this.change(address, (before) => {
        if (hasEnded(before)) return undefined;
        return rerun ? { ...before, run } : { ...before, state: 'ended', outcome: INTERRUPTED, questions: {}, run };
      });
      if (now !== undefined && !hasEnded(now) && found !== undefined) {
        this.#start(address, now, found.tool, token, undefined, found.input);
        started = true;
      }
      return now ?? record;
    } finally {
      if (!started) await this.store.release(address, token);
    }
  }

  /** The tool of a task and its input; undefined if the tool no longer exists, or no longer takes these arguments. */
  async #toolOf({ tool: name, args, caller }: TaskRecord) {
    const tool = await this.#engine.catalog.tool(name, this.#engine.viewer({ principal: caller.principal }));
    if (tool === undefined) return undefined;
    const checked = tool.input === undefined ? { value: args } : await tool.input.check(args);
    return 'issues' in checked ? undefined : { tool, input: checked.value };
  }

  async #storeNew(address: TaskAddress, record: TaskRecord, token: string): Promise<void> {
    const { limits, log } = this.#engine;
    try {
      await this.store.create(address, record, token, limits.leaseMs);
    } catch (error) {
      if (error instanceof UnavailableError) throw error;
      if (error instanceof RangeError)
        throw new ProtocolError(CODE.internalError, 'The server can keep no more tasks now. Try again later.');
      log({ level: 'error', event: 'task-not-stored', message: 'A task could not be stored', details: error });
      throw new ProtocolError(CODE.internalError, 'The task could not be stored. Try again later.');
    }
  }
}

const INTERRUPTED: TaskRecord['outcome'] = {
  error: {
    code: CODE.internalError,
    message: 'The process that ran this task has ended. The task may have had effects, and was not started again.',
  },
};
