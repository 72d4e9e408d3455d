import { onAbort } from '../../protocol/on-abort.ts';
import type { ToolEntry } from '../../protocol/entities.ts';
import { becameTask, type TaskSupport } from '../../protocol/tasks.ts';
import { abortError } from '../../protocol/abort-error.ts';
import { PeerError, TimeoutError } from '../../protocol/errors.ts';
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts';
import type { CallToolResult } from '../../protocol/results.ts';
import { featuresOf } from '../../protocol/revision.ts';
import { shown } from '../../protocol/text.ts';
import { decodeResult, isInputRequired } from '../../wire/decode.ts';
import type { Answerer } from '../answerer.ts';
import type { Settings } from '../options.ts';
import { asPeerError } from '../server-question.ts';
import { reportLeftOut, type SendOptions } from '../server-connection.ts';
import type { Report } from '../report.ts';
import type { Agreement, CallOptions, Listing, Watch } from '../types.ts';
import { ClientTask, type TaskClient } from './client-task.ts';
import type { SavedTask } from './task.ts';
import { createdTask, isTerminal, type TaskState } from './task-state.ts';

/** The params of a tool call. */
export type ToolCallParams = JsonObject & { readonly name: string };

/** Sends the requests of calls that become tasks. */
export interface TaskSender {
  /** Sends a tool call, and returns the unchanged answer. */
  sendCall(params: ToolCallParams, options: SendOptions): Promise<JsonObject>;
  /** Sends a request unchanged, and returns the unchanged result. */
  raw(method: string, params: JsonObject, options: SendOptions): Promise<JsonObject>;
  /** Throws a `PeerError` if a result does not match the output schema of its tool. */
  check(tool: string, result: CallToolResult): void | Promise<void>;
  /** Is the tool known to have an output schema? */
  declaresOutput(tool: string): boolean;
  list(method: 'tools/list'): Listing<ToolEntry>;
  /** Counts how often the list of tools may have changed. */
  readonly toolLists: number;
}

/** The parts of the client that its task calls need. */
export interface TaskCallsOptions {
  readonly settings: Settings;
  readonly report: Report;
  readonly answerer: Answerer;
  readonly requests: TaskSender;
  readonly agreement: () => Agreement;
  /** The value of a result. `declares`: the tool has an output schema. */
  readonly read: (result: CallToolResult, declares: boolean) => unknown;
  /** The changes of a task, where the server announces them (2026-07-28). */
  readonly watch: (id: string, signal: AbortSignal) => Watch;
}

/** Calls of tools as tasks. Loaded with the first such call. */
export class TaskCalls {
  readonly #options: TaskCallsOptions;
  readonly #client: TaskClient;
  /** The task support of the tools of a 2025-11-25 server, from the list with this number. */
  #supports: Promise<ReadonlyMap<string, TaskSupport>> | undefined;
  #listing = -1;

  constructor(options: TaskCallsOptions) {
    const { settings, report, answerer, requests, agreement, read, watch } = options;
    this.#options = options;
    const { answers = {} } = settings;
    // A repeated question has another key in the task: its name and a number.
    const scripted = (key: string): string => {
      const name = key.replace(/#\d+$/, '');
      return !Object.hasOwn(answers, key) && Object.hasOwn(answers, name) ? name : key;
    };
    this.#client = {
      watch,
      clock: settings.clock,
      taskMs: settings.limits.taskMs,
      revision: () => agreement().revision,
      request: (method, params, more) => requests.raw(method, params, { ...more, takesTasks: true }),
      async answer(name, { method, params }, signal) {
        const { revision, server } = agreement();
        try {
          return await answerer.answer({ method, params, name: scripted(name) }, revision, server, signal);
        } catch (error) {
          throw asPeerError(error);
        }
      },
      async decode(tool, result) {
        const decoded = decodeResult('tools/call', result, agreement().revision, { report: reportLeftOut(report) });
        if (isInputRequired(decoded))
          throw new PeerError('invalid-answer', 'The result of a task cannot ask for input');
        await requests.check(tool, decoded as unknown as CallToolResult);
        return decoded as unknown as CallToolResult;
      },
      read: (tool, result) => read(result, requests.declaresOutput(tool)),
    };
  }

