import type { Content, ResourceContents, SamplingContent } from './content.ts';
import type { JsonSchema, PromptEntry, ResourceEntry, Root, TemplateEntry, ToolEntry } from './entities.ts';
import type { JsonObject } from './jsonrpc.ts';
import type { Meta } from './meta.ts';

/** The result of `tools/call` (specification, "Tools"). */
export interface CallToolResult {
  /** The result as blocks, for a model. */
  content: Content[];
  /** The result as a value that matches the output schema: a JSON object, and from 2026-07-28 any JSON value (from 2025-06-18). */
  structuredContent?: unknown;
  /** The tool failed, and `content` says why. Default false. */
  isError?: boolean;
  /** Metadata of the result. */
  _meta?: Meta;
}

/** The result of `resources/read` (specification, "Resources"). */
export interface ReadResourceResult {
  /** The content of the resource, possibly in several parts. */
  contents: ResourceContents[];
  /** How long the result may be cached, in milliseconds (2026-07-28). Default 0: not at all. */
  ttlMs?: number;
  /** Who may share the cached result (2026-07-28). Default `private`. */
  cacheScope?: CacheScope;
  /** Metadata of the result. */
  _meta?: Meta;
}

/** One message of a prompt. */
export interface PromptMessage {
  /** The role of the speaker. */
  role: 'user' | 'assistant';
  /** The content: one block. */
  content: Content;
}

/** The result of `prompts/get` (specification, "Prompts"). */
export interface GetPromptResult {
  /** What the prompt is for. */
  description?: string;
  /** The messages to begin a conversation with. */
  messages: PromptMessage[];
  /** Metadata of the result. */
  _meta?: Meta;
}

/** Suggested values (specification, "Completion"). */
export interface Completion {
  /** The values, the most fitting first; at most 100. */
  values: string[];
  /** How many values there are, including those that are not in `values`. Default: unknown. */
  total?: number;
  /** There are more values than those in `values`. Default: unknown. */
  hasMore?: boolean;
}

/** Who may share a cached result. */
export type CacheScope = 'public' | 'private';

/** The lists of a server, by the method that asks for them. */
export interface Lists {
  'tools/list': { key: 'tools'; entry: ToolEntry };
  'resources/list': { key: 'resources'; entry: ResourceEntry };
  'resources/templates/list': { key: 'resourceTemplates'; entry: TemplateEntry };
  'prompts/list': { key: 'prompts'; entry: PromptEntry };
}

export type ListMethod = keyof Lists;

/** The member of a list result that contains its entries. */
export const LIST_KEY: { readonly [M in ListMethod]: Lists[M]['key'] } = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
};

/** The value of a form field. */
export type ElicitValue = string | number | boolean | string[];

/** The answer to a question to the user (specification, "Elicitation"). */
export interface ElicitResult {
  /** What the user did: answered, refused to, or closed the question without a choice. */
  action: 'accept' | 'decline' | 'cancel';
  /** The values of the form by field, with the action `accept`. A page has none. */
  content?: Record<string, ElicitValue>;
  /** Metadata of the answer (revisions up to 2025-11-25). */
  _meta?: Meta;
}

/** A message of a conversation with a model. */
export interface SamplingMessage {
  /** The role of the speaker. */
  role: 'user' | 'assistant';
  /** The content: one block, or from 2025-11-25 several. */
  content: SamplingContent | SamplingContent[];
  /** Metadata of the message. */
  _meta?: Meta;
}

/** A tool offered to the model in sampling. */
export interface SamplingTool {
  /** The name by which the model calls it. */
  name: string;
  /** For the model: what the tool does and when to use it. */
  description?: string;
  /** The schema of the arguments; its root has the type `object`. */
  inputSchema: JsonSchema;
}

/** A request to a model (specification, "Sampling"). */
export interface SampleParams {
  /** The conversation so far. */
  messages: SamplingMessage[];
  /** The maximum number of tokens of the response. The client may choose a smaller one. */
  maxTokens: number;
  /** The system prompt. The client may change it or leave it out. */
  systemPrompt?: string;
  /** The temperature of the model. Default: that of the client. */
  temperature?: number;
  /** Texts at which the model stops. */
  stopSequences?: string[];
  /**
   * The servers whose context the client adds to the prompt. Default `none`. A client with 2025-11-25 or later gets another value only if
   * it declared `sampling.context`.
   */
  includeContext?: 'none' | 'thisServer' | 'allServers';
  /** Which model to use. The client decides. */
  modelPreferences?: {
    /** In order of preference. A hint is a part of a model name. */
    hints?: {
      /** A part of the name of a model, or of a family of models. */
      name?: string;
    }[];
    /** How important low cost is, from 0 to 1. */
    costPriority?: number;
    /** How important low latency is, from 0 to 1. */
    speedPriority?: number;
    /** How important a capable model is, from 0 to 1. */
    intelligencePriority?: number;
  };
  /** Parameters for the provider of the model, in a format of its own. */
  metadata?: JsonObject;
  /** The tools that the model may use. Needs a client with `sampling.tools` (from 2025-11-25). */
  tools?: SamplingTool[];
  /** Whether the model uses the tools. Needs a client with `sampling.tools` (from 2025-11-25). */
  toolChoice?: {
    /** `auto`: the model decides; `required`: at least one; `none`: no tool. Default `auto`. */
    mode?: 'auto' | 'required' | 'none';
  };
  /** Metadata of the request (revisions up to 2025-11-25). */
  _meta?: Meta;
}

/** The response of a model (specification, "Sampling"). */
export interface SampleResult {
  /** The role of the speaker, usually `assistant`. */
  role: 'user' | 'assistant';
  /** The content: one block, or from 2025-11-25 several. */
  content: SamplingContent | SamplingContent[];
  /** The name of the model that was used. */
  model: string;
  /** Why the model stopped: `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or a reason of the provider. */
  stopReason?: string;
  /** Metadata of the response. */
  _meta?: Meta;
}

export interface RootsResult {
  roots: Root[];
  _meta?: Meta;
}

/** How far a request has come, as the server reports it. */
export interface Progress {
  /** How much is done, in any unit. Grows with each report. */
  readonly progress: number;
  /** What `progress` will reach, if known. */
  readonly total?: number | undefined;
  /** What is being done, in words for people (from 2025-03-26). */
  readonly message?: string | undefined;
}
