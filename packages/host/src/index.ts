/** A host for many MCP servers, with one policy and one conversation. */
export { createHost } from './host.ts';
export type { Host } from './host.ts';
export type { HostLimits, HostOptions } from './options.ts';
export type { Login } from './config/login.ts';
export { readServers, parseServers } from './config/read.ts';
export type { OffServer, ParseOptions, ReadOptions, ReadServers } from './config/read.ts';
export { findConfig } from './config/find.ts';
export { resolveServer } from './config/resolve.ts';
export { ConfigError } from './config/config-error.ts';
export type { Position } from './config/config-error.ts';
export type {
  AddressLaunch,
  CommandLaunch,
  ConfigSource,
  Launch,
  LoginSettings,
  ServerConfig,
  ToolChoice,
  ValueLaunch,
} from './config/server-config.ts';
export type { Input, PickInput, TextInput } from './config/inputs.ts';
export type { Problem } from './config/problem.ts';
export type {
  CallItem,
  ChangedItem,
  ChangedServerItem,
  Decision,
  Item,
  QuestionItem,
  ReadItem,
  SamplingResponseItem,
  SamplingRequestItem,
  Scope,
  StartItem,
} from './pending/item.ts';
export type { ServerDescription } from './values/server-description.ts';
export { DecisionError } from './pending/decision-error.ts';
export { answerPending, listPending } from './pending/state-folder.ts';
export type { DecisionHandler } from './pending/decision-queue.ts';
export { DeniedError } from './calls/denied-error.ts';
export type { ResourceChange, WatchOptions } from './calls/watches.ts';
export type { ErrorCode } from './values/error-codes.ts';
export { HostError } from './values/host-error.ts';
export { matches as matchesGlob } from './policy/glob.ts';
export { checkedRules } from './policy/rules.ts';
export type { Effect, Rule } from './policy/rule.ts';
export type { ToolAnnotations } from './policy/subject.ts';
export type { Act } from './policy/subject.ts';
export type { OfferedModel } from './interaction/models.ts';
export type { HostPrompt, HostResource, HostTemplate } from './registry/registry.ts';
export type { HostCallOptions, HostTool, Toolbox } from './registry/toolbox.ts';
export type { ServerState, ServerView } from './servers/view.ts';
export { verifyAudit } from './audit/verify.ts';
export type { AuditReport, VerifyAuditOptions } from './audit/verify.ts';
export type {
  Attachment,
  DiscoveryMode,
  RunBudget,
  RunCall,
  RunEnd,
  RunEvent,
  RunOptions,
  RunResult,
  RunUsage,
  ToolSearch,
} from './conversation/types.ts';
export { toolsFor } from './conversation/formats/tools-for.ts';
export type { FormatOptions } from './conversation/formats/format.ts';
export type { AiSdkTool, AiSdkTools } from './conversation/formats/ai-sdk.ts';
export type {
  AnthropicTool,
  AnthropicToolResult,
  AnthropicTools,
  AnthropicToolUse,
} from './conversation/formats/anthropic.ts';
export type { LangChainOptions, LangChainParts, LangChainTools } from './conversation/formats/langchain.ts';
export type {
  OpenAiImageMessage,
  OpenAiTool,
  OpenAiToolCall,
  OpenAiToolMessage,
  OpenAiTools,
} from './conversation/formats/openai-chat.ts';
export type {
  OpenAiFunction,
  OpenAiFunctionCall,
  OpenAiFunctionOutput,
  OpenAiResponsesTools,
} from './conversation/formats/openai-responses.ts';
export type { ModelTraits } from './conversation/model-traits.ts';
export { promptMessages } from './conversation/attachments.ts';
export { scriptedModel } from './conversation/demo-model.ts';
export type { ScriptContext, ScriptReply, ScriptStep } from './conversation/demo-model.ts';
export type { DecisionRecord, HostEvent, HostListener } from './events.ts';
