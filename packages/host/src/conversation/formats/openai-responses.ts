import type { JsonSchema } from 'tenon/client';
import type { Toolbox } from '../../registry/toolbox.ts';
import { definitionOf } from '../definitions.ts';
import { callWithText, dataUrl, type FormatOptions, markedText, readFor } from './format.ts';

/** A tool of the Responses API. */
export interface OpenAiFunction {
  readonly type: 'function';
  /** The qualified name. */
  readonly name: string;
  /** The description from the server, for the model. */
  readonly description: string;
  /** The schema of its arguments. */
  readonly parameters: JsonSchema;
  /** Always false: few server schemas conform to the strict mode. */
  readonly strict: false;
}

/** An item of a response in which the model calls a tool. `arguments` is JSON text, as the model wrote it. */
export interface OpenAiFunctionCall {
  /** The id that the item with the result repeats. */
  readonly call_id: string;
  /** The qualified name of the tool. */
  readonly name: string;
  /** The arguments as JSON text. */
  readonly arguments: string;
}

/** The item that answers a call, for the input of the next request. */
export interface OpenAiFunctionOutput {
  readonly type: 'function_call_output';
  /** The `call_id` of the call. */
  readonly call_id: string;
  /** The result as text, or as a list with images. That of a failed call begins with `Error:`. */
  readonly output:
    | string
    | (
        | { readonly type: 'input_text'; readonly text: string }
        | { readonly type: 'input_image'; readonly image_url: string; readonly detail: 'auto' }
      )[];
}

/** The tools of a toolbox for the Responses API. */
export interface OpenAiResponsesTools {
  /** The current tools, for the request. */
  readonly tools: OpenAiFunction[];
  /** Makes a call, and resolves with the item that answers it. */
  readonly call: (functionCall: OpenAiFunctionCall, options?: FormatOptions) => Promise<OpenAiFunctionOutput>;
}

/** The tools for the Responses API. */
export function openAiResponsesTools(toolbox: Toolbox, base: FormatOptions): OpenAiResponsesTools {
  return {
    tools: toolbox.tools().map((each) => {
      const { name, description, schema: parameters } = definitionOf(each, true);
      return { type: 'function', name, description, parameters, strict: false };
    }),
    async call({ call_id, name, arguments: text }, options) {
      const conditions = { ...base, ...options };
      const read = readFor(await callWithText(toolbox, name, text, conditions), conditions);
      const answer = { type: 'function_call_output', call_id } as const;
      if (read.images.length === 0) return { ...answer, output: markedText(read) };
      const texts = read.text === '' ? [] : [{ type: 'input_text' as const, text: read.text }];
      const images = read.images.map((image) => ({
        type: 'input_image' as const,
        image_url: dataUrl(image),
        detail: 'auto' as const,
      }));
      return { ...answer, output: [...texts, ...images] };
    },
  };
}
