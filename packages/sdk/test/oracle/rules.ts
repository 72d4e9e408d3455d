// Wire rules that the JSON Schemas leave to prose. Each cites its page; unknown fields are covered by the closed walk.

import { isObject } from './bundle.ts';
import { schemaOf, type Direction, type RevisionSchema } from './schemas.ts';

function metaKey(name: string): string {
  return `io.modelcontextprotocol/${name}`;
}

/** The `_meta` of params or of a result; empty when there is none. */
export function metaOf(holder: unknown): Readonly<Record<string, unknown>> {
  const meta = isObject(holder) ? holder['_meta'] : undefined;
  return isObject(meta) ? meta : {};
}

/** The revision a request claims, if any. */
export function claimOf(params: unknown): string | undefined {
  const claim = metaOf(params)[metaKey('protocolVersion')];
  return typeof claim === 'string' ? claim : undefined;
}

/** The subscription that a notification or the last result of a subscription names. */
export function subscriptionOf(holder: unknown): unknown {
  return metaOf(holder)[metaKey('subscriptionId')];
}

export function requestProblems(schema: RevisionSchema, method: string, params: unknown): string[] {
  const problems: string[] = [];
  const claim = claimOf(params);
  if (schema.modern && claim !== undefined && claim !== schema.revision) {
    problems.push(`${method} claims ${claim}, which is not ${schema.revision}`);
  }
  if (method === 'initialize' && isObject(params)) problems.push(...laterSettings(schema, params['capabilities']));
  return problems;
}

/**
 * Client capabilities that are open objects in this revision and have named settings in a later one: `sampling.tools`, `elicitation.url`.
 * The walk can't see those, because the object is explicitly open.
 */
function laterSettings(schema: RevisionSchema, capabilities: unknown): string[] {
  const later = settingsOf(schemaOf('2026-07-28'));
  const own = settingsOf(schema);
  return Object.entries(isObject(capabilities) ? capabilities : {}).flatMap(([name, settings]) =>
    Object.keys(isObject(settings) ? settings : {})
      .filter((setting) => later.get(name)?.includes(setting) === true && own.get(name)?.includes(setting) !== true)
      .map((setting) => `/params/capabilities/${name}/${setting} is not known to ${schema.revision}`),
  );
}

/** The named settings of each client capability. */
function settingsOf(schema: RevisionSchema): Map<string, string[]> {
  const { properties } = schema.definition('ClientCapabilities');
  return new Map(
    Object.entries(isObject(properties) ? properties : {}).map(([name, node]) => {
      const settings = isObject(node) ? node['properties'] : undefined;
      return [name, Object.keys(isObject(settings) ? settings : {})];
    }),
  );
}

/** Notifications that are only sent on a subscription (2026-07-28 basic/patterns/subscriptions). */
const subscribed = new Set([
  'notifications/subscriptions/acknowledged',
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'notifications/tasks',
]);

export function notificationProblems(
  schema: RevisionSchema,
  direction: Direction,
  method: string,
  params: unknown,
): string[] {
  const problems: string[] = [];
  if (schema.modern && subscribed.has(method) && subscriptionOf(params) === undefined) {
    problems.push(`${method} names no subscription in _meta`);
  }
  // 2025-11-25 makes the id optional for tasks, which are cancelled by tasks/cancel instead (basic/utilities/cancellation).
  if (method === 'notifications/cancelled' && !(isObject(params) && params['requestId'] !== undefined)) {
    problems.push(`${method} (${direction}) names no request`);
  }
  return problems;
}

export function resultProblems(schema: RevisionSchema, method: string, id: unknown, result: unknown): string[] {
  if (!isObject(result)) return [];
  const problems: string[] = [];
  // 2026-07-28 basic/patterns/subscriptions#graceful-closure
  if (method === 'subscriptions/listen' && subscriptionOf(result) !== id) {
    problems.push(`/result ends the subscription ${JSON.stringify(subscriptionOf(result))}, not ${JSON.stringify(id)}`);
  }
  if (schema.modern) {
    const type = result['resultType'];
    // 2026-07-28 basic/index#resulttype; a task is the result of a tool call only, other values belong to other extensions.
    const isTask = type === 'task' && method === 'tools/call';
    if (type !== undefined && type !== 'complete' && type !== 'input_required' && !isTask) {
      problems.push(`/result/resultType ${JSON.stringify(type)} is not a result type of ${schema.revision}`);
    }
    if (type === 'input_required') problems.push(...inputRequiredProblems(schema, method, result));
  }
  const completion = result['completion'];
  // server/utilities/completion: the same limit on every revision, in the schema only since 2026-07-28.
  if (method === 'completion/complete' && isObject(completion) && Array.isArray(completion['values'])) {
    if (completion['values'].length > 100) problems.push('/result/completion/values has more than 100 values');
  }
  return problems;
}

/** 2026-07-28 basic/patterns/mrtr */
function inputRequiredProblems(
  schema: RevisionSchema,
  method: string,
  result: Readonly<Record<string, unknown>>,
): string[] {
  const answer = schema.results.get(method);
  const alternatives = (Array.isArray(answer?.['anyOf']) ? answer['anyOf'] : []) as { [keyword: string]: unknown }[];
  const allowed = alternatives.some((node) => schema.resolve(node) === schema.definition('InputRequiredResult'));
  const problems = allowed ? [] : [`${method} can't be answered by input_required`];
  if (result['inputRequests'] === undefined && result['requestState'] === undefined) {
    problems.push('/result asks for input and has neither inputRequests nor requestState');
  }
  return problems;
}

const definedByJsonRpc = new Set([-32700, -32600, -32601, -32602, -32603]);
function between(code: number, low: number, high: number): boolean {
  return code >= low && code <= high;
}

/** JSON-RPC 2.0 section 5.1; 2026-07-28 basic/index#error-codes; server/resources#error-handling. */
export function errorCodeProblems(schema: RevisionSchema, code: number, method: string | undefined): string[] {
  const { revision, modern, errorResponses } = schema;
  if (between(code, -32768, -32100) && !definedByJsonRpc.has(code)) return [`code ${code} is reserved by JSON-RPC`];
  const defined = errorResponses.has(code);
  if (modern) {
    if (between(code, -32019, -32000)) return [`code ${code} is of the range ${revision} retired`];
    if (between(code, -32099, -32020) && !defined) return [`code ${code} is reserved and not defined in ${revision}`];
    return [];
  }
  if (code === -32042 && !defined) return [`code ${code} is not known to ${revision}`];
  if (between(code, -32022, -32020)) return [`code ${code} is not known to ${revision}`];
  if (code === -32002 && method !== undefined && !method.startsWith('resources/')) {
    return [`code ${code} says that a resource was not found and can't answer ${method}`];
  }
  return [];
}
