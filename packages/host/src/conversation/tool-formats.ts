import { dynamicTool, jsonSchema } from 'ai';
import type { ToolSet } from 'ai';
import type { CallToolResult, JsonSchema } from 'tenon/client';
import type { HostCallOptions, Toolbox } from '../registry/toolbox.ts';
import { definitionOf } from './definitions.ts';
import type { Definition } from './definitions.ts';
import { isObject } from '@tenon/values/is-object';
import { errorResult, outputOf, readResult } from './tool-result.ts';
import type { Readable } from './tool-result.ts';

/** Options for calls, and for the results that the model gets. */
export interface FormatOptions extends Pick<HostCallOptions, 'signal' | 'timeout' | 'onProgress'> {
  /** Maximum characters of a result. Default 100,000. */
  readonly resultCharacters?: number | undefined;
  /**
   * For the AI SDK: whether images in results are given to the model. Default true. Set it to false for a model behind Chat Completions,
   * which would get their bytes as text.
   */
  readonly images?: boolean | undefined;
}

/** A tool of Chat Completions. */
export interface OpenAiTool {
  readonly type: 'function';
  /** Its qualified name, what the server says about it, and the schema of its arguments. */
  readonly function: { readonly name: string; readonly description: string; readonly parameters: JsonSchema };
}

/** A call in an assistant message of Chat Completions. `arguments` is JSON text, as the model wrote it. */
export interface OpenAiToolCall {
  /** The id that the message with the result repeats. */
  readonly id: string;
  /** The qualified name of the tool, and the arguments as JSON text. */
  readonly function: { readonly name: string; readonly arguments: string };
}

/** The message that answers a call, for the next request. */
export interface OpenAiToolMessage {
  readonly role: 'tool';
  /** The `id` of the call. */
  readonly tool_call_id: string;
  /** The result as text. */
  readonly content: string;
}

/** The tools of a toolbox for Chat Completions. */
export interface OpenAiTools {
  /** The current tools, for the request. */
  readonly tools: OpenAiTool[];
  /** Makes a call, and resolves with the message that answers it. */
  readonly call: (toolCall: OpenAiToolCall, options?: FormatOptions) => Promise<OpenAiToolMessage>;
}

/** A tool of Anthropic's Messages. */
export interface AnthropicTool {
  /** The qualified name. */
  readonly name: string;
  /** What the server says about it, for the model. */
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

/**
 * The tools of a toolbox, for a loop of your own. Calls go through the toolbox and its policy. Call it again when the tools have changed,
 * see `onToolsChanged`. Throws a `TypeError` for an unknown format.
 *
 * @example
 * ```ts
 * import { createHost, toolsFor } from '@tenon/host';
 *
 * const host = await createHost({ servers: { travel: 'https://example.com/mcp' } });
 * await host.start();
 * const { tools, call } = toolsFor('anthropic', host);
 * // Send `tools` with the request; for each `tool_use` block of the response:
 * const block = await call({ id: 'toolu_1', name: 'travel__find_flights', input: { to: 'Oslo' } });
 * ```
 */
export function toolsFor(format: 'ai-sdk', toolbox: Toolbox, options?: FormatOptions): ToolSet;
export function toolsFor(format: 'openai', toolbox: Toolbox, options?: FormatOptions): OpenAiTools;
export function toolsFor(format: 'anthropic', toolbox: Toolbox, options?: FormatOptions): AnthropicTools;
export function toolsFor(
  format: 'ai-sdk' | 'openai' | 'anthropic',
  toolbox: Toolbox,
  options: FormatOptions = {},
): ToolSet | OpenAiTools | AnthropicTools {
  if (format === 'ai-sdk') return aiSdkTools(toolbox, options);
  if (format === 'openai') return openAiTools(toolbox, options);
  if (format === 'anthropic') return anthropicTools(toolbox, options);
  throw new TypeError(`There is no format ${JSON.stringify(format)}. Use "ai-sdk", "openai" or "anthropic".`);
}

function limitOf({ resultCharacters = 100_000 }: FormatOptions): number {
  return resultCharacters;
}

function callFor(
  toolbox: Toolbox,
  name: string,
  args: unknown,
  { signal, timeout, onProgress }: FormatOptions,
): Promise<CallToolResult> {
  return toolbox.call(name, args, {
    by: 'model',
    signal,
    timeout,
    onProgress,
  });
}

function aiSdkTools(toolbox: Toolbox, options: FormatOptions): ToolSet {
  return Object.fromEntries(
    toolbox.tools().map((each) => [each.name, aiSdkTool(definitionOf(each), toolbox, options)]),
  );
}

function aiSdkTool({ name, description, schema }: Definition, toolbox: Toolbox, options: FormatOptions) {
  return dynamicTool({
    description,
    inputSchema: jsonSchema<Record<string, unknown>>(schema),
    execute: (input, { abortSignal = options.signal }) =>
      callFor(toolbox, name, input, { ...options, signal: abortSignal }),
    toModelOutput: ({ output }) =>
      outputOf(readResult(output as CallToolResult, limitOf(options), options.images ?? true)),
  });
}

function openAiTools(toolbox: Toolbox, base: FormatOptions): OpenAiTools {
  return {
    tools: toolbox.tools().map((each) => {
      const { name, description, schema: parameters } = definitionOf(each, true);
      return { type: 'function', function: { name, description, parameters } };
    }),
    call: async ({ id, function: { name, arguments: text } }, options) => {
      const conditions = { ...base, ...options };
      const args = parsed(text);
      const result = args === undefined ? errorResult(NO_JSON) : await callFor(toolbox, name, args, conditions);
      // A tool message can contain text only.
      return { role: 'tool', tool_call_id: id, content: readResult(result, limitOf(conditions), false).text };
    },
  };
}

const NO_JSON = 'The arguments are not a JSON object. Call the tool again with the arguments as one JSON object.';

/** Some models omit the arguments if there are none. */
function parsed(text: unknown): Record<string, unknown> | undefined {
  if (text === undefined || text === null) return {};
  if (typeof text !== 'string') return isObject(text) ? text : undefined;
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function anthropicTools(toolbox: Toolbox, base: FormatOptions): AnthropicTools {
  return {
    tools: toolbox.tools().map((each) => {
      const { name, description, schema } = definitionOf(each);
      return { name, description, input_schema: { ...schema, type: 'object' } };
    }),
    call: async ({ id, name, input }, options) => {
      const conditions = { ...base, ...options };
      const result = await callFor(toolbox, name, input, conditions);
      return anthropicResult(id, readResult(result, limitOf(conditions), true));
    },
  };
}

function anthropicResult(id: string, { text, images, isError }: Readable): AnthropicToolResult {
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
