import type { JsonSchema } from 'tenon/client';
import type { Toolbox } from '../../registry/toolbox.ts';
import { definitionOf } from '../definitions.ts';
import type { ModelResult } from '../tool-result.ts';
import { callFor, dataUrl, type FormatOptions, readFor } from './format.ts';

/** The parts of LangChain that its tools are made of. The host does not depend on it, so the program passes them. */
export interface LangChainParts<Tool> {
  /** The function `tool` of `@langchain/core/tools`. */
  readonly tool: (run: never, fields: never) => Tool;
  /** The class `ToolMessage` of `@langchain/core/messages`. */
  readonly ToolMessage: new (fields: never) => unknown;
}

/** Options for LangChain. */
export type LangChainOptions<Tool> = FormatOptions & LangChainParts<Tool>;

/** The tools of a toolbox for LangChain, which runs them. */
export interface LangChainTools<Tool> {
  /** The current tools, for `createAgent` and `bindTools`. */
  readonly tools: Tool[];
}

interface Fields {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
}

/** The part of the configuration of a run that a tool needs. */
interface RunConfig {
  readonly signal?: AbortSignal | undefined;
  /** Undefined if the program itself invoked the tool. */
  readonly toolCall?: { readonly id?: string | undefined } | undefined;
}

function contentOf({ text, images }: ModelResult): unknown {
  if (images.length === 0) return text;
  return [
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...images.map((image) => ({ type: 'image_url', image_url: { url: dataUrl(image) } })),
  ];
}

/** The tools for LangChain. Each resolves with a `ToolMessage`, whose status says whether the call failed. */
export function langChainTools<Tool>(toolbox: Toolbox, options: LangChainOptions<Tool>): LangChainTools<Tool> {
  const { tool, ToolMessage } = options;
  if (typeof tool !== 'function' || typeof ToolMessage !== 'function')
    throw new TypeError(
      'The format "langchain" needs the options "tool" of @langchain/core/tools and "ToolMessage" of @langchain/core/messages',
    );
  const make = tool as (run: (input: unknown, config?: RunConfig) => Promise<unknown>, fields: Fields) => Tool;
  const Message = ToolMessage as new (fields: object) => unknown;
  const tools = toolbox.tools().map((each) => {
    const { name, description, schema } = definitionOf(each);
    return make(
      async (input, { signal = options.signal, toolCall } = {}) => {
        const result = await callFor(toolbox, name, input, { ...options, signal });
        const read = readFor(result, options);
        const content = contentOf(read);
        const id = toolCall?.id;
        if (id === undefined) return content;
        const status = read.isError ? 'error' : 'success';
        return new Message({ content, tool_call_id: id, name, status, artifact: result });
      },
      { name, description, schema },
    );
  });
  return { tools };
}
