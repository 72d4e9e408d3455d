import type { Toolbox } from '../../registry/toolbox.ts';
import { aiSdkTools, type AiSdkTools } from './ai-sdk.ts';
import { anthropicTools, type AnthropicTools } from './anthropic.ts';
import type { FormatOptions } from './format.ts';
import { langChainTools, type LangChainOptions, type LangChainTools } from './langchain.ts';
import { openAiTools, type OpenAiTools } from './openai-chat.ts';
import { openAiResponsesTools, type OpenAiResponsesTools } from './openai-responses.ts';

/** The return type of `toolsFor`, by format. */
interface ToolFormats {
  readonly 'ai-sdk': AiSdkTools;
  readonly openai: OpenAiTools;
  readonly 'openai-responses': OpenAiResponsesTools;
  readonly anthropic: AnthropicTools;
  readonly langchain: LangChainTools<unknown>;
}

type FormatName = keyof ToolFormats;

/** The formats by name. */
const FORMATS: { readonly [Name in FormatName]: (toolbox: Toolbox, options: never) => ToolFormats[Name] } = {
  'ai-sdk': aiSdkTools,
  openai: openAiTools,
  'openai-responses': openAiResponsesTools,
  anthropic: anthropicTools,
  langchain: langChainTools,
};

/**
 * The tools of a toolbox, for a loop of your own: an object with `tools`, and with functions that make calls where the library does not make
 * them itself. Calls go through the toolbox and its policy. Call it again when the tools have changed,
 * see `onToolsChanged`. `ai-sdk` is for `ai` 5 to 7, `openai` for Chat Completions, `openai-responses` for the Responses API. Throws a
 * `TypeError` for an unknown format, and for `langchain` without its parts.
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
export function toolsFor<Name extends Exclude<FormatName, 'langchain'>>(
  format: Name,
  toolbox: Toolbox,
  options?: FormatOptions,
): ToolFormats[Name];
export function toolsFor<Tool>(
  format: 'langchain',
  toolbox: Toolbox,
  options: LangChainOptions<Tool>,
): LangChainTools<Tool>;
export function toolsFor(format: FormatName, toolbox: Toolbox, options: FormatOptions = {}): unknown {
  if (!Object.hasOwn(FORMATS, format)) {
    const names = Object.keys(FORMATS).map((name) => JSON.stringify(name));
    throw new TypeError(`There is no format ${JSON.stringify(format)}. There are ${names.join(', ')}.`);
  }
  return FORMATS[format](toolbox, options as never);
}
