import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { RequestContext } from '../../protocol/request-context.ts';
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts';
import { andThen, type Maybe, settle } from '../../protocol/maybe.ts';
import { shown } from '../../protocol/text.ts';
import type { Checked } from '../../schema/adapt.ts';
import { textResultMembers } from '../../wire/encode.ts';
import { runHandler } from '../run-handler.ts';
import type { CallContext } from '../context.ts';
import type { Engine, Raw } from '../engine.ts';
import type { CompiledTool } from '../tool.ts';
import { stringParam, noArguments } from './params.ts';

/** `tools/call`: finds the tool, checks the arguments, runs the handler and makes a result for the caller's revision. */
export function callTool(engine: Engine, params: JsonObject, request: RequestContext): Maybe<Raw> {
  const name = stringParam(params, 'name');
  const args = params['arguments'] ?? {};
  if (!isObject(args)) throw new ProtocolError(CODE.invalidParams, '"arguments" must be an object');
  return andThen(engine.catalog.tool(name, engine.viewer(request)), (tool) => {
    if (tool === undefined) throw new ProtocolError(CODE.invalidParams, `Unknown tool: ${shown(name)}`);
    request.checkTool?.(tool, args);
    return settle<Raw, Raw>(
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
  checked: Checked,
  params: JsonObject,
  request: RequestContext,
): Maybe<Raw> {
  const { use } = tool.tool.options;
  if (use === undefined) return runOrCreateTask(engine, tool, args, checked, params, request);
  return loadThrough().then(({ toolThrough }) =>
    toolThrough(engine, use, params, request, () => runOrCreateTask(engine, tool, args, checked, params, request)),
  ) as Promise<Raw>;
}

function runOrCreateTask(
  engine: Engine,
  tool: CompiledTool,
  args: JsonObject,
  checked: Checked,
  params: JsonObject,
  request: RequestContext,
): Maybe<Raw> {
  // Without either nothing about tasks is loaded.
  if (tool.tool.options.taskSupport !== undefined || params['task'] !== undefined)
    return loadTasks()
      .then(({ callAsTask }) => callAsTask(engine, { tool, args, checked, params }, request))
      .then((task) => task ?? answer(engine, tool, args, checked, params, request));
  return answer(engine, tool, args, checked, params, request);
}

/** Answers a call that becomes no task. */
function answer(
  engine: Engine,
  tool: CompiledTool,
  args: JsonObject,
  checked: Checked,
  params: JsonObject,
  request: RequestContext,
): Maybe<Raw> {
  if ('issues' in checked)
    return loadFailures().then(({ refuseArguments }) => refuseArguments(checked.issues, tool, request));
  const outcome = runHandler(
    engine,
    request,
    params,
    { method: 'tools/call', name: tool.name, args },
    (ctx: CallContext) => tool.tool.handler(checked.value as never, ctx),
  );
  return andThen(outcome, (ended) => ('requests' in ended ? ended : encode(tool, ended.value, request)));
}

/** Runs the handler of a tool as a task does. The result of a tool that fails is a result, too. Rejects with a `ProtocolError`. */
export async function runTool(
  engine: Engine,
  tool: CompiledTool,
  { args, input }: { readonly args: JsonObject; readonly input: unknown },
  request: RequestContext,
  ctx: CallContext,
): Promise<JsonObject> {
  const { use } = tool.tool.options;
  const run = async (): Promise<Raw> => encode(tool, await tool.tool.handler(input as never, ctx), request);
  let raw: Raw;
  try {
    if (use === undefined && engine.of.middleware.length === 0) raw = await run();
    else {
      const { taskThrough } = await loadThrough();
      raw = (await taskThrough(engine, use, { name: tool.name, arguments: args }, request, run)) as Raw;
    }
  } catch (error) {
    raw = (await loadFailures()).failTool(engine, request, tool, error);
  }
  if ('result' in raw) return raw.result;
  return JSON.parse(`{${(raw as { readonly text: string }).text}}`) as JsonObject;
}

function encode(tool: CompiledTool, returned: unknown, request: RequestContext): Maybe<Raw> {
  // What most tools return.
  if (typeof returned === 'string' && tool.output === undefined) return { text: textResultMembers(returned) };
  return results === undefined
    ? loadResults().then((loaded) => loaded.encodeReturned(tool, returned, request))
    : results.encodeReturned(tool, returned, request);
}

let results: typeof import('./tool-result.ts') | undefined;

/** Loaded with the first call whose result is more than a text. */
async function loadResults() {
  return (results ??= await import('./tool-result.ts'));
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
