// The semantic conventions of OpenTelemetry for MCP (status: development).

import type { Attributes } from '@opentelemetry/api';
import { CODE, ProtocolError } from '../protocol/errors.ts';
import { METHOD_NAMES } from '../protocol/methods.ts';
import type { Call, CallAnswer } from '../protocol/middleware.ts';
import type { AskedQuestion } from '../protocol/question-step.ts';
import { shown } from '../protocol/text.ts';
import { withoutUndefined } from '../protocol/without-undefined.ts';

/** The name of the span of a call. It has no URIs, because their number is unlimited. */
export function spanNameOf({ method, name }: Call): string {
  const known = shown(method);
  return name === undefined || method.startsWith('resources/') || method === 'completion/complete'
    ? known
    : `${known} ${shown(name)}`;
}

/** The attributes of a call that are known before it has ended. Attributes of metrics have only a few values. */
export function attributesOf(
  call: Call,
  url: string | undefined,
): { readonly few: Attributes; readonly all: Attributes } {
  const { method, name, revision, side, id, task } = call;
  const few: Attributes = withoutUndefined({
    'mcp.method.name': shown(method),
    'mcp.protocol.version': revision,
    'gen_ai.operation.name': method === 'tools/call' ? 'execute_tool' : undefined,
    ...(name === undefined ? {} : namesOf(method, shown(name, 256))),
    ...transportOf(call, url),
  });
  const uri = method.startsWith('resources/') ? name : undefined;
  const all: Attributes = withoutUndefined({
    ...few,
    'mcp.resource.uri': uri === undefined ? undefined : shown(uri, 1_000),
    'jsonrpc.request.id': side === 'server' && task === undefined ? shown(id) : undefined,
    'tenon.task.run': task?.run,
  });
  return { few, all };
}

/** The attributes of a question that is sent as a separate request. */
export function attributesOfQuestion({ method, revision }: AskedQuestion): Attributes {
  return { 'mcp.method.name': shown(method), 'mcp.protocol.version': revision };
}

function namesOf(method: string, name: string): Attributes {
  if (method === 'tools/call') return { 'gen_ai.tool.name': name };
  return method === 'prompts/get' ? { 'gen_ai.prompt.name': name } : {};
}

/** For metrics of calls whose names are unverified: a client must not be able to create any number of time series. */
export function withoutNames(attributes: Attributes): Attributes {
  const { 'gen_ai.tool.name': _tool, 'gen_ai.prompt.name': _prompt, 'mcp.method.name': method, ...rest } = attributes;
  return { ...rest, 'mcp.method.name': METHOD_NAMES.has(String(method)) ? method : '_OTHER' };
}

/** The transport of a call, if it is HTTP. For other connections it is unknown. */
function transportOf({ side, header }: Call, url: string | undefined): Attributes {
  if (side === 'client') {
    if (url === undefined) return {};
    const { hostname, port, protocol } = new URL(url);
    const number = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
    return { ...HTTP, 'server.address': hostname, 'server.port': number };
  }
  return header('content-type') === undefined && header('host') === undefined ? {} : HTTP;
}

const HTTP: Attributes = { 'network.transport': 'tcp', 'network.protocol.name': 'http' };

/** Errors that mean a mistake of the client, not a failure of the server. */
const MISTAKES: ReadonlySet<number> = new Set([
  CODE.parseError,
  CODE.invalidRequest,
  CODE.methodNotFound,
  CODE.invalidParams,
  CODE.resourceNotFound,
]);

/** The attributes of a call that ended with an error. */
export function attributesOfError(error: unknown, side: Call['side']): Attributes {
  if (error instanceof ProtocolError) {
    const code = String(error.code);
    const status = { 'rpc.response.status_code': code };
    return side === 'server' && MISTAKES.has(error.code) ? status : { ...status, 'error.type': code };
  }
  return { 'error.type': nameOf(error) };
}

function nameOf(error: unknown): string {
  return error instanceof Error ? shown(error.name) : '_OTHER';
}

/** What is known of a call when it has been answered. */
export function attributesOfAnswer({ signal }: Call, { kind, failed }: CallAnswer): Attributes {
  // A tool that failed because its call was cancelled counts as cancelled.
  if (failed) return { 'error.type': signal.aborted ? 'AbortError' : 'tool_error' };
  return kind === 'result' ? {} : { 'tenon.answer.kind': kind };
}
