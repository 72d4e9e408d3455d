import { ToolError } from '../protocol/errors.ts';
import type { Content } from '../protocol/content.ts';
import type { CallToolResult } from '../protocol/results.ts';
import type { JsonLimits } from '../wire/json.ts';
import { outputOf } from '../wire/read-output.ts';

function textsOf(content: readonly Content[]): string | undefined {
  if (content.length === 1 && content[0]!.type === 'text') return content[0]!.text;
  return content.every((block) => block.type === 'text') ? content.map((block) => block.text).join('\n') : undefined;
}

/**
 * The value of a tool result: its structured content, else its text, else its content blocks. Throws a `ToolError` if the tool failed.
 * `declares`: the tool has an output schema. Without one, `null` beside other content means that there is no structured content, because many
 * servers write it for a missing member.
 */
export function valueOf(result: CallToolResult, limits: JsonLimits, declares: boolean): unknown {
  const { content, isError, structuredContent } = result;
  if (isError === true) throw new ToolError(textsOf(content) || 'The tool failed', { result });
  const isMissing = structuredContent === null && !declares && content.length > 0;
  const output = isMissing ? undefined : outputOf(result, limits);
  return output === undefined ? (textsOf(content) ?? content) : output.value;
}
