import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turns } from '../../../../../../../scripts/lib/until.ts';
import { AppError, type AppHostOptions, type AppNote, createAppHost, type Message } from './app-host.ts';

function hosted(options: Partial<AppHostOptions> = {}) {
  const posted: Message[] = [];
  const notes: AppNote[] = [];
  const heights: number[] = [];
  const asked: [string, unknown][] = [];
  const host = createAppHost({
    tool: { name: 'now' },
    input: { zone: 'UTC' },
    result: { content: [] },
    context: { theme: 'dark' },
    mayCall: (name) => name === 'tick',
    async ask(method, params) {
      asked.push([method, params]);
      return { asked: method };
    },
    post: (message) => posted.push(message),
    onNote: (note) => notes.push(note),
    onHeight: (height) => heights.push(height),
    onReady() {},
    ...options,
  });
  const request = async (method: string, params: object = {}): Promise<Message> => {
    host.take({ jsonrpc: '2.0', id: method, method, params });
    await turns(5);
    return posted.findLast(({ id }) => id === method)!;
  };
  const tell = (method: string, params: object = {}): void => host.take({ jsonrpc: '2.0', method, params });
  return { host, posted, notes, heights, asked, request, tell };
}

test('before a page is initialized it gets only the answer to its first request; then the input, once, and the result', async () => {
  const { posted, request, tell } = hosted();
  const { result } = await request('ui/initialize', { protocolVersion: '2026-01-26' });
  assert.deepEqual(result, {
    protocolVersion: '2026-01-26',
    hostInfo: { name: 'tenon-inspector', version: '0.1.0' },
    hostCapabilities: { openLinks: {}, serverTools: {}, serverResources: {}, logging: {} },
    hostContext: { theme: 'dark', toolInfo: { tool: { name: 'now' } } },
  });
  assert.equal(posted.length, 1);
  tell('ui/notifications/initialized');
  tell('ui/notifications/initialized');
  assert.deepEqual(
    posted.slice(1).map(({ method, params }) => [method, params]),
    [
      ['ui/notifications/tool-input', { arguments: { zone: 'UTC' } }],
      ['ui/notifications/tool-result', { content: [] }],
    ],
  );
});

test('a page can only call tools that are visible to apps', async () => {
  const { request, asked, notes } = hosted();
  assert.deepEqual((await request('tools/call', { name: 'tick', arguments: { a: 1 }, _meta: {} }))['result'], {
    asked: 'tools/call',
  });
  assert.deepEqual(asked, [['tools/call', { name: 'tick', arguments: { a: 1 } }]]);
  assert.equal(((await request('tools/call', { name: 'delete' }))['error'] as { code: number }).code, -32_000);
  assert.equal(((await request('tools/call', {}))['error'] as { code: number }).code, -32_602);
  assert.equal(asked.length, 1);
  assert.deepEqual(
    notes.map(({ what }) => what),
    ['call', 'refused'],
  );
});

test('a page can read resources of its server, and use nothing else of it', async () => {
  const { request, asked } = hosted();
  await request('resources/read', { uri: 'ui://x' });
  for (const method of ['sampling/createMessage', 'tasks/get', 'initialize', 'ui/unknown', '__proto__'])
    assert.equal(((await request(method))['error'] as { code: number }).code, -32_601, method);
  assert.deepEqual(asked, [['resources/read', { uri: 'ui://x' }]]);
});

test('the errors of a server reach the page', async () => {
  const { request } = hosted({ ask: () => Promise.reject(new AppError(-32_602, 'No such resource')) });
  assert.deepEqual((await request('resources/read', {}))['error'], { code: -32_602, message: 'No such resource' });
});

test('messages, context and links of a page are noted, and nothing is opened', async () => {
  const { request, tell, notes } = hosted();
  await request('ui/message', { role: 'user', content: [{ type: 'text', text: 'hello' }] });
  await request('ui/update-model-context', { structuredContent: { at: 1 } });
  await request('ui/open-link', { url: 'javascript:alert(1)' });
  tell('notifications/message', { level: 'info', data: 'logged' });
  assert.deepEqual(notes, [
    { what: 'message', text: '[{"type":"text","text":"hello"}]' },
    { what: 'context', text: '{"at":1}' },
    { what: 'link', text: 'javascript:alert(1)' },
    { what: 'log', text: 'logged' },
  ]);
});

test('the height of a page is limited, and it stays inline', async () => {
  const { request, tell, heights } = hosted();
  for (const height of [120.4, 1e9, -1, '5', undefined]) tell('ui/notifications/size-changed', { height });
  assert.deepEqual(heights, [121, 4_000]);
  assert.deepEqual((await request('ui/request-display-mode', { mode: 'fullscreen' }))['result'], { mode: 'inline' });
});

test('a page is notified before it is removed, and may finish', async () => {
  const { host, posted, tell } = hosted();
  await host.end();
  assert.deepEqual(posted, []);
  tell('ui/notifications/initialized');
  let over = false;
  const ended = host.end().then(() => (over = true));
  await turns(5);
  assert.equal(posted.at(-1)!['method'], 'ui/resource-teardown');
  assert.equal(over, false);
  host.take({ jsonrpc: '2.0', id: 'end', result: {} });
  await ended;
});

test('the number of running requests is limited', async () => {
  const { request } = hosted({ ask: () => new Promise(() => {}) });
  for (let at = 0; at < 20; at++) void request('resources/list');
  assert.equal(((await request('ping'))['error'] as { code: number }).code, -32_000);
});

test('a page is notified of a changed theme or size, of the changes only, and only once it is initialized', async () => {
  const { host, posted, request, tell } = hosted({ context: { theme: 'dark', locale: 'en' } });
  const told = () => posted.filter(({ method }) => method === 'ui/notifications/host-context-changed');
  host.tell({ theme: 'light' });
  const { result } = await request('ui/initialize');
  assert.equal((result as { hostContext: { theme: string } }).hostContext.theme, 'light');
  host.tell({ theme: 'dark', locale: 'en' });
  assert.deepEqual(told(), []);
  tell('ui/notifications/initialized');
  assert.deepEqual(
    posted.slice(1).map(({ method }) => method),
    ['ui/notifications/tool-input', 'ui/notifications/tool-result', 'ui/notifications/host-context-changed'],
  );
  host.tell({ theme: 'dark', locale: 'en' });
  host.tell({ containerDimensions: { width: 375, maxHeight: 4_000 } });
  assert.deepEqual(
    told().map(({ params }) => params),
    [{ theme: 'dark' }, { containerDimensions: { width: 375, maxHeight: 4_000 } }],
  );
});

test('messages of a page without content, or with values that JSON cannot express, are handled without an error', async () => {
  const { request, tell, notes } = hosted();
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  for (const data of [undefined, 7n, circular, { deep: 7n }]) tell('notifications/message', { data });
  for (const params of [{}, { content: 7n }]) assert.deepEqual((await request('ui/message', params))['result'], {});
  assert.deepEqual((await request('ui/update-model-context', {}))['result'], {});
  assert.equal(notes.length, 7);
});
