import type { JsonSchema } from 'tenon/client';
import type { Toolbox } from '../../registry/toolbox.ts';
import { definitionOf } from '../definitions.ts';
import type { ModelResult } from '../tool-result.ts';
import { callFor, type FormatOptions, readFor } from './format.ts';

/** A tool of Anthropic's Messages. */
export interface AnthropicTool {
  /** The qualified name. */
  readonly name: string;
  /** The description from the server, for the model. */
  readonly description: string;
  /** The schema of its arguments. */
  readonly input_schema: JsonSchema & { readonly type: 'object' };
}

/** A call in an assistant message of Anthropic. `input` is the object of arguments, as the model wrote it. */
export interface AnthropicToolUse {
  /** The id that the block with the result repeats. */
  readonly id: string;
  /** The qualified name of the tool. */
  readonly name: string;
  /** The object of arguments. */
  readonly input: unknown;
}

type AnthropicImage = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

/** The content block that answers a call, for a user message of the next request. */
export interface AnthropicToolResult {
  readonly type: 'tool_result';
  /** The `id` of the call. */
  readonly tool_use_id: string;
  /** Whether the tool failed, or was not called. */
  readonly is_error: boolean;
  /** The texts and images of the result. */
  readonly content: (
    | { readonly type: 'text'; readonly text: string }
    | {
        readonly type: 'image';
        readonly source: { readonly type: 'base64'; readonly media_type: AnthropicImage; readonly data: string };
      }
  )[];
}

/** The tools of a toolbox for Anthropic's Messages. */
export interface AnthropicTools {
  /** The current tools, for the request. */
  readonly tools: AnthropicTool[];
  /** Makes a call, and resolves with the content block of the user message that answers it. */
  readonly call: (toolUse: AnthropicToolUse, options?: FormatOptions) => Promise<AnthropicToolResult>;
}

/** The tools for Anthropic's Messages. */
export function anthropicTools(toolbox: Toolbox, base: FormatOptions): AnthropicTools {
  return {
    tools: toolbox.tools().map((each) => {
      const { name, description, schema } = definitionOf(each);
      return { name, description, input_schema: { ...schema, type: 'object' } };
    }),
    call: async ({ id, name, input }, options) => {
      const conditions = { ...base, ...options };
      const result = await callFor(toolbox, name, input, conditions);
      return anthropicResult(id, readFor(result, conditions));
    },
  };
}

function anthropicResult(id: string, { text, images, isError }: ModelResult): AnthropicToolResult {
  return {
    type: 'tool_result',
    tool_use_id: id,
    is_error: isError,
    content: [
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...images.map(({ data, mediaType }) => ({
        type: 'image' as const,
        source: { type: 'base64' as const, media_type: mediaType.toLowerCase() as AnthropicImage, data },
      })),
    ],
  };
}
