import type { CallToolResult } from 'tenon/client';
import { isObject } from '@tenon/values/is-object';
import type { HostCallOptions, Toolbox } from '../../registry/toolbox.ts';
import { cannotKeep, lostNumber } from '../lost-number.ts';
import { errorResult, type Image, readResult, type ModelResult } from '../tool-result.ts';

/** Options for calls, and for the results that the model gets. */
export interface FormatOptions extends Pick<HostCallOptions, 'signal' | 'timeout' | 'onProgress'> {
  /** Maximum characters of a result. Default 100,000. */
  readonly resultCharacters?: number | undefined;
  /**
   * Whether images in results are given to the model. Default true. With false, a note replaces each: for models without image input, and
   * for a library that sends results as text, as most do that speak Chat Completions.
   */
  readonly images?: boolean | undefined;
}

const MAX_CHARACTERS = 100_000;

/** Calls a tool for the model. */
export function callFor(
  toolbox: Toolbox,
  name: string,
  args: unknown,
  { signal, timeout, onProgress }: FormatOptions,
): Promise<CallToolResult> {
  return toolbox.call(name, args, { by: 'model', signal, timeout, onProgress });
}

/** Converts a result to text and images, according to the options. */
export function readFor(
  result: CallToolResult,
  { resultCharacters = MAX_CHARACTERS, images = true }: FormatOptions,
): ModelResult {
  return readResult(result, resultCharacters, images);
}

const NO_JSON = 'The arguments are not a JSON object. Call the tool again with the arguments as one JSON object.';

/** Parses arguments that a model wrote as text. Some models omit them if there are none. */
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

/** The same as `callFor`, with arguments as JSON text. */
export function callWithText(
  toolbox: Toolbox,
  name: string,
  text: unknown,
  options: FormatOptions,
): Promise<CallToolResult> {
  const args = parsed(text);
  if (args === undefined) return Promise.resolve(errorResult(NO_JSON));
  const lost = typeof text === 'string' ? lostNumber(text) : undefined;
  return lost === undefined ? callFor(toolbox, name, args, options) : Promise.resolve(errorResult(cannotKeep(lost)));
}

/** The text of a result for a library whose results have no mark for errors. */
export function markedText({ text, isError }: ModelResult): string {
  return isError ? `Error: ${text}` : text;
}

/** An image as a URL that contains it. */
export function dataUrl({ data, mediaType }: Image): string {
  return `data:${mediaType.toLowerCase()};base64,${data}`;
}
