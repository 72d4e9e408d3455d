import { ToolError } from '../protocol/errors.ts';
import type { Content } from '../protocol/content.ts';
import type { CallToolResult } from '../protocol/results.ts';

const textsOf = (content: readonly Content[]): string | undefined => {
  if (content.length === 1 && content[0]!.type === 'text') return content[0]!.text;
  return content.every((block) => block.type === 'text') ? content.map((block) => block.text).join('\n') : undefined;
};

/** The value of a tool result: its structured content, else its text, else its blocks. Throws a `ToolError` if the tool failed. */
export const valueOf = (result: CallToolResult): unknown => {
  const { content, structuredContent, isError } = result;
  if (isError === true) throw new ToolError(textsOf(content) || 'The tool failed', { result });
  // `null` is a value.
  if (structuredContent !== undefined) return structuredContent;
  return textsOf(content) ?? content;
};
