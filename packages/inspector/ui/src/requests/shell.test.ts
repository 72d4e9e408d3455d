import assert from 'node:assert/strict';
import { test } from 'node:test';
import { line, server, startedBy } from './fixtures/in-shell.ts';
import { asTenon } from './copies.ts';
import { asCurl, whyNoCurl } from './curl.ts';
import { commandOf } from './shell.ts';

function call(params: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
}
const NASTY = [
  `it's $HOME; touch a`,
  '`touch b`',
  '$(touch c)',
  'two\nlines',
  '"',
  '\\',
  '',
  '*',
  '~',
  '&& touch d',
  '-x',
  '#',
];
const http = {
  transport: 'http',
  target: 'http://x/mcp',
  launch: { words: ['http://x/mcp'], env: [], headers: [] },
} as const;

test('words of a copied command stay words', () => {
  const words = ['my node', '--title=a b', ...NASTY];
  assert.deepEqual(startedBy(commandOf(['tenon', ...words])), [['tenon', ...words]]);
  const args = { message: NASTY.join(' ') };
  const copied = asTenon(
    line(call({ name: 'add it', arguments: args })),
    server({
      target: words.join(' '),
      launch: { words, env: ["MODE=x 'y'", 'API_TOKEN'], cwd: '/a b', headers: [] },
      pinned: '2025-06-18',
    }),
  );
  const options = ['--revision', '2025-06-18', '--env', "MODE=x 'y'", '--env', 'API_TOKEN', '--cwd', '/a b'];
  assert.deepEqual(startedBy(copied), [
    ['tenon', 'call', 'add it', '--args', JSON.stringify(args), ...options, '--', ...words],
  ]);
});

test('a command from a trace is copied with the words it shows', () => {
  const copied = asTenon(line(call({ name: 'a' })), server({ target: 'node a.js; touch x $(touch y)' }));
  const words = ['node', 'a.js;', 'touch', 'x', '$(touch', 'y)'];
  assert.deepEqual(startedBy(copied), [['tenon', 'call', 'a', '--args', '{}', '--', ...words]]);
});

test('a copy has the query of the URL and the names of the headers', () => {
  const launch = { words: ['http://x/mcp?a[]=1&b=it%27s'], env: [], headers: ['X-Key'] };
  const at = server({ ...http, era: 'modern', launch });
  assert.deepEqual(startedBy(asTenon(line(call({ name: 'a' })), at)), [
    ['tenon', 'call', 'a', '--args', '{}', '--header', 'X-Key: [redacted]', launch.words[0]],
  ]);
  const [curl] = startedBy(asCurl(line(call({ name: 'a' })), at)!);
  assert.deepEqual(curl!.slice(0, 3), ['curl', '--globoff', launch.words[0]]);
  assert.ok(curl!.includes('X-Key: [redacted]'));
});

test('a copy keeps that a call runs as a task', () => {
  const params = { name: 'a', arguments: {}, task: {} };
  assert.deepEqual(startedBy(asTenon(line(call(params)), server(http))), [
    ['tenon', 'raw', 'tools/call', JSON.stringify(params), 'http://x/mcp'],
  ]);
  const [curl] = startedBy(asCurl(line(call(params)), server({ ...http, era: 'modern' }))!);
  assert.equal(curl!.at(-1), call(params));
});

test('the name of a tool cannot be an option of the copied command, or control the terminal', () => {
  for (const name of ['--bare', 'a\u0015touch x\n', 'a\u007f\u007f']) {
    const copied = asTenon(line(call({ name, arguments: {} })), server(http));
    assert.doesNotMatch(copied, /\p{Cc}/u);
    const [words] = startedBy(copied);
    assert.deepEqual(words!.slice(0, 3), ['tenon', 'raw', 'tools/call']);
    assert.deepEqual(JSON.parse(words![3]!), { name, arguments: {} });
  }
});

test('a request of 2026-07-28 is one curl command with mirrored headers', () => {
  const at = server({ ...http, era: 'modern', revision: '2026-07-28' });
  const text = call({ name: 'grüße', arguments: { q: NASTY.join(' ') } });
  const commands = startedBy(asCurl(line(text), at)!);
  const headers = ['content-type: application/json', 'accept: application/json, text/event-stream'];
  const mirrors = ['mcp-protocol-version: 2026-07-28', 'mcp-method: tools/call', 'mcp-name: =?base64?Z3LDvMOfZQ==?='];
  const words = [...headers, ...mirrors].flatMap((header) => ['-H', header]);
  assert.deepEqual(commands, [['curl', 'http://x/mcp', ...words, '-d', text]]);
});

test('for a server with sessions, the copy opens one first', () => {
  const at = server({ ...http, era: 'legacy', revision: '2025-06-18' });
  const text = call({ name: 'a', arguments: { q: NASTY.join(' ') } });
  const commands = startedBy(asCurl(line(text), at)!);
  const bodies = commands.map((words) => words.at(-1)!);
  const [first] = bodies.map((body) => JSON.parse(body) as { method: string; params: { protocolVersion: string } });
  assert.deepEqual([first!.method, first!.params.protocolVersion], ['initialize', '2025-06-18']);
  assert.deepEqual(bodies.slice(1), ['{"jsonrpc":"2.0","method":"notifications/initialized"}', text]);
  for (const words of commands.slice(1)) assert.ok(words.includes('mcp-session-id: abc'), words.join(' '));
  assert.ok(!commands[0]!.some((word) => word.startsWith('mcp-session-id')));
});

test('curl is offered only if it can get an answer', () => {
  const pair = server({ ...http, launch: { ...http.launch, pair: true } });
  assert.equal(asCurl(line(call({ name: 'a' })), pair), undefined);
  assert.match(whyNoCurl(pair)!, /another connection/);
  assert.deepEqual([asCurl(line(call({ name: 'a' })), server({})), whyNoCurl(server({}))], [undefined, undefined]);
  assert.equal(whyNoCurl(server(http)), undefined);
});
