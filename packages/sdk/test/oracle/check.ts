// Checks one message against one revision: the envelope, the method in its direction, the official definition, unknown members, and the few
// wire rules that JSON Schema cannot express.

import { isObject, type Schema } from './bundle.ts';
import { undeclared } from './closed.ts';
import { errorCodeProblems, notificationProblems, requestProblems, resultProblems } from './rules.ts';
import { schemaOf, type Direction, type Revision, type RevisionSchema } from './schemas.ts';

/** The request a response answers; `params` matters where the answer depends on it (a request augmented with a task). */
export interface AnsweredRequest {
  readonly method: string;
  readonly params?: unknown;
}

/** Members of every legacy message that the definition of a single method does not repeat. */
const legacyEnvelope: Schema = {
  properties: { jsonrpc: {}, id: {}, params: { properties: { _meta: { type: 'object' } } } },
};

/**
 * The problems of a message of `revision` that is sent in `direction`; an empty list if there are none. For a response pass the request it
 * answers, or only its envelope can be checked.
 *
 * @example checkMessage('2025-03-26', 'server-to-client', { jsonrpc: '2.0', id: 1, result: {} }, { method: 'ping' }) // []
 */
export function checkMessage(
  revision: Revision,
  direction: Direction,
  message: unknown,
  request?: AnsweredRequest,
): string[] {
  const schema = schemaOf(revision);
  if (Array.isArray(message)) {
    return [...batchProblems(revision, message), ...message.flatMap((item) => checkMessage(revision, direction, item))];
  }
  switch (kindOf(message)) {
    case 'request':
      return checkRequest(schema, direction, message as Schema);
    case 'notification':
      return checkNotification(schema, direction, message as Schema);
    case 'response':
      return checkResponse(schema, direction, message as Schema, request);
    default:
      return ['neither a request, a notification nor a response'];
  }
}

/** Which of the three JSON-RPC messages a value is meant to be, by its members. */
export function kindOf(message: unknown): 'request' | 'notification' | 'response' | undefined {
  if (!isObject(message)) return undefined;
  if (Object.hasOwn(message, 'method')) return Object.hasOwn(message, 'id') ? 'request' : 'notification';
  return Object.hasOwn(message, 'result') || Object.hasOwn(message, 'error') ? 'response' : undefined;
}

/** The problems of a batch as such (JSON-RPC 2.0 section 6; 2025-03-26 basic/index#batching), not of its members. */
export function batchProblems(revision: Revision, batch: readonly unknown[]): string[] {
  if (!schemaOf(revision).has('JSONRPCBatchRequest')) return [`${revision} has no batches`];
  const problems: string[] = [];
  const kinds = new Set(batch.map((item) => (kindOf(item) === 'response' ? 'response' : 'request')));
  if (batch.length === 0) problems.push('a batch has at least one message');
  if (kinds.size > 1) problems.push('a batch holds either requests and notifications or responses');
  // 2025-03-26 basic/lifecycle#initialization
  if (batch.some((item) => isObject(item) && item['method'] === 'initialize'))
    problems.push('initialize is never in a batch');
  return problems;
}

function checkRequest(schema: RevisionSchema, direction: Direction, message: Schema): string[] {
  const method = String(message['method']);
  const node = schema.requests[direction].get(method);
  if (node === undefined) {
    const none = schema.requests[direction].size === 0 ? ': nobody sends requests this way' : '';
    return [`${method} is not a ${direction} request of ${schema.revision}${none}`];
  }
  return [
    ...declaredAndValid(schema, [node], 'JSONRPCRequest', message),
    ...requestProblems(schema, method, message['params']),
  ];
}

function checkNotification(schema: RevisionSchema, direction: Direction, message: Schema): string[] {
  const method = String(message['method']);
  const node = schema.notifications[direction].get(method);
  if (node === undefined) return [`${method} is not a ${direction} notification of ${schema.revision}`];
  return [
    ...declaredAndValid(schema, [node], 'JSONRPCNotification', message),
    ...notificationProblems(schema, direction, method, message['params']),
  ];
}

function declaredAndValid(schema: RevisionSchema, nodes: Schema[], envelope: string, message: Schema): string[] {
  const valid = [schema.definition(envelope), ...nodes].flatMap((node) => schema.errors(node, message, ''));
  const known = undeclared(schema, message, schema.modern ? nodes : [...nodes, legacyEnvelope], '');
  return [...new Set([...valid, ...known])];
}

