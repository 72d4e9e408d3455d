import type { LanguageModel, ModelMessage } from 'ai';
import type { CallToolResult, ReadResourceResult } from 'tenon/client';
import type { HostTool, Toolbox } from '../registry/toolbox.ts';
import type { ModelTraits } from './model-traits.ts';

/** A resource that goes to the model together with what the person says. */
export interface Attachment {
  /** Alias of the server it came from. */
  readonly server: string;
  /** As it was asked for. */
  readonly uri: string;
  readonly result: ReadResourceResult;
}

/** How much a run may use up. What is left out is not limited, unless it says otherwise. */
export interface RunBudget {
  /** How often the model may be asked. Default 20. */
  readonly steps?: number;
  /** Tokens in and out, over all steps. */
  readonly tokens?: number;
  /** Milliseconds that a server may be silent in a tool call. */
  readonly callMs?: number;
  /** Milliseconds for the whole run. */
  readonly totalMs?: number;
}

/** Whether the model gets all definitions at once, or finds tools by a search. `auto`: a search once there are many. */
export type DiscoveryMode = 'auto' | 'all' | 'search';

/** Finds the tools that fit a question, best first. */
export type ToolSearch = (query: string, limit: number) => readonly HostTool[];

export interface RunOptions {
  /** Any language model of the AI SDK. Its settings are made with the `defaultSettingsMiddleware` of the AI SDK. */
  readonly model: LanguageModel;
  /** What was said so far. Either this or `prompt` is needed; with both, the prompt comes last. */
  readonly messages?: readonly ModelMessage[];
  readonly prompt?: string;
  readonly toolbox: Toolbox;
  readonly system?: string;
  /** Shown to the model before the last thing that the person says. */
  readonly attachments?: readonly Attachment[];
  readonly budget?: RunBudget;
  /** Default `auto`. */
  readonly discovery?: DiscoveryMode;
  /** What the model can hold. Default 128,000. */
  readonly contextTokens?: number;
  /** Default: an index over the tools there are. */
  readonly search?: ToolSearch;
  /** Characters of a tool result, or of a text that is attached, that the model gets to see. Default 100,000. */
  readonly resultCharacters?: number;
  /** How often a failed request to the model is made again. Default 2. */
  readonly retries?: number;
  /** What the model takes, where that cannot be told from its provider. */
  readonly takes?: Partial<ModelTraits>;
  readonly signal?: AbortSignal;
  /** Must not throw: what it throws ends the run. */
  readonly onEvent?: (event: RunEvent) => void;
}

/**
 * Why a run ended. `done`: the model has answered. `steps`, `tokens`, `time`: the budget is used up. `stuck`: the same call gave the same
 * result again and again. `model-error`: the model cannot be reached, broke off, or kept calling tools wrongly.
 */
export type RunEnd = 'done' | 'steps' | 'tokens' | 'time' | 'cancelled' | 'stuck' | 'model-error';

/** Tokens over all steps. */
export interface RunUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  /** True if a provider did not say, and four characters were counted as a token. */
  readonly estimated: boolean;
}

export interface RunCall {
  readonly tool: string;
  /** As the model wrote them. */
  readonly arguments: unknown;
  readonly ms: number;
  readonly isError: boolean;
}

export interface RunResult {
  readonly end: RunEnd;
  /** In a plain sentence, why it ended. Absent when it is done, unless the model said nothing at last. */
  readonly reason?: string;
  /** The last thing that the model said. */
  readonly text: string;
  /** Everything that was said, to go on with: every tool call in it has a result. As plain as the messages that were given. */
  readonly messages: ModelMessage[];
  /** How often the model was asked. */
  readonly steps: number;
  readonly usage: RunUsage;
  readonly calls: readonly RunCall[];
}

/** What happens during a run. Plain data. */
export type RunEvent =
  /** The model is asked. `definitions`: whether it gets the tools themselves or a way to find them. */
  | { readonly type: 'step'; readonly step: number; readonly definitions: 'all' | 'search' }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** `id` is unlike that of any other call of the run. */
  | { readonly type: 'call'; readonly id: string; readonly tool: string; readonly arguments: unknown }
  | {
      readonly type: 'progress';
      readonly id: string;
      readonly tool: string;
      readonly progress: number;
      readonly total?: number;
      readonly message?: string;
    }
  /** As the server gave it, before it is cut to what the model gets. */
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
