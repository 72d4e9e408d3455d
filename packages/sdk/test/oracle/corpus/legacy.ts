// The revisions with a handshake.

import type { Revision } from '../schemas.ts';
import {
  meta,
  when,
  within,
  implementation,
  clientCapabilities,
  serverCapabilities,
  elicitation,
  elicited,
  sampling,
  sampled,
  roots,
  progress,
} from './pieces.ts';
import { newScript, toServer, toClient, type Json, type Script } from './script.ts';
import { features } from './features.ts';

/** The conversation of a revision with a handshake. */
export function legacy(revision: Revision): Script {
  const script = newScript(revision);
  const { ask, tell } = script;
  const welcome = {
    protocolVersion: revision,
    capabilities: serverCapabilities(revision),
    serverInfo: implementation(revision),
    instructions: 'Ask for a forecast',
    _meta: meta,
  };
  ask(
    toServer,
    'initialize',
    { protocolVersion: revision, capabilities: clientCapabilities(revision), clientInfo: implementation(revision) },
    welcome,
    () => {
      ask(toServer, 'ping', undefined, {});
    },
  );
  tell(toServer, 'notifications/initialized');
  features(
    script,
    (more = {}) => ({ ...more }),
    (more) => more,
  );

  ask(toServer, 'tools/call', { name: 'forecast', _meta: { progressToken: 'p' } }, { content: [] }, () => {
    tell(toClient, 'notifications/progress', { progressToken: 'p', ...progress(revision) });
    tell(toClient, 'notifications/message', { level: 'info', logger: 'app', data: { anything: null } });
  });
  ask(toServer, 'tools/call', { name: 'forecast' }, { content: [] }, (id) => {
    tell(toServer, 'notifications/cancelled', { requestId: id, reason: 'changed my mind' });
  });
  ask(toServer, 'logging/setLevel', { level: 'warning' }, {});
  ask(toServer, 'resources/subscribe', { uri: 'file:///a.txt' }, { _meta: meta });
  tell(toClient, 'notifications/resources/updated', { uri: 'file:///a.txt' });
  ask(toServer, 'resources/unsubscribe', { uri: 'file:///a.txt' }, {});
  ask(
    toServer,
    'resources/read',
    { uri: 'file:///none' },
    { error: { code: -32002, message: 'Resource not found', data: { uri: 'file:///none' } } },
  );
  for (const list of ['tools', 'prompts', 'resources']) tell(toClient, `notifications/${list}/list_changed`);
  tell(toServer, 'notifications/roots/list_changed', { _meta: meta });

  ask(toClient, 'ping', undefined, {});
  ask(toClient, 'roots/list', undefined, roots(revision));
  ask(
    toClient,
    'sampling/createMessage',
    { ...sampling(revision), _meta: { progressToken: 7 } },
    { ...sampled, _meta: meta },
    () => {
      tell(toServer, 'notifications/progress', { progressToken: 7, ...progress(revision) });
    },
  );
  ask(
    toClient,
    'sampling/createMessage',
    { messages: [], maxTokens: 1 },
    { error: { code: -1, message: 'The user said no' } },
  );
  if (within(revision, '2025-06-18')) {
    ask(toClient, 'elicitation/create', elicitation(revision), { ...elicited, _meta: meta });
    ask(
      toClient,
      'elicitation/create',
      { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } },
      { action: 'decline' },
    );
  }
  script.sent.push({ direction: toClient, message: { jsonrpc: '2.0', error: { code: -32700, message: 'Not JSON' } } });
  if (revision === '2025-03-26') batches(script);
  if (revision === '2025-11-25') only20251125(script);
  return script;
}

function batches({ sent }: Script): void {
  const call = (id: string): Json => ({ jsonrpc: '2.0', id, method: 'ping' });
  sent.push({
    direction: toServer,
    message: [call('b1'), call('b2'), { jsonrpc: '2.0', method: 'notifications/roots/list_changed' }],
  });
  sent.push({ direction: toClient, message: ['b2', 'b1'].map((id) => ({ jsonrpc: '2.0', id, result: {} })) });
}

function only20251125({ ask, tell }: Script): void {
  const question = { mode: 'url', message: 'Sign in', url: 'https://example.com/in', elicitationId: 'e1' };
  ask(toClient, 'elicitation/create', question, { action: 'accept' });
  tell(toClient, 'notifications/elicitation/complete', { elicitationId: 'e1' });
  ask(
    toServer,
    'tools/call',
    { name: 'signed' },
    { error: { code: -32042, message: 'Sign in first', data: { elicitations: [question] } } },
  );
  ask(toClient, 'elicitation/create', elicitation('2025-11-25'), {
    action: 'accept',
    content: { several: ['a', 'b'] },
  });
  ask(
    toClient,
    'sampling/createMessage',
    { messages: [], maxTokens: 1 },
    { ...sampled, content: [{ type: 'text', text: 'a' }] },
  );

  const task = {
    taskId: 't1',
    status: 'working',
    createdAt: when,
    lastUpdatedAt: when,
    ttl: 60_000,
    pollInterval: 500,
    statusMessage: 'on it',
  };
  const related = { 'io.modelcontextprotocol/related-task': { taskId: 't1' } };
  ask(
    toServer,
    'tools/call',
    { name: 'slow', task: { ttl: 60_000 }, _meta: { progressToken: 't' } },
    { task, _meta: { 'io.modelcontextprotocol/model-immediate-response': 'wait' } },
  );
  tell(toClient, 'notifications/progress', { progressToken: 't', ...progress('2025-11-25') });
  tell(toClient, 'notifications/tasks/status', { ...task, status: 'completed', ttl: null });
  ask(toServer, 'tasks/get', { taskId: 't1', _meta: meta }, task);
  ask(toServer, 'tasks/result', { taskId: 't1' }, { content: [], structuredContent: {}, _meta: related });
  ask(toServer, 'tasks/list', { cursor: 'c' }, { tasks: [task], nextCursor: 'd' });
  ask(toServer, 'tasks/cancel', { taskId: 't1' }, { ...task, status: 'cancelled' });
}
