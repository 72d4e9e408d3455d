import type { Content, ResourceContents, SamplingContent } from './content.ts';
import type { JsonSchema, PromptEntry, ResourceEntry, Root, TemplateEntry, ToolEntry } from './entities.ts';
import type { JsonObject } from './jsonrpc.ts';
import type { Meta } from './meta.ts';

export interface CallToolResult {
  content: Content[];
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: Meta;
}

export interface ReadResourceResult {
  contents: ResourceContents[];
  ttlMs?: number;
  cacheScope?: CacheScope;
  _meta?: Meta;
}

export interface PromptMessage {
  role: 'user' | 'assistant';
  content: Content;
}

export interface GetPromptResult {
  description?: string;
  messages: PromptMessage[];
  _meta?: Meta;
}

export interface Completion {
  /** At most 100. */
  values: string[];
  total?: number;
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

/** Under which member a list result holds its entries. */
export const LIST_KEY: { readonly [M in ListMethod]: Lists[M]['key'] } = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
};

export type ElicitValue = string | number | boolean | string[];

export interface ElicitResult {
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, ElicitValue>;
  _meta?: Meta;
}

export interface SamplingMessage {
  role: 'user' | 'assistant';
  content: SamplingContent | SamplingContent[];
  _meta?: Meta;
}

/** A tool offered to the model in sampling. */
export interface SamplingTool {
  name: string;
  description?: string;
  inputSchema: JsonSchema;
}

export interface SampleParams {
  messages: SamplingMessage[];
  maxTokens: number;
  systemPrompt?: string;
  temperature?: number;
  stopSequences?: string[];
  includeContext?: 'none' | 'thisServer' | 'allServers';
  modelPreferences?: {
    /** In order; the first that matches wins. A hint is a part of a model name. */
    hints?: { name?: string }[];
    costPriority?: number;
    speedPriority?: number;
    intelligencePriority?: number;
  };
  metadata?: JsonObject;
  tools?: SamplingTool[];
  toolChoice?: { mode?: 'auto' | 'required' | 'none' };
  _meta?: Meta;
}

export interface SampleResult {
  role: 'user' | 'assistant';
  content: SamplingContent | SamplingContent[];
  model: string;
  stopReason?: string;
  _meta?: Meta;
}

export interface RootsResult {
  roots: Root[];
  _meta?: Meta;
}

/** How far a request has come, as the server reports it. */
export interface Progress {
  /** Grows with each report. */
  readonly progress: number;
  /** What `progress` will reach, if known. */
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}
