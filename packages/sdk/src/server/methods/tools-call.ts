import type { Content } from '../../protocol/content.ts';
import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { RequestContext } from '../../protocol/request-context.ts';
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts';
import { andThen, type Maybe, settle } from '../../protocol/maybe.ts';
import type { CallToolResult } from '../../protocol/results.ts';
import { shown } from '../../protocol/text.ts';
import type { Adapted, Checked } from '../../schema/adapt.ts';
import { encodeToolResult, textResultMembers, wrapsOutput } from '../../wire/encode.ts';
import { runHandler } from '../run-handler.ts';
import { isContent, isReply } from '../content.ts';
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
      (error) => loadFailures().then(({ failTool }) => finish(failTool(engine, request, tool, error), tool, request)),
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
  if ('issues' in checked)
    return loadFailures().then(({ refuseArguments }) => finish(refuseArguments(checked.issues), tool, request));
  const outcome = runHandler(
    engine,
    request,
    params,
    { method: 'tools/call', name: tool.name, args },
    (ctx: CallContext) => tool.tool.handler(checked.value as never, ctx),
  );
  return andThen(outcome, (ended) => ('requests' in ended ? ended : encode(tool, ended.value, request)));
}

function encode(tool: CompiledTool, returned: unknown, request: RequestContext): Maybe<Raw> {
  // What most tools return.
  if (typeof returned === 'string' && tool.output === undefined) return { text: textResultMembers(returned) };
  return andThen(shape(tool, returned), (result) => finish(result, tool, request));
}

/** Loaded with the first call that fails. */
function loadFailures() {
  return import('./tool-failure.ts');
}

function finish(result: CallToolResult, { entry }: CompiledTool, { revision }: RequestContext): Raw {
  return {
    result: encodeToolResult(
      result,
      revision,
      entry.outputSchema === undefined ? undefined : { wrap: wrapsOutput(entry.outputSchema, revision) },
    ),
  };
}

/** Turns the handler's return value into a result. A value that does not match the declared output is a failure of the tool. */
function shape(tool: CompiledTool, returned: unknown): Maybe<CallToolResult> {
  if (isReply(returned)) return whole(tool, returned.result);
  return tool.output === undefined ? { content: blocksOf(returned) } : structured(tool.output, returned);
}

function structured(output: Adapted, returned: unknown): Maybe<CallToolResult> {
  return andThen(output.check(returned), (checked) => {
    if ('issues' in checked)
      return loadFailures().then(({ wrongResult }) => {
        throw wrongResult(checked.issues);
      });
    const text = JSON.stringify(checked.value);
    if (text === undefined) throw new TypeError('Its result is not JSON');
    return { content: [{ type: 'text', text }], structuredContent: checked.value };
  });
}

function whole({ output }: CompiledTool, given: Partial<CallToolResult>): Maybe<CallToolResult> {
  const { structuredContent, ...rest } = given;
  const content = blocksOf(given.content);
  if (output === undefined || rest.isError === true) return { ...given, content };
  if (!Object.hasOwn(given, 'structuredContent'))
    throw new TypeError('It has an output schema, but its reply has no structuredContent');
  return andThen(structured(output, structuredContent), (made) => ({
    ...rest,
    ...made,
    content: given.content === undefined ? made.content : content,
  }));
}

function blocksOf(returned: unknown): Content[] {
  if (returned === undefined) return [];
  if (typeof returned === 'string') return [{ type: 'text', text: returned }];
  const blocks = Array.isArray(returned) ? returned : [returned];
  const strange = blocks.findIndex((block) => !isContent(block));
  if (strange === -1) return blocks as Content[];
  throw new TypeError(
    `It returned ${Array.isArray(returned) ? `something at index ${strange}` : 'something'} that is neither text nor a whole content block. For data, give the tool an output schema.`,
  );
}
