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
  readonly result: ReadResourceResult;
}

/** The limits of a run. Without a value there is no limit, unless a default is given. */
export interface RunBudget {
  /** Maximum requests to the model. Default 20. */
  readonly steps?: number;
  /** Maximum input and output tokens over all steps. */
  readonly tokens?: number;
  /** Milliseconds that a tool call may take without progress. */
  readonly callMs?: number;
  /** Milliseconds for the whole run. */
  readonly totalMs?: number;
}

/** `all`: the model gets all tool definitions. `search`: it gets tools to find them. `auto`: a search if the definitions are large. */
export type DiscoveryMode = 'auto' | 'all' | 'search';

/** Finds the tools that match a query, best first. */
export type ToolSearch = (query: string, limit: number) => readonly HostTool[];

/** Options of a run. `model`, `toolbox`, and `messages` or `prompt` are required. */
export interface RunOptions {
  /** A language model of the AI SDK. For its settings use `defaultSettingsMiddleware` of the AI SDK. */
  readonly model: LanguageModel;
  /** The conversation so far. This or `prompt` is required; with both, the prompt comes last. */
  readonly messages?: readonly ModelMessage[];
  readonly prompt?: string;
  readonly toolbox: Toolbox;
  readonly system?: string;
  /** Resources that precede the last message of the person. */
  readonly attachments?: readonly Attachment[];
  readonly budget?: RunBudget;
  /** Default `auto`. */
  readonly discovery?: DiscoveryMode;
  /** The context window of the model, in tokens. Default 128,000. */
  readonly contextTokens?: number;
  /** Finds tools for discovery. Default: an index of the current tools. */
  readonly search?: ToolSearch;
  /** Maximum characters of a tool result, or of an attached text. Default 100,000. */
  readonly resultCharacters?: number;
  /** How often a failed request to the model is repeated. Default 2. */
  readonly retries?: number;
  /** What the model accepts, if that differs from the defaults of its provider. */
  readonly modelTraits?: Partial<ModelTraits>;
  readonly signal?: AbortSignal;
  /** Receives the events of the run. An exception ends the run. */
  readonly onEvent?: (event: RunEvent) => void;
}

/**
 * Why a run ended. `done`: the model has answered. `steps`, `tokens`, `time`: a limit was reached. `stuck`: the same call gave the same
 * result repeatedly. `model-error`: the model could not be reached, was interrupted, or kept writing invalid calls.
 */
export type RunEnd = 'done' | 'steps' | 'tokens' | 'time' | 'cancelled' | 'stuck' | 'model-error';

/** Tokens over all steps. */
export interface RunUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  /** True if a provider did not report the usage, and it was estimated with four characters per token. */
  readonly estimated: boolean;
}

/** A tool call of a run. */
export interface RunCall {
  readonly tool: string;
  /** The arguments as the model wrote them. */
  readonly arguments: unknown;
  readonly ms: number;
  readonly isError: boolean;
}

/** The result of a run. */
export interface RunResult {
  readonly end: RunEnd;
  /** The reason in a sentence. Absent if it is done, unless the model gave no answer. */
  readonly reason?: string;
  /** The last text of the model. */
  readonly text: string;
  /** All messages, to continue the conversation: every tool call has a result. They are plain JSON if the given messages were. */
  readonly messages: ModelMessage[];
  /** The number of requests to the model. */
  readonly steps: number;
  readonly usage: RunUsage;
  readonly calls: readonly RunCall[];
}

/** An event of a run, as plain data. */
export type RunEvent =
  /** A request to the model begins. `definitions`: whether it contains all tools, or the search tools. */
  | { readonly type: 'step'; readonly step: number; readonly definitions: 'all' | 'search' }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** A tool call begins. `id` is unique within the run. */
  | { readonly type: 'call'; readonly id: string; readonly tool: string; readonly arguments: unknown }
  | {
      readonly type: 'progress';
      readonly id: string;
      readonly tool: string;
      readonly progress: number;
      readonly total?: number;
      readonly message?: string;
    }
  /** The result of a tool call as the server sent it, before it is shortened for the model. */
  | {
      readonly type: 'result';
      readonly id: string;
      readonly tool: string;
      readonly result: CallToolResult;
      readonly isError: boolean;
      readonly ms: number;
    }
  | {
      readonly type: 'end';
      readonly end: RunEnd;
      readonly reason?: string;
      readonly steps: number;
      readonly usage: RunUsage;
    };
