/** Clients: connect to a server over any transport, in any revision. */
export { connect } from '../open/connect.ts';
export type { ConnectOptions } from '../open/connect.ts';
export type { HeadersOption } from '../open/dial-options.ts';
export type { Reachable, Target } from '../open/target.ts';
export type { Command } from '../transport/stdio/spawn.ts';
export type {
  CallOptions,
  Change,
  Client,
  CompletionInput,
  CompletionRef,
  FetchOptions,
  Listing,
  Watch,
  WatchTarget,
} from '../client/types.ts';
export type {
  Answer,
  Answers,
  AskContext,
  ClientOptions,
  ElicitHandler,
  FormQuestion,
  Question,
  RootsOption,
  SampleContext,
  SampleHandler,
  ServerLog,
  UrlQuestion,
} from '../client/options.ts';
export type { SavedTask, Task, TaskWaitOptions } from '../client/tasks/task.ts';
export type { TaskQuestion, TaskState } from '../client/tasks/task-state.ts';
export type { AnswerQuestion, ClientMiddleware, OutgoingCall, SendNext } from '../client/middleware.ts';
export type { Call, CallAnswer, CallMiddleware, Use } from '../protocol/middleware.ts';
export type { AskedQuestion, QuestionStep } from '../protocol/question-step.ts';
export type { AskingResults, SuspendedCall } from '../client/server-question.ts';
export type { CacheEntry, CacheStore } from '../client/cache-store.ts';
export { createCacheStore } from '../client/cache-store.ts';
export type { EraMemory } from '../client/eras.ts';
export { createEraMemory } from '../client/eras.ts';
export type { HttpTrace, TraceEntry } from '../protocol/trace.ts';
export type { Contract, Contracted, ContractOf, PromptArguments } from '../protocol/contract.ts';
export type { ConnectionErrorOptions } from '../protocol/errors.ts';
export type { ErrorObject, JsonObject } from '../protocol/jsonrpc.ts';
export type { ErrorCode } from '../protocol/error-codes.ts';
export { CODE, ConnectionError, PeerError, ProtocolError, TimeoutError, ToolError } from '../protocol/errors.ts';
export { REVISIONS as revisions } from '../protocol/revision.ts';
export type { Era, Revision } from '../protocol/revision.ts';
export type { ClientCapabilities, ServerCapabilities } from '../protocol/capabilities.ts';
export type {
  Implementation,
  JsonSchema,
  PromptArgument,
  PromptEntry,
  ResourceEntry,
  Root,
  TemplateEntry,
  ToolAnnotations,
  ToolEntry,
} from '../protocol/entities.ts';
export type {
  AudioContent,
  Content,
  EmbeddedResource,
  ImageContent,
  ResourceContents,
  ResourceLink,
  SamplingContent,
  TextContent,
  ToolResultContent,
  ToolUseContent,
} from '../protocol/content.ts';
export type {
  CallToolResult,
  Completion,
  ElicitResult,
  ElicitValue,
  GetPromptResult,
  Progress,
  ReadResourceResult,
  SampleParams,
  SampleResult,
  SamplingMessage,
  SamplingTool,
} from '../protocol/results.ts';
