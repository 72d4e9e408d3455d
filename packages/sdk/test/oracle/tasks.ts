// The definitions of the extension `io.modelcontextprotocol/tasks` of 2026-07-28: its page has no JSON Schema of a released revision, so
// they are written here according to its tables ("Tasks", in the repository ext-tasks).

import { isObject, type Schema } from './bundle.ts';

const TASK = {
  taskId: { type: 'string', minLength: 1 },
  statusMessage: { type: 'string' },
  createdAt: { type: 'string' },
  lastUpdatedAt: { type: 'string' },
  ttlMs: { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] },
  pollIntervalMs: { type: 'integer', minimum: 1 },
};
const REQUIRED = ['taskId', 'status', 'createdAt', 'lastUpdatedAt', 'ttlMs'];
const STATUSES = ['working', 'input_required', 'completed', 'failed', 'cancelled'];

/** The members that each status adds to a task. */
const DETAILS: Readonly<Record<string, Schema>> = {
  working: {},
  input_required: { inputRequests: ref('InputRequests') },
  completed: { result: ref('TaskResult') },
  failed: { error: ref('Error') },
  cancelled: {},
};

function ref(name: string): Schema {
  return { $ref: `#/$defs/${name}` };
}

/** A task with the members of its status, and with further members. */
function detailedTask(more: Schema, required: readonly string[]): Schema {
  return {
    anyOf: Object.entries(DETAILS).map(([status, details]) => ({
      type: 'object',
      properties: { ...TASK, ...more, ...details, status: { const: status, type: 'string' } },
      required: [...REQUIRED, ...required, ...Object.keys(details)],
    })),
  };
}

function request(method: string, params: Schema): Schema {
  return {
    type: 'object',
    properties: {
      id: ref('RequestId'),
      jsonrpc: { const: '2.0', type: 'string' },
      method: { const: method, type: 'string' },
      params: {
        type: 'object',
        properties: { _meta: ref('RequestMetaObject'), taskId: { type: 'string' }, ...params },
        required: ['_meta', 'taskId', ...Object.keys(params)],
      },
    },
    required: ['id', 'jsonrpc', 'method', 'params'],
  };
}

const META = { _meta: ref('ResultMetaObject') };
const COMPLETE = { resultType: { const: 'complete', type: 'string' }, ...META };

const DEFINITIONS: Schema = {
  GetTaskRequest: request('tasks/get', {}),
  GetTaskResult: detailedTask(COMPLETE, ['resultType']),
  UpdateTaskRequest: request('tasks/update', { inputResponses: ref('InputResponses') }),
  UpdateTaskResult: { type: 'object', properties: COMPLETE, required: ['resultType'] },
  CancelTaskRequest: request('tasks/cancel', {}),
  CancelTaskResult: { type: 'object', properties: COMPLETE, required: ['resultType'] },
  CreateTaskResult: {
    type: 'object',
    properties: {
      ...TASK,
      ...META,
      status: { type: 'string', enum: STATUSES },
      resultType: { const: 'task', type: 'string' },
    },
    required: [...REQUIRED, 'resultType'],
  },
  TaskStatusNotification: {
    type: 'object',
    properties: {
      jsonrpc: { const: '2.0', type: 'string' },
      method: { const: 'notifications/tasks', type: 'string' },
      params: detailedTask({ _meta: ref('NotificationMetaObject') }, ['_meta']),
    },
    required: ['jsonrpc', 'method', 'params'],
  },
};

function branchesOf(node: unknown): Schema[] {
  const branches = isObject(node) ? node['anyOf'] : undefined;
  if (!Array.isArray(branches)) throw new Error('the official schema has changed: tasks find no union to join');
  return branches as Schema[];
}

function propertiesOf(node: unknown): Schema {
  return (node as Schema)['properties'] as Schema;
}

/** Adds the extension to the definitions of 2026-07-28. */
export function addTasks(definitions: Schema): void {
  Object.assign(definitions, structuredClone(DEFINITIONS));
  // The result is inside the task, which has a `resultType` itself.
  definitions['TaskResult'] = { ...(definitions['CallToolResult'] as Schema), required: ['content'] };
  for (const name of ['GetTaskRequest', 'UpdateTaskRequest', 'CancelTaskRequest'])
    branchesOf(definitions['ClientRequest']).push(ref(name));
  branchesOf(definitions['ServerNotification']).push(ref('TaskStatusNotification'));
  branchesOf(propertiesOf(definitions['CallToolResultResponse'])['result']).push(ref('CreateTaskResult'));
  propertiesOf(definitions['SubscriptionFilter'])['taskIds'] = { type: 'array', items: { type: 'string' } };
}
