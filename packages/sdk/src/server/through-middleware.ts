import { CODE, ProtocolError, ToolError } from '../protocol/errors.ts';
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts';
import type { Maybe } from '../protocol/maybe.ts';
import { CACHEABLE_METHODS } from '../protocol/cacheable-methods.ts';
import { type MessageText, wholeText } from '../protocol/message-text.ts';
import type { CallAnswer } from '../protocol/middleware.ts';
import type { RequestContext } from '../protocol/request-context.ts';
import type { TaskOfCall } from '../protocol/tasks.ts';
import type { CallToolResult } from '../protocol/results.ts';
import { encodePromptResult, encodeReadResult, encodeToolResult } from '../wire/encode-results.ts';
import { runChain, stepsFor } from '../middleware/chain.ts';
import { nameOfCall } from '../middleware/name-of-call.ts';
import { BaseContext } from './call-context.ts';
import type { Engine, RawResult } from './engine.ts';
import { toolErrorResult } from './methods/tool-failure.ts';
import type { IncomingCall, Middleware } from './middleware.ts';

/** The outcome of a call: its result, the complete text of its result, or undefined if it stays open. */
export type HandlerOutcome = RawResult | string | undefined;

/** Runs the middleware of a server around a request, and returns the response to send. Rejects with the error of the call. */
export async function answerThrough(
  engine: Engine,
  method: string,
  params: JsonObject,
  request: RequestContext,
  answer: () => Maybe<HandlerOutcome>,
): Promise<HandlerOutcome> {
  const call = new Incoming(method, params, request);
  let isOpen = false;
  const last = async (): Promise<HandlerOutcome> => {
    const given = await answer();
    isOpen = given === undefined;
    return given;
  };
  try {
    return await throughSteps(stepsFor(engine.of.middleware, method), call, request, last);
  } catch (error) {
    if (!isOpen) return givenOf(error, call);
    engine.log({
      level: 'warn',
      event: 'middleware-failed',
      message: `A middleware failed after ${method} was answered`,
      details: error,
    });
    return undefined;
  }
}

/** The same for a request that the engine does not answer. Undefined: it stays open. */
export async function wholeThrough(
  engine: Engine,
  method: string,
  params: JsonObject,
  request: RequestContext,
  answer: () => Maybe<string | undefined>,
): Promise<MessageText | undefined> {
  const given = await answerThrough(engine, method, params, request, answer);
  // A middleware may have answered the call.
  return typeof given === 'object' && 'result' in given
    ? engine.finish(given.result, request.revision)
    : (given as string | undefined);
}

/** Runs the middleware that a tool names around its handler, without that of the server, which runs around the whole request. */
export async function toolThrough<T extends HandlerOutcome>(
  engine: Engine,
  use: readonly Middleware[],
  params: JsonObject,
  request: RequestContext,
  run: () => Maybe<T>,
): Promise<HandlerOutcome> {
  const around = stepsFor(engine.of.middleware, 'tools/call');
  const own = use.filter((step) => !around.includes(step));
  return throughSteps(own, new Incoming('tools/call', params, request), request, run);
}

/** Runs all middleware of a tool around a run of its handler as a task. */
export async function taskThrough(
  engine: Engine,
  use: readonly Middleware[] | undefined,
  params: JsonObject,
  request: RequestContext,
  run: () => Maybe<RawResult>,
): Promise<HandlerOutcome> {
  const call = new Incoming('tools/call', params, request);
  const inner = use === undefined ? run : () => toolThrough(engine, use, params, request, run);
  return throughSteps(stepsFor(engine.of.middleware, 'tools/call'), call, request, inner);
}

async function throughSteps(
  steps: readonly Middleware[],
  call: Incoming,
  request: RequestContext,
  last: () => Maybe<HandlerOutcome>,
): Promise<HandlerOutcome> {
  let made: HandlerOutcome;
  let sent: HandlerOutcome;
  try {
    const answer = await runChain(steps as never, call, {
      method: call.method,
      isAnswer: (value): value is CallAnswer => value instanceof GivenAnswer,
      take: (added) => void (request.state = { ...request.state, ...added }),
      last: async () => new GivenAnswer((made = await last()), call.method) as unknown as CallAnswer,
    });
    return (sent = (answer as unknown as GivenAnswer).given);
  } finally {
    // A middleware failed, or answered something else: the client does not learn of the task.
    if (request.dropTask !== undefined && isOfOtherTask(made, sent, call.method)) await request.dropTask();
  }
}

/** Did a call become a task that its response does not name? */
function isOfOtherTask(made: HandlerOutcome, sent: HandlerOutcome, method: string): boolean {
  const id = taskIdOf(made, method);
  return id !== undefined && id !== taskIdOf(sent, method);
}

/** The id of the task that a call became. */
function taskIdOf(given: HandlerOutcome, method: string): string | undefined {
  const answer = new GivenAnswer(given, method);
  if (answer.kind !== 'task') return undefined;
  const { taskId, task } = answer.result;
  return String(taskId ?? (task as JsonObject)['taskId']);
}

