import type { Content } from '../../protocol/content.ts';
import type { RequestContext } from '../../protocol/request-context.ts';
import { andThen, type Maybe } from '../../protocol/maybe.ts';
import type { CallToolResult } from '../../protocol/results.ts';
import type { AdaptedSchema } from '../../schema/adapt.ts';
import { encodeToolResult, wrapsOutput } from '../../wire/encode-results.ts';
import { isContent, isReply } from '../content.ts';
import type { RawResult } from '../engine.ts';
import type { CompiledTool } from '../tool.ts';
import { OutputMismatch } from './output-mismatch.ts';

/** Encodes the return value of a handler as a result. A value that does not match the declared output is a failure of the tool. */
export function encodeReturned(tool: CompiledTool, returned: unknown, request: RequestContext): Maybe<RawResult> {
  return andThen(shape(tool, returned), (result) => finishResult(result, tool, request));
}

/** The result of a tool for the caller's revision. */
export function finishResult(result: CallToolResult, { entry }: CompiledTool, { revision }: RequestContext): RawResult {
  return {
    result: encodeToolResult(
      result,
      revision,
      entry.outputSchema === undefined ? undefined : { wrap: wrapsOutput(entry.outputSchema, revision) },
    ),
  };
}

function shape(tool: CompiledTool, returned: unknown): Maybe<CallToolResult> {
  if (isReply(returned)) return whole(tool, returned.result);
  return tool.output === undefined
    ? { content: blocksOf(returned) }
    : structured(tool.output, tool.entry.outputSchema, returned);
}

function structured(output: AdaptedSchema, schema: unknown, returned: unknown): Maybe<CallToolResult> {
  return andThen(output.check(returned), (checked) => {
    if ('issues' in checked) throw new OutputMismatch(checked.issues, schema);
    const text = JSON.stringify(checked.value);
    if (text === undefined) throw new TypeError('Its result is not JSON');
    return { content: [{ type: 'text', text }], structuredContent: checked.value };
  });
}

function whole({ output, entry }: CompiledTool, given: Partial<CallToolResult>): Maybe<CallToolResult> {
  const { structuredContent, ...rest } = given;
  const content = blocksOf(given.content);
  if (output === undefined || rest.isError === true) return { ...given, content };
  if (!Object.hasOwn(given, 'structuredContent'))
    throw new TypeError('It has an output schema, but its reply has no structuredContent');
  return andThen(structured(output, entry.outputSchema, structuredContent), (made) => ({
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
