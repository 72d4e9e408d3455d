/** Servers: everything an author needs, in any runtime. */
export { audio, contents, embed, image, link, reply, text } from '../server/content.ts';
export type { BlockOptions, ContentsOptions, Reply } from '../server/content.ts';
export type { CallContext, ClientSession, ClientView, Context, State, TypedElicitResult } from '../server/context.ts';
export type { Change, ChangingList } from '../server/changes.ts';
export type { Completer, CompletionContext } from '../server/completion.ts';
export { server } from '../server/define.ts';
export type { Server, ServerOptions } from '../server/define.ts';
export { middleware } from '../server/middleware.ts';
export type { IncomingCall, Middleware, Next, StateOf } from '../server/middleware.ts';
export type { Call, CallAnswer, CallMiddleware, Use } from '../protocol/middleware.ts';
export type { AskedQuestion, QuestionStep, SendQuestion } from '../protocol/question-step.ts';
export { method, notification } from '../server/own-methods.ts';
export type { MethodHandler, MethodOptions, NotificationHandler } from '../server/own-methods.ts';
export { prompt } from '../server/prompt.ts';
export type { Prompt, PromptResult, PromptOptions } from '../server/prompt.ts';
export type { Extension, OwnItems, Provider, Source } from '../server/provider.ts';
export type { Registry } from '../server/registry.ts';
export { resource } from '../server/resource.ts';
export type { CacheHint } from '../server/cache-hint.ts';
export type { ListedResource, ResourceResult, Resource, ResourceOptions, VariablesOf } from '../server/resource.ts';
export { tool } from '../server/tool.ts';
export type { InputOf, ParsedOf, ResultOf, Tool, ToolHandler, ToolOptions } from '../server/tool.ts';
export type { InferInput, InferOutput, Schema } from '../schema/schema.ts';
export type { StandardSchema } from '../schema/standard-schema.ts';
export type { Viewer, Visibility, Visible } from '../server/visibility.ts';
export type { ErrorCode } from '../protocol/error-codes.ts';
export { CODE, DefinitionError, ProtocolError, ToolError } from '../protocol/errors.ts';
export { serve } from '../transport/serve.ts';
export type { Served, ServeOptions } from '../transport/serve.ts';
export { REVISIONS as revisions } from '../protocol/revision.ts';
export type { Revision } from '../protocol/revision.ts';
export type { Channel, ChannelProblem } from '../protocol/channel.ts';
export type { Principal } from '../protocol/request-context.ts';
export type { Limits } from '../protocol/limits.ts';
export type { HttpTrace, TraceEntry } from '../protocol/trace.ts';
export type { LogEntry, Logger, LogLevel } from '../protocol/log.ts';
export type {
  Annotations,
  AudioContent,
  Content,
  EmbeddedResource,
  Icon,
  ImageContent,
  ResourceContents,
  ResourceLink,
  SamplingContent,
  TextContent,
  ToolResultContent,
  ToolUseContent,
} from '../protocol/content.ts';
export type { ClientAbility, ClientCapabilities } from '../protocol/capabilities.ts';
export type { ErrorObject, JsonObject } from '../protocol/jsonrpc.ts';
export type { Meta } from '../protocol/meta.ts';
export type { JsonSchema } from '../protocol/entities.ts';
export type {
  CallToolResult,
  Completion,
  GetPromptResult,
  Progress,
  PromptMessage,
  SampleParams,
  SampleResult,
  SamplingMessage,
  SamplingTool,
} from '../protocol/results.ts';
export type { Store } from '../store/store.ts';
