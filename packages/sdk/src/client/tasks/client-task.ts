import { onAbort } from '../../protocol/on-abort.ts';
import { abortError } from '../../protocol/abort-error.ts';
import { ConnectionError, PeerError, ProtocolError, ToolError } from '../../protocol/errors.ts';
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts';
import type { CallToolResult } from '../../protocol/results.ts';
import type { Revision } from '../../protocol/revision.ts';
import { featuresOf } from '../../protocol/revision.ts';
import { shown } from '../../protocol/text.ts';
import { type Clock, sleep } from '../clock.ts';
import type { CallOptions } from '../types.ts';
import { followTask, repeat, type TaskEnd } from './follow-task.ts';
import type { SavedTask, Task, TaskWaitOptions } from './task.ts';
import { Pauses } from './pauses.ts';
import { isTerminal, stateOfTask, type TaskState } from './task-state.ts';

/** The maximum number of questions of one task that are answered, as for one call. */
const MAX_QUESTIONS = 100;

/** The parts of the client that tasks need. */
export interface TaskClient {
  readonly clock: Clock;
  /** How long to wait for the result of a task of 2025-11-25, in milliseconds. */
  readonly taskMs: number;
  /** The changes of a task, where the server announces them (2026-07-28). */
  watch(id: string, signal: AbortSignal): AsyncIterable<unknown>;
  /** The agreed revision. */
  revision(): Revision;
  /** Sends a request that declares support for tasks, and returns the unchanged result. */
  request(method: string, params: JsonObject, options: CallOptions): Promise<JsonObject>;
  /** Lets the handlers of the client answer a question. */
  answer(name: string, question: TaskState['questions'][string], signal: AbortSignal): Promise<JsonObject>;
  /** Checks a result of this tool, and returns it in the format of the newest revision. */
  decode(tool: string, result: JsonObject): Promise<CallToolResult>;
  /** The value of a result of this tool. Throws a `ToolError` for an error. */
  read(tool: string, result: CallToolResult): unknown;
}

/** A task of a client. */
export class ClientTask implements Task {
  readonly id: string | undefined;
  readonly tool: string;
  readonly #client: TaskClient;
  /** The answer to the call if the server created no task. */
  readonly #given: JsonObject | undefined;
  /** The state in which this client's call created it. */
  #created: TaskState | undefined;
  /** The names of the questions that were put to a handler, or answered with `answer`. Each is answered only once. */
  readonly #asked = new Set<string>();

  constructor(client: TaskClient, { tool, taskId, result }: SavedTask, created?: TaskState) {
    this.#client = client;
    this.tool = tool;
    this.id = taskId;
    this.#given = result;
    this.#created = created;
  }

  async status(): Promise<TaskState> {
    if (this.id === undefined) return { id: '', status: 'completed', message: undefined, pollMs: 0, questions: {} };
    return stateOfTask(this.id, await this.#request('tasks/get', {}));
  }

  async result({ signal, onState }: TaskWaitOptions = {}): Promise<CallToolResult> {
    if (this.#given !== undefined) return this.#client.decode(this.tool, this.#given);
    const { state, answer, result } = await this.#follow(signal, onState);
    if (result !== undefined) return this.#client.decode(this.tool, result);
    if (isObject(answer['result'])) return this.#client.decode(this.tool, answer['result']);
    throw errorOf(this.tool, state, answer['error']);
  }

  async value(options?: TaskWaitOptions): Promise<unknown> {
    return this.#client.read(this.tool, await this.result(options));
  }

  async cancel(): Promise<void> {
    if (this.id !== undefined) await this.#request('tasks/cancel', {});
  }

  async answer(name: string, answer: object): Promise<void> {
    if (this.#isLegacy)
      throw new ConnectionError(
        'unsupported-revision',
        `A task of ${this.#client.revision()} asks by requests, which the handlers of the client answer while its result is waited for`,
        { processed: 'no' },
      );
    this.#asked.add(name);
    try {
      await this.#request('tasks/update', { inputResponses: { [name]: answer } });
    } catch (error) {
      this.#asked.delete(name);
      throw error;
    }
  }

  toJSON(): SavedTask {
    return this.id === undefined
      ? { tool: this.tool, result: this.#given ?? {} }
      : { tool: this.tool, taskId: this.id };
  }

  get #isLegacy(): boolean {
    return featuresOf(this.#client.revision()).era === 'legacy';
  }

  #request(method: string, params: JsonObject, options: CallOptions = {}): Promise<JsonObject> {
    return this.#client.request(method, { ...params, taskId: this.id }, options);
  }

  async #follow(signal: AbortSignal | undefined, onState: TaskWaitOptions['onState']): Promise<TaskEnd> {
    if (signal?.aborted === true) throw abortError(signal);
    const { clock, taskMs } = this.#client;
    // Ends everything that belongs to the wait: on abort by the caller, at a question that cannot be answered, or when the task has ended.
    const wait = new AbortController();
    const stopListening = onAbort(signal, () => wait.abort(abortError(signal!)));
    const created = this.#created;
    const pauses = new Pauses(clock, wait.signal);
    this.#created = undefined;
    try {
      return await followTask(
        this.id!,
        {
          isLegacy: this.#isLegacy,
          request: (method, _about, waits) =>
            this.#request(method, {}, waits ? { signal: wait.signal, timeout: taskMs } : { signal: wait.signal }),
          seen: (state) => {
            onState?.(state);
            // A task that ends soon is not worth a subscription.
            if (!this.#isLegacy && !isTerminal(state.status))
              pauses.endWith(() => this.#client.watch(this.id!, wait.signal));
          },
          answer: (state) => this.#answerAll(state, wait),
          delay: (ms) => pauses.pause(ms),
        },
        created,
      );
    } catch (error) {
      throw wait.signal.aborted ? wait.signal.reason : error;
    } finally {
      stopListening();
      wait.abort();
    }
  }

  /** Lets the handlers answer new questions. A question that cannot be answered ends the wait. */
  #answerAll({ questions, pollMs }: TaskState, wait: AbortController): void {
    const delay = (ms: number): Promise<void> => sleep(this.#client.clock, ms, wait.signal);
    for (const [name, question] of Object.entries(questions)) {
      if (this.#asked.has(name)) continue;
      if (this.#asked.size >= MAX_QUESTIONS)
        return wait.abort(new PeerError('endless-questions', `The task asks more than ${MAX_QUESTIONS} questions`));
      this.#asked.add(name);
      this.#client
        .answer(name, question, wait.signal)
        .then((answer) => {
          const inputResponses = { [name]: answer };
          const send = () => this.#request('tasks/update', { inputResponses }, { signal: wait.signal });
          // The server ignores an answer that it already has.
          return repeat(send, { delay }, pollMs);
        })
        .catch((error: unknown) => {
          this.#asked.delete(name);
          wait.abort(error);
        });
    }
  }
}

function errorOf(tool: string, { status, message }: TaskState, error: unknown): Error {
  const why = message === undefined ? '' : `: ${shown(message, 300)}`;
  if (status === 'cancelled') return new ToolError(`The task of ${shown(tool, 60)} was cancelled${why}`);
  if (isObject(error) && typeof error['code'] === 'number' && typeof error['message'] === 'string')
    return new ProtocolError(error['code'], error['message'], error['data']);
  return new PeerError(
    'invalid-answer',
    `The task of ${shown(tool, 60)} is ${shown(status, 60)}, but has no result${why}`,
  );
}
