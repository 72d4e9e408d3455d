import type { JsonObject } from '../../protocol/jsonrpc.ts';
import { wholeText } from '../../protocol/message-text.ts';
import type { RequestContext } from '../../protocol/request-context.ts';
import type { CallContext } from '../context.ts';
import type { Engine, RawResult } from '../engine.ts';
import { failTool } from '../methods/tool-failure.ts';
import { encodeOutput } from '../methods/encode-output.ts';
import type { CompiledTool } from '../tool.ts';

/** The arguments of a call: as they were sent, and as the handler gets them. */
interface Arguments {
  readonly args: JsonObject;
  readonly input: unknown;
}

/** Runs the handler of a tool for a task, with its middleware. An error of the tool becomes a result. Rejects with a `ProtocolError`. */
export async function runTool(
  engine: Engine,
  tool: CompiledTool,
  { args, input }: Arguments,
  request: RequestContext,
  ctx: CallContext,
): Promise<JsonObject> {
  const { use } = tool.tool.options;
  const run = async (): Promise<RawResult> => encodeOutput(tool, await tool.tool.handler(input as never, ctx), request);
  let raw: RawResult;
  try {
    if (use === undefined && engine.of.middleware.length === 0) raw = await run();
    else {
      const { taskThrough } = await import('../through-middleware.ts');
      raw = (await taskThrough(engine, use, { name: tool.name, arguments: args }, request, run)) as RawResult;
    }
  } catch (error) {
    raw = failTool(engine, request, tool, error);
  }
  if ('result' in raw) return raw.result;
  const { text } = raw as Extract<RawResult, { readonly text: unknown }>;
  return JSON.parse(`{${wholeText(text)}}`) as JsonObject;
}
