// The semantic conventions of OpenTelemetry for MCP (status: development).

import type { Attributes } from '@opentelemetry/api';
import { CODE, ProtocolError } from '../protocol/errors.ts';
import { METHOD_NAMES } from '../protocol/methods.ts';
import type { Call, CallAnswer } from '../protocol/middleware.ts';
import type { AskedQuestion } from '../protocol/question-step.ts';
import { shown } from '../protocol/text.ts';
import { withoutUndefined } from '../protocol/without-undefined.ts';

/** The name of the span of a call. URIs are left out: there may be any number of them. */
export function spanNameOf({ method, name }: Call): string {
  const known = shown(method);
  return name === undefined || method.startsWith('resources/') || method === 'completion/complete'
    ? known
    : `${known} ${shown(name)}`;
}

/** What is known of a call before it has ended. Those of metrics have few values only. */
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

/** What is known of a question that is a request of its own. */
export function attributesOfQuestion({ method, revision }: AskedQuestion): Attributes {
  return { 'mcp.method.name': shown(method), 'mcp.protocol.version': revision };
}

function namesOf(method: string, name: string): Attributes {
  if (method === 'tools/call') return { 'gen_ai.tool.name': name };
  return method === 'prompts/get' ? { 'gen_ai.prompt.name': name } : {};
}

/** For the metrics of a call that may have named anything: a client must not be able to make any number of time series. */
export function withoutNames(attributes: Attributes): Attributes {
  const { 'gen_ai.tool.name': _tool, 'gen_ai.prompt.name': _prompt, 'mcp.method.name': method, ...rest } = attributes;
  return { ...rest, 'mcp.method.name': METHOD_NAMES.has(String(method)) ? method : '_OTHER' };
}

/** Over HTTP it is known how a call travels. What carries the messages of other connections is not. */
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

/** These say that the client made a mistake: the server has not failed. */
const MISTAKES: ReadonlySet<number> = new Set([
  CODE.parseError,
  CODE.invalidRequest,
  CODE.methodNotFound,
  CODE.invalidParams,
  CODE.resourceNotFound,
]);

/** What is known of a call when it has ended with an error. */
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
  // A tool that was told to stop has not failed by itself.
  if (failed) return { 'error.type': signal.aborted ? 'AbortError' : 'tool_error' };
  return kind === 'result' ? {} : { 'tenon.answer.kind': kind };
}
