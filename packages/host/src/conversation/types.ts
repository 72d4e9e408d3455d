import type { LanguageModel, ModelMessage } from 'ai';
import type { CallToolResult, ReadResourceResult } from 'tenon/client';
import type { HostTool, Toolbox } from '../registry/toolbox.ts';
import type { ModelTraits } from './model-traits.ts';

/** A resource that is sent to the model together with the message of the person. */
export interface Attachment {
  /** The alias of its server. */
  readonly server: string;
  /** The URI as it was requested. */
  readonly uri: string;
  /** The result of reading it. */
  readonly result: ReadResourceResult;
}

/** The limits of a run. Without a value there is no limit, unless a default is given. */
export interface RunBudget {
  /** Maximum requests to the model. Default 20. */
  readonly steps?: number | undefined;
  /** Maximum tool calls, as the result counts them. A step can contain any number of calls. Default 200. */
  readonly calls?: number | undefined;
  /** Maximum input and output tokens over all steps. */
  readonly tokens?: number | undefined;
  /** Milliseconds that a tool call may take without progress. */
  readonly callMs?: number | undefined;
  /** Milliseconds for the whole run. */
  readonly totalMs?: number | undefined;
}

/** `all`: the model gets all tool definitions. `search`: it gets tools to find them. `auto`: a search if the definitions are large. */
export type DiscoveryMode = 'auto' | 'all' | 'search';

/** Finds the tools that match a query, best first. */
export type ToolSearch = (query: string, limit: number) => readonly HostTool[];

/** Options of a run. `model`, and `messages` or `prompt` are required. */
export interface RunOptions {
  /** A language model of the AI SDK. For its settings use `defaultSettingsMiddleware` of the AI SDK. */
  readonly model: LanguageModel;
  /** The conversation so far. This or `prompt` is required; with both, the prompt comes last. */
  readonly messages?: readonly ModelMessage[] | undefined;
  /** The prompt of the person. */
  readonly prompt?: string | undefined;
  /** The instructions for the model, before those of the servers. Default: none. */
  readonly system?: string | undefined;
  /** Resources that precede the last message of the person. */
  readonly attachments?: readonly Attachment[] | undefined;
  /** When the run ends at the latest. Default: after 20 steps, or 200 calls. */
  readonly budget?: RunBudget | undefined;
  /** Default `auto`. */
  readonly discovery?: DiscoveryMode | undefined;
  /** The context window of the model, in tokens. Default 128,000. */
  readonly contextTokens?: number | undefined;
  /** Finds tools for discovery. Default: an index of the current tools. */
  readonly search?: ToolSearch | undefined;
  /** Maximum characters of a tool result, or of an attached text. Default 100,000. */
  readonly resultCharacters?: number | undefined;
  /** How often a failed request to the model is repeated. Default 2. */
  readonly retries?: number | undefined;
  /** The content that the model accepts, if that differs from the defaults of its provider. */
  readonly modelTraits?: Partial<ModelTraits> | undefined;
  /** Cancels the run, which then ends as `cancelled`. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the events of the run. An exception ends the run. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}

/** The options, and the tools that the model can call. */
export interface ConversationOptions extends RunOptions {
  readonly toolbox: Toolbox;
}

/**
 * Why a run ended. `done`: the model has answered. `steps`, `calls`, `tokens`, `time`: a limit was reached. `stuck`: the same call gave the
 * same result repeatedly. `model-error`: the model could not be reached, was interrupted, or kept writing invalid calls.
 */
export type RunEnd = 'done' | 'steps' | 'calls' | 'tokens' | 'time' | 'cancelled' | 'stuck' | 'model-error';

/** Tokens over all steps. */
export interface RunUsage {
  /** Tokens of the requests. */
  readonly inputTokens: number;
  /** Tokens of the responses. */
  readonly outputTokens: number;
  /** All tokens. */
  readonly totalTokens: number;
  /** True if a provider did not report the usage, and it was estimated with four characters per token. */
  readonly estimated: boolean;
}

/** A tool call of a run. */
export interface RunCall {
  /** The qualified name. */
  readonly tool: string;
  /** The arguments as the model wrote them. */
  readonly arguments: unknown;
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** Whether the result is an error. */
  readonly isError: boolean;
}

/** The result of a run. */
export interface RunResult {
  /** Why it ended. */
  readonly end: RunEnd;
  /** The reason in a sentence. Absent if it is done, unless the model gave no answer. */
  readonly reason?: string;
  /** The last text of the model. */
  readonly text: string;
  /** All messages, to continue the conversation: every tool call has a result. They are plain JSON if the given messages were. */
  readonly messages: ModelMessage[];
  /** The number of requests to the model. */
  readonly steps: number;
  /** The tokens of all steps. */
  readonly usage: RunUsage;
  /** The tool calls, in the order in which the model made them. */
  readonly calls: readonly RunCall[];
}

/** An event of a run, as plain data. */
export type RunEvent =
  /** A request to the model begins. `definitions`: whether it contains all tools, or the search tools. */
  | { readonly type: 'step'; readonly step: number; readonly definitions: 'all' | 'search' }
  /** A piece of the text of the model. */
  | { readonly type: 'text'; readonly text: string }
  /** A piece of the reasoning of the model. */
  | { readonly type: 'reasoning'; readonly text: string }
  /** A tool call begins. `id` is unique within the run, `tool` the qualified name, `arguments` are as the model wrote them. */
  | { readonly type: 'call'; readonly id: string; readonly tool: string; readonly arguments: unknown }
  /** Progress of the call with this `id`, as the server reported it. `total` is of the same unit as `progress`. */
  | {
      readonly type: 'progress';
      readonly id: string;
      readonly tool: string;
      readonly progress: number;
      readonly total?: number;
      readonly message?: string;
    }
  /** The result of the call with this `id` as the server sent it, before it is shortened for the model, after `ms` milliseconds. */
  | {
      readonly type: 'result';
      readonly id: string;
      readonly tool: string;
      readonly result: CallToolResult;
      readonly isError: boolean;
      readonly ms: number;
    }
  /** The run ended. The members are those of its result. */
  | {
      readonly type: 'end';
      readonly end: RunEnd;
      readonly reason?: string;
      readonly steps: number;
      readonly usage: RunUsage;
    };