function checkResponse(
  schema: RevisionSchema,
  direction: Direction,
  message: Schema,
  request?: AnsweredRequest,
): string[] {
  const asking = direction === 'server-to-client' ? 'client-to-server' : 'server-to-client';
  if (schema.requests[asking].size === 0) return [`nobody answers ${direction} in ${schema.revision}`];
  const failed = Object.hasOwn(message, 'error');
  if (failed && Object.hasOwn(message, 'result')) return ['a response has a result or an error, not both'];
  return failed ? checkError(schema, direction, message, request) : checkResult(schema, message, request);
}

function checkResult(schema: RevisionSchema, message: Schema, request?: AnsweredRequest): string[] {
  const envelope = schema.definition(schema.has('JSONRPCResultResponse') ? 'JSONRPCResultResponse' : 'JSONRPCResponse');
  const { result, ...outside } = message;
  const problems = [...schema.errors(envelope, message, ''), ...undeclared(schema, outside, [envelope], '')];
  const node = resultNode(schema, result, request);
  if (node !== undefined && request !== undefined) {
    problems.push(...schema.errors(node, result, '/result'));
    // The payload of a task is the result of the request that created the task.
    if (request.method !== 'tasks/result') {
      problems.push(...undeclared(schema, result, [node], '/result'));
    }
    problems.push(...resultProblems(schema, request.method, message['id'], result));
  }
  return [...new Set(problems)];
}

/** The results of 2026-07-28 that are not the one of their method, by their `resultType`. */
const SPECIAL_RESULTS: ReadonlyMap<string, string> = new Map([
  ['input_required', 'InputRequiredResult'],
  ['task', 'CreateTaskResult'],
]);

function resultNode(schema: RevisionSchema, result: unknown, request?: AnsweredRequest): Schema | undefined {
  if (request === undefined || !isObject(result)) return undefined;
  // 2025-11-25 basic/utilities/tasks: the receiver of an augmented request answers with a task, or ignores the augmentation.
  const augmented = isObject(request.params) && isObject(request.params['task']) && schema.has('CreateTaskResult');
  if (augmented && Object.hasOwn(result, 'task')) return schema.definition('CreateTaskResult');
  const node = schema.results.get(request.method);
  if (!schema.modern || node === undefined) return node;
  // 2026-07-28 basic/index#resulttype: the discriminator says which alternative it is.
  const special = [...SPECIAL_RESULTS].map(([type, name]) => ({ type, definition: schema.definition(name) }));
  const alternatives = (Array.isArray(node['anyOf']) ? (node['anyOf'] as Schema[]) : [node]).map(schema.resolve);
  const known = special.filter(({ definition }) => alternatives.includes(definition));
  if (known.length === 0) return node;
  const named = known.find(({ type }) => type === result['resultType'])?.definition;
  return named ?? alternatives.find((one) => known.every(({ definition }) => definition !== one)) ?? node;
}

function checkError(
  schema: RevisionSchema,
  direction: Direction,
  message: Schema,
  request?: AnsweredRequest,
): string[] {
  const code = isObject(message['error']) ? message['error']['code'] : undefined;
  // A server without the handshake rejects `initialize` with the error of its own revision (basic/versioning).
  if (code === -32022 && request?.method === 'initialize' && !schema.modern) {
    return checkMessage('2026-07-28', direction, message, request);
  }
  const general = schema.definition(schema.has('JSONRPCErrorResponse') ? 'JSONRPCErrorResponse' : 'JSONRPCError');
  const special = typeof code === 'number' ? schema.errorResponses.get(code) : undefined;
  const nodes = special === undefined ? [general] : [general, special];
  // Revisions before 2025-11-25 require the id even if it could not be read; then no valid response is possible.
  const unreadable = !Object.hasOwn(message, 'id') && (code === -32700 || code === -32600);
  const judged = unreadable ? { ...message, id: 0 } : message;
  const problems = nodes.flatMap((node) => schema.errors(node, judged, ''));
  problems.push(...undeclared(schema, message, [special ?? general], ''));
  if (!Object.hasOwn(message, 'id') && !unreadable)
    problems.push('an error without id is for a request that could not be read');
  if (typeof code === 'number') problems.push(...errorCodeProblems(schema, code, request?.method));
  return [...new Set(problems)];
}
