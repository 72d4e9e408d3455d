// The revision with metadata on every request.

import type { Revision } from '../schemas.ts';
import {
  meta,
  implementation,
  serverCapabilities,
  requestMeta,
  elicitation,
  elicited,
  sampling,
  sampled,
  roots,
  progress,
} from './pieces.ts';
import { newScript, toServer, toClient, type Answer, type Json, type Script } from './script.ts';
import { features } from './features.ts';

/** The conversation of the revision with metadata on every request. */
export function modern(): Script {
  const revision: Revision = '2026-07-28';
  const script = newScript(revision);
  const { tell } = script;
  const served = { 'io.modelcontextprotocol/serverInfo': implementation(revision) };
  const complete = (more: Json = {}): Json => ({ resultType: 'complete', _meta: { ...meta, ...served }, ...more });
  const params = (more: Json = {}): Json => ({ _meta: requestMeta(), ...more });
  const ask = (method: string, more: Json, answer: Answer, during?: (id: number) => void): void =>
    script.ask(toServer, method, params(more), answer, during);

  ask(
    'server/discover',
    {},
    complete({
      supportedVersions: [revision],
      capabilities: serverCapabilities(revision),
      instructions: 'Ask',
      ttlMs: 1000,
      cacheScope: 'public',
    }),
  );
  features(script, complete, params);
  for (const structuredContent of [null, [1], 'text', 1.5])
    ask('tools/call', { name: 'any' }, complete({ content: [], structuredContent }));

  const traced = requestMeta({
    progressToken: 1,
    'io.modelcontextprotocol/logLevel': 'debug',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  });
  ask('tools/call', { name: 'forecast', _meta: traced }, complete({ content: [] }), (id) => {
    tell(toClient, 'notifications/progress', { progressToken: 1, ...progress(revision) });
    tell(toClient, 'notifications/message', { level: 'debug', logger: 'app', data: null });
    tell(toServer, 'notifications/cancelled', { requestId: id });
  });

  const inputRequests = {
    who: { method: 'elicitation/create', params: elicitation(revision) },
    where: { method: 'elicitation/create', params: { mode: 'url', message: 'Sign in', url: 'https://example.com/in' } },
    model: { method: 'sampling/createMessage', params: sampling(revision) },
    roots: { method: 'roots/list' },
  };
  const inputResponses = { who: elicited, where: { action: 'cancel' }, model: sampled, roots: roots(revision) };
  const wanting = (more: Json): Json => complete({ resultType: 'input_required', ...more });
  for (const [method, more] of [
    ['tools/call', { name: 'ask' }],
    ['prompts/get', { name: 'ask' }],
    ['resources/read', { uri: 'ask:a' }],
  ] as const) {
    ask(method, more, wanting({ inputRequests, requestState: `sealed ${method}` }));
    ask(method, { ...more, inputResponses, requestState: `sealed ${method}` }, wanting({ requestState: 'later' }));
    ask(method, { ...more, requestState: 'later' }, { error: { code: -32603, message: 'Internal error' } });
  }

  const times = { createdAt: '2026-07-28T10:00:00Z', lastUpdatedAt: '2026-07-28T10:00:01Z', ttlMs: 60_000 };
  const task = (status: string, more: Json = {}): Json => ({ taskId: 'task-1', status, ...times, ...more });
  const details = [
    task('working', { statusMessage: 'Half of it', pollIntervalMs: 500 }),
    task('input_required', { inputRequests }),
    task('completed', { ttlMs: null, result: { resultType: 'complete', content: [], isError: true } }),
    task('failed', { error: { code: -32603, message: 'Internal error' } }),
    task('cancelled'),
  ];
  ask('tools/call', { name: 'long' }, complete({ ...details[0], resultType: 'task' }));
  for (const detailed of details) ask('tasks/get', { taskId: 'task-1' }, complete(detailed));
  ask('tasks/update', { taskId: 'task-1', inputResponses }, complete());
  ask('tasks/cancel', { taskId: 'task-1' }, complete());

  const notifications = {
    taskIds: ['task-1'],
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: ['file:///a.txt'],
  };
  const tag = (id: number): Json => ({ 'io.modelcontextprotocol/subscriptionId': id });
  const ended = (id: number): Json => complete({ _meta: { ...served, ...tag(id) } });
  ask('subscriptions/listen', { notifications }, ended, (id) => {
    const tagged = { _meta: tag(id) };
    tell(toClient, 'notifications/subscriptions/acknowledged', { ...tagged, notifications });
    for (const list of ['tools', 'prompts', 'resources']) tell(toClient, `notifications/${list}/list_changed`, tagged);
    tell(toClient, 'notifications/resources/updated', { ...tagged, uri: 'file:///a.txt' });
    for (const detailed of details) tell(toClient, 'notifications/tasks', { ...tagged, ...detailed });
    tell(toClient, 'notifications/cancelled', { requestId: id });
  });
  const needed = { requiredCapabilities: { elicitation: { form: {} } } };
  ask('tools/call', { name: 'ask' }, { error: { code: -32021, message: 'Needs elicitation', data: needed } });
  ask(
    'tools/list',
    {},
    { error: { code: -32022, message: 'Unsupported', data: { supported: [revision], requested: '2099-01-01' } } },
  );
  ask('tools/list', {}, { error: { code: -32020, message: 'The header says otherwise' } });
  script.sent.push({
    direction: toClient,
    message: { jsonrpc: '2.0', error: { code: -32600, message: 'Not a request' } },
  });
  return script;
}