/** A `ToolError` of a middleware is shown to the model, as one of a handler is. */
function givenOf(error: unknown, call: Incoming): HandlerOutcome {
  if (!(error instanceof ToolError)) throw error;
  if (call.method !== 'tools/call') throw new ProtocolError(CODE.internalError, error.message);
  return { result: encodeToolResult(toolErrorResult(error), call.revision) };
}

/** The answer to a call, in the form in which it was made. It is parsed and serialized only if a middleware reads or changes it. */
class GivenAnswer implements Pick<CallAnswer, 'kind' | 'result' | 'failed' | 'size'> {
  readonly given: HandlerOutcome;
  readonly #method: string;
  #result: JsonObject | undefined;

  constructor(given: HandlerOutcome, method: string) {
    this.given = given;
    this.#method = method;
  }

  get kind(): CallAnswer['kind'] {
    const { given } = this;
    if (given === undefined) return 'subscription';
    if (typeof given === 'string') return 'result';
    if ('requests' in given) return 'input_required';
    return 'task' in given || this.#isCoreTask(given) ? 'task' : 'result';
  }

  get result(): JsonObject {
    return (this.#result ??= this.#read());
  }

  get failed(): boolean {
    const { given } = this;
    return typeof given === 'object' && 'result' in given && given.result['isError'] === true;
  }

  get size(): number {
    const { given } = this;
    if (typeof given !== 'object') return given?.length ?? 0;
    return 'text' in given ? lengthOf(given.text) + 2 : JSON.stringify(this.result).length;
  }

  #read(): JsonObject {
    const { given } = this;
    if (typeof given !== 'object') return JSON.parse(given ?? '{}') as JsonObject;
    if ('text' in given) return JSON.parse(`{${wholeText(given.text)}}`) as JsonObject;
    if ('requests' in given) return { inputRequests: given.requests, requestState: given.state };
    return 'task' in given ? given.task : given.result;
  }

  /** In 2025-11-25 the result of a call that became a task contains the task. */
  #isCoreTask(given: RawResult): boolean {
    if (this.#method !== 'tools/call' || !('result' in given)) return false;
    return isObject(given.result['task']) && given.result['content'] === undefined;
  }
}

function lengthOf(text: MessageText): number {
  return typeof text === 'string' ? text.length : text.reduce((sum, piece) => sum + piece.length, 0);
}

/** Numbers that identify connections and sessions, by which their calls are counted. */
const NUMBERS = new WeakMap<object, number>();
let lastNumber = 0;

function numberOf(session: object): number {
  let number = NUMBERS.get(session);
  if (number === undefined) NUMBERS.set(session, (number = ++lastNumber));
  return number;
}

/** A call of a server, as its middleware sees it. */
class Incoming extends BaseContext implements IncomingCall {
  readonly side = 'server';
  readonly method: string;
  readonly params: JsonObject;

  constructor(method: string, params: JsonObject, request: RequestContext) {
    super(request);
    this.method = method;
    this.params = params;
  }

  get name(): string | undefined {
    return nameOfCall(this.method, this.params);
  }

  get id(): RequestContext['id'] {
    return this.request.id;
  }

  get revision(): RequestContext['revision'] {
    return this.request.revision;
  }

  get task(): TaskOfCall | undefined {
    return this.request.task;
  }

  get asking(): boolean {
    return this.request.asking === true;
  }

  get quotaKey(): string {
    const { quotaKey, principal, session } = this.request;
    if (quotaKey !== undefined) return quotaKey;
    if (principal !== undefined) return `principal ${principal.id}`;
    return session === undefined ? '' : `connection ${numberOf(session)}`;
  }

  get aroundQuestions(): IncomingCall['aroundQuestions'] {
    return (step) => {
      const { aroundQuestion: outer } = this.request;
      this.request.aroundQuestion =
        outer === undefined
          ? step
          : (question, send) => outer(question, (given) => step(question, (more) => send({ ...given, ...more })));
    };
  }

  get stop(): IncomingCall['stop'] {
    return (reason) => this.request.stop?.(reason);
  }

  get answer(): IncomingCall['answer'] {
    return (result) => {
      if (!isObject(result)) throw new TypeError(`The answer to ${this.method} must be an object`);
      const { revision } = this.request;
      // A result that a middleware made has no known cache policy, so it is not cached.
      const cache = CACHEABLE_METHODS.has(this.method) ? { cache: {} } : {};
      return new GivenAnswer({ result: encode(this.method, result, revision), ...cache }, this.method) as never;
    };
  }
}

function encode(method: string, result: JsonObject, revision: RequestContext['revision']): JsonObject {
  if (method === 'tools/call') return encodeToolResult(result as unknown as CallToolResult, revision);
  if (method === 'prompts/get') return encodePromptResult(result as never, revision);
  return method === 'resources/read' ? encodeReadResult(result as never, revision) : result;
}
