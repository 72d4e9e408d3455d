import type { JsonSchema } from 'tenon/client';
import type { Toolbox } from '../../registry/toolbox.ts';
import { definitionOf } from '../definitions.ts';
import { inParallel, MAX_PARALLEL } from '../in-parallel.ts';
import { IMAGES_FOLLOW, imagesOf } from '../result-images.ts';
import type { ModelResult } from '../tool-result.ts';
import { callWithText, dataUrl, type FormatOptions, markedText, readFor } from './format.ts';

/** A tool of Chat Completions. */
export interface OpenAiTool {
  readonly type: 'function';
  /** Its qualified name, its description from the server, and the schema of its arguments. */
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
  /** The result as text. That of a failed call begins with `Error:`. */
  readonly content: string;
}

/** The message with the images of the results before it. */
export interface OpenAiImageMessage {
  readonly role: 'user';
  /** A text that says which result the images belong to, and the images. */
  readonly content: (
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }
  )[];
}

/** The tools of a toolbox for Chat Completions. */
export interface OpenAiTools {
  /** The current tools, for the request. */
  readonly tools: OpenAiTool[];
  /** Makes a call, and resolves with the message that answers it. It can contain text only: a note replaces each image. */
  readonly call: (toolCall: OpenAiToolCall, options?: FormatOptions) => Promise<OpenAiToolMessage>;
  /**
   * Makes all calls of an assistant message, up to 8 at a time, and resolves with the messages that answer it: one for each call, and one
   * with the images of their results, if there are any.
   */
  readonly answer: (
    toolCalls: readonly OpenAiToolCall[],
    options?: FormatOptions,
  ) => Promise<(OpenAiToolMessage | OpenAiImageMessage)[]>;
}

interface AnsweredCall {
  readonly toolCall: OpenAiToolCall;
  readonly read: ModelResult;
}

function toolMessage({ toolCall: { id }, read }: AnsweredCall): OpenAiToolMessage {
  const note = read.images.length === 0 ? [] : [IMAGES_FOLLOW];
  const content = [markedText(read), ...note].filter((text) => text !== '').join('\n\n');
  return { role: 'tool', tool_call_id: id, content };
}

function imageMessage(answered: readonly AnsweredCall[]): OpenAiImageMessage[] {
  const withImages = answered.filter(({ read }) => read.images.length > 0);
  if (withImages.length === 0) return [];
  const content = withImages.flatMap(({ toolCall, read }): OpenAiImageMessage['content'] => [
    { type: 'text', text: imagesOf(toolCall.function.name) },
    ...read.images.map((image) => ({ type: 'image_url' as const, image_url: { url: dataUrl(image) } })),
  ]);
  return [{ role: 'user', content }];
}

/** The tools for Chat Completions. */
export function openAiTools(toolbox: Toolbox, base: FormatOptions): OpenAiTools {
  const make = async (toolCall: OpenAiToolCall, options: FormatOptions): Promise<AnsweredCall> => {
    const { name, arguments: text } = toolCall.function;
    return { toolCall, read: readFor(await callWithText(toolbox, name, text, options), options) };
  };
  return {
    tools: toolbox.tools().map((each) => {
      const { name, description, schema: parameters } = definitionOf(each, true);
      return { type: 'function', function: { name, description, parameters } };
    }),
    call: async (toolCall, options) => toolMessage(await make(toolCall, { ...base, ...options, images: false })),
    async answer(toolCalls, options) {
      const answered = await inParallel(toolCalls, MAX_PARALLEL, (each) => make(each, { ...base, ...options }));
      return [...answered.map(toolMessage), ...imageMessage(answered)];
    },
  };
}