  /** Calls a tool, as a task if the server can do that. */
  async start(tool: string, args: JsonObject | undefined, options: CallOptions): Promise<ClientTask> {
    const plain = args === undefined ? { name: tool } : { name: tool, arguments: args };
    const asTask = (await this.#supportOf(tool)) !== 'forbidden';
    const params = asTask ? { ...plain, task: {} } : plain;
    const sent = await this.#options.requests.sendCall(params, { ...options, takesTasks: true });
    const created = becameTask(sent) ? createdBy(sent) : undefined;
    const saved = created === undefined ? { tool, result: sent } : { tool, taskId: created.id };
    return new ClientTask(this.#client, saved, created);
  }

  /** Opens a stored task. Throws a `TypeError` for anything else. */
  open(saved: SavedTask): ClientTask {
    const { tool, taskId, result } = isObject(saved) ? saved : ({} as Partial<SavedTask>);
    const isTask = typeof taskId === 'string' ? taskId !== '' : isObject(result);
    if (typeof tool !== 'string' || !isTask)
      throw new TypeError('This is not a stored task: pass the result of `toJSON` of a task');
    return new ClientTask(this.#client, taskId === undefined ? { tool, result: result! } : { tool, taskId });
  }

  /** Waits for the task that a call has become. If the call is aborted or times out, its task is cancelled. */
  async wait(tool: string, answer: JsonObject, { signal, maxTimeout }: CallOptions): Promise<CallToolResult> {
    const { clock, limits } = this.#options.settings;
    const created = createdBy(answer);
    let ended = false;
    const onState = ({ status }: TaskState): void => void (ended = isTerminal(status));
    const task = new ClientTask(this.#client, { tool, taskId: created.id }, created);
    const wait = new AbortController();
    const late = (): void =>
      wait.abort(
        new TimeoutError('total-timeout', `No result of the task of ${shown(tool, 60)} within its total time limit`),
      );
    const timer = clock.setTimeout(late, maxTimeout ?? limits.taskMs);
    const stopListening = onAbort(signal, () => wait.abort(abortError(signal!)));
    try {
      return await task.result({ signal: wait.signal, onState });
    } catch (error) {
      // No other code knows the id of this task, so no one could answer its questions.
      if (!ended) void task.cancel().catch(() => {});
      throw wait.signal.aborted ? wait.signal.reason : error;
    } finally {
      clock.clearTimeout(timer);
      stopListening();
    }
  }

  /** The params of a call; for a tool that can only be called as a task, those of a call as a task (2025-11-25). */
  async asTaskIfRequired(params: ToolCallParams): Promise<ToolCallParams> {
    return (await this.#supportOf(params.name)) === 'required' ? { ...params, task: {} } : params;
  }

  /** Whether a tool of 2025-11-25 may be called as a task. A tool that is not listed cannot be. */
  async #supportOf(tool: string): Promise<TaskSupport> {
    const { agreement, requests } = this.#options;
    const { revision, capabilities } = agreement();
    if (!featuresOf(revision).coreTasks || !takesToolTasks(capabilities.tasks)) return 'forbidden';
    if (this.#supports === undefined || this.#listing !== requests.toolLists) {
      this.#listing = requests.toolLists;
      this.#supports = this.#listSupports();
      // The next call tries again.
      this.#supports.catch(() => (this.#supports = undefined));
    }
    return (await this.#supports).get(tool) ?? 'forbidden';
  }

  async #listSupports(): Promise<ReadonlyMap<string, TaskSupport>> {
    const supports = new Map<string, TaskSupport>();
    for await (const { name, execution } of this.#options.requests.list('tools/list')) {
      const support = execution?.taskSupport ?? 'forbidden';
      if (support !== 'forbidden') supports.set(name, support);
    }
    return supports;
  }
}

/** The task in the answer of a server that created one. */
function createdBy(answer: JsonObject): TaskState {
  const created = createdTask(answer);
  if (created !== undefined) return created;
  throw new PeerError('invalid-answer', 'The answer to tools/call has a task without an id');
}

/** Does the server declare that calls of tools may be tasks? (2025-11-25) */
function takesToolTasks(tasks: JsonObject | undefined): boolean {
  const requests = tasks?.['requests'];
  const tools = isObject(requests) ? requests['tools'] : undefined;
  return isObject(tools) && isObject(tools['call']);
}
