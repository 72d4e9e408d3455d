import { CODE, ProtocolError } from '../../protocol/errors.ts';
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts';
import type { RequestContext } from '../../protocol/request-context.ts';
import { featuresOf } from '../../protocol/revision.ts';
import type { CheckResult } from '../../schema/adapt.ts';
import { formatIssues } from '../../schema/issue.ts';
import type { Engine, RawResult } from '../engine.ts';
import { runHandler } from '../run-handler.ts';
import type { CompiledTool } from '../tool.ts';
import { declaresTasks, requireTasks } from './declared.ts';
import { encodeTask } from './encode-task.ts';
import { type TaskStart, tasksOf } from './tasks.ts';

/** A call of a tool whose arguments have been checked. */
interface ToolCall {
  readonly tool: CompiledTool;
  readonly args: JsonObject;
  readonly checked: CheckResult;
  readonly params: JsonObject;
}

/**
 * Runs a call as a task, if the tool and the client allow it. Undefined: the call is answered as usual. The client decides in 2025-11-25,
 * the server in 2026-07-28; earlier revisions have no tasks.
 */
export async function callAsTask(
  engine: Engine,
  call: ToolCall,
  request: RequestContext,
): Promise<RawResult | undefined> {
  const { coreTasks, extensions } = featuresOf(request.revision);
  if (coreTasks) return callAsCoreTask(engine, call, request);
  const { taskSupport } = call.tool.tool.options;
  if (!extensions || taskSupport === undefined || taskSupport === 'forbidden') return undefined;
  if (taskSupport === 'required') requireTasks(request);
  else if (!declaresTasks(request)) return undefined;
  if ('issues' in call.checked) return undefined;
  const asked = await askFirst(engine, call, call.checked.value, request);
  if ('requests' in asked) return asked;
  return createTask(engine, call, { value: call.checked.value, ttlMs: engine.limits.taskMs, ...asked }, request);
}

/** Asks the questions of the tool that have to be answered before the task is created. */
async function askFirst(engine: Engine, { tool, args, params }: ToolCall, input: unknown, request: RequestContext) {
  const { askFirst: ask } = tool.tool.options;
  if (ask === undefined) return { state: undefined };
  // Checked before the user is asked for a task that cannot be created.
  tasksOf(engine).checkRoom(request);
  const target = { method: 'tools/call', name: tool.name, args };
  const outcome = await runHandler<unknown>(engine, request, params, target, (ctx) => ask(input as never, ctx));
  return 'requests' in outcome ? outcome : { state: outcome.state };
}

async function callAsCoreTask(engine: Engine, call: ToolCall, request: RequestContext): Promise<RawResult | undefined> {
  const { tool, checked, params } = call;
  const { taskSupport = 'forbidden' } = tool.tool.options;
  const { task } = params;
  if (task === undefined) {
    if (taskSupport !== 'required') return undefined;
    throw new ProtocolError(CODE.methodNotFound, `The tool '${tool.name}' can be called as a task only`);
  }
  if (taskSupport === 'forbidden') {
    // A server without the capability ignores task parameters.
    if (!engine.has('tasks/get', request.revision)) return undefined;
    throw new ProtocolError(CODE.methodNotFound, `The tool '${tool.name}' cannot be called as a task`);
  }
  const ttlMs = ttlOf(task, engine.limits.taskMs);
  // The client expects a task, and no result.
  if ('issues' in checked)
    throw new ProtocolError(CODE.invalidParams, `Invalid arguments: ${formatIssues(checked.issues)}`);
  return createTask(engine, call, { value: checked.value, ttlMs, state: undefined }, request);
}

/** The time to live that the client wants, up to the limit. */
function ttlOf(task: unknown, most: number): number {
  if (!isObject(task)) throw new ProtocolError(CODE.invalidParams, '"task" must be an object');
  const { ttl } = task;
  if (ttl === undefined || ttl === null) return most;
  if (typeof ttl !== 'number' || !(ttl >= 1))
    throw new ProtocolError(CODE.invalidParams, '"task.ttl" must be a number of milliseconds, at least 1');
  return Math.min(Math.round(ttl), most);
}

async function createTask(
  engine: Engine,
  { tool, args }: ToolCall,
  start: TaskStart,
  request: RequestContext,
): Promise<RawResult> {
  const created = encodeTask(await tasksOf(engine).create(tool, args, start, request), request.revision);
  return featuresOf(request.revision).coreTasks ? { result: { task: created } } : { task: created };
}
