import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { RequestContext } from '../../protocol/request-context.ts';
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts';
import { andThen, type Maybe, settle } from '../../protocol/maybe.ts';
import { shown } from '../../protocol/text.ts';
import type { CheckResult } from '../../schema/adapt.ts';
import { runHandler } from '../run-handler.ts';
import type { CallContext } from '../context.ts';
import type { Engine, RawResult } from '../engine.ts';
import type { CompiledTool } from '../tool.ts';
import { encodeOutput } from './encode-output.ts';
import { stringParam, noArguments } from './params.ts';

/** `tools/call`: finds the tool, checks the arguments, runs the handler and makes a result for the caller's revision. */
export function callTool(engine: Engine, params: JsonObject, request: RequestContext): Maybe<RawResult> {
  const name = stringParam(params, 'name');
  const args = params['arguments'] ?? {};
  if (!isObject(args)) throw new ProtocolError(CODE.invalidParams, '"arguments" must be an object');
  return andThen(engine.catalog.tool(name, engine.viewer(request)), (tool) => {
    if (tool === undefined) throw new ProtocolError(CODE.invalidParams, `Unknown tool: ${shown(name)}`);
    request.checkTool?.(tool, args);
    return settle<RawResult, RawResult>(
      () =>
        andThen(tool.input === undefined ? noArguments(args, 'tool') : tool.input.check(args), (checked) =>
          run(engine, tool, args, checked, params, request),
        ),
      (raw) => raw,
      (error) => loadFailures().then(({ failTool }) => failTool(engine, request, tool, error)),
    );
  });
}

function run(
  engine: Engine,
  tool: CompiledTool,
  args: JsonObject,
  checked: CheckResult,
  params: JsonObject,
  request: RequestContext,
): Maybe<RawResult> {
  const { use, taskSupport } = tool.tool.options;
  // Without tasks and middleware, no code for them is loaded.
  const last =
    taskSupport === undefined && params['task'] === undefined
      ? answer
      : (...all: Parameters<typeof answer>): Maybe<RawResult> =>
          loadTasks()
            .then(({ callAsTask }) => callAsTask(engine, { tool, args, checked, params }, request))
            .then((task) => task ?? answer(...all));
  if (use === undefined) return last(engine, tool, args, checked, params, request);
  return loadThrough().then(({ toolThrough }) =>
    toolThrough(engine, use, params, request, () => last(engine, tool, args, checked, params, request)),
  ) as Promise<RawResult>;
}

/** Answers a call that does not become a task. */
function answer(
  engine: Engine,
  tool: CompiledTool,
  args: JsonObject,
  checked: CheckResult,
  params: JsonObject,
  request: RequestContext,
): Maybe<RawResult> {
  if ('issues' in checked)
    return loadFailures().then(({ refuseArguments }) => refuseArguments(checked.issues, tool, request));
  const outcome = runHandler(
    engine,
    request,
    params,
    { method: 'tools/call', name: tool.name, args },
    (ctx: CallContext) => tool.tool.handler(checked.value as never, ctx),
  );
  return andThen(outcome, (ended) => ('requests' in ended ? ended : encodeOutput(tool, ended.value, request)));
}

/** Loaded with the first call that has middleware around it. */
function loadThrough() {
  return import('../through-middleware.ts');
}

/** Loaded with the first call that may become a task. */
function loadTasks() {
  return import('../tasks/call-as-task.ts');
}

/** Loaded with the first call that fails. */
function loadFailures() {
  return import('./tool-failure.ts');
}
