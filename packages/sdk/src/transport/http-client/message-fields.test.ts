import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Request } from '../../protocol/jsonrpc.ts';
import { MessageFields } from './message-fields.ts';

function call(name: string, args: Record<string, unknown> = {}): Request {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
}

test('messages with equal fields share one object, and no other message gets it', () => {
  const fields = new MessageFields();
  const echo = fields.forPost(call('echo'), '2026-07-28');
  assert.equal(fields.forPost(call('echo', { text: 'x' }), '2026-07-28'), echo);
  assert.equal(echo['mcp-name'], 'echo');
  assert.equal(fields.forPost(call('other'), '2026-07-28')['mcp-name'], 'other');
  const get: Request = { jsonrpc: '2.0', id: 1, method: 'prompts/get', params: { name: 'echo' } };
  assert.equal(fields.forPost(get, '2026-07-28')['mcp-method'], 'prompts/get');
  const notice = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'echo' } } as const;
  assert.equal(fields.forPost(notice, '2026-07-28')['mcp-method'], undefined);
});

test('requests about a task repeat its id', () => {
  const fields = new MessageFields();
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
    for (const taskId of ['a', 'b']) {
      const request: Request = { jsonrpc: '2.0', id: 1, method, params: { taskId } };
      assert.equal(fields.forPost(request, '2026-07-28')['mcp-name'], taskId, method);
    }
});

test('mirrored arguments belong to one call only', () => {
  const fields = new MessageFields();
  const region = { type: 'string', 'x-mcp-header': 'Region' };
  fields.learn({ name: 'echo', inputSchema: { type: 'object', properties: { region } } });
  assert.equal(fields.forPost(call('echo', { region: 'north' }), '2026-07-28')['mcp-param-region'], 'north');
  assert.equal(fields.forPost(call('echo', { region: 'south' }), '2026-07-28')['mcp-param-region'], 'south');
  assert.equal(fields.forPost(call('echo'), '2026-07-28')['mcp-param-region'], undefined);
});

test('a changed session or revision appears in the fields of the next message', () => {
  const fields = new MessageFields();
  const of = (name: string): string | undefined => fields.forPost(call('echo'), undefined)[name];
  assert.equal(of('mcp-session-id'), undefined);
  for (const session of ['first', 'second', undefined]) {
    fields.session = session;
    assert.equal(of('mcp-session-id'), session);
  }
  for (const revision of ['2025-11-25', '2025-06-18'] as const) {
    fields.revision = revision;
    assert.equal(of('mcp-protocol-version'), revision);
  }
});
