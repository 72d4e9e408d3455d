import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerView } from '../../../src/api/views.ts';
import type { TraceLine } from '../../../src/trace/line.ts';
import { asCurl, asTenon, isRequest, paramsOf, quoted } from './copies.ts';

const line = (text: string, more: Partial<TraceLine> = {}): TraceLine => ({
  n: 1,
  at: 0,
  session: 's',
  kind: 'message',
  from: 'client',
  text,
  ...more,
});
const server = (more: Partial<ServerView>): ServerView => ({
  id: 's',
  name: 's',
  transport: 'stdio',
  target: 'node server.js',
  status: 'ready',
  doctor: [],
  lists: [],
  generation: 1,
  watched: [],
  ...more,
});
const CALL = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add it","arguments":{"a":9007199254740993,"b":"it's"},"_meta":{"x":1}}}`;

test('a word is quoted where a shell would read it as something else', () => {
  assert.equal(quoted('plain-word.js'), 'plain-word.js');
  assert.equal(quoted(`it's $HOME`), `'it'\\''s $HOME'`);
  assert.equal(quoted(''), `''`);
});

test('a call is copied as a command with every number as it was', () => {
  assert.equal(
    asTenon(line(CALL), server({})),
    `tenon call 'add it' --args '{"a":9007199254740993,"b":"it'\\''s"}' -- node server.js`,
  );
  assert.equal(
    asTenon(line('{"jsonrpc":"2.0","id":1,"method":"ping"}'), server({ transport: 'http', target: 'http://x/mcp' })),
    `tenon raw ping '{}' http://x/mcp`,
  );
});

test('only requests over HTTP are copied for curl', () => {
  assert.equal(asCurl(line(CALL), server({})), undefined);
  const curl = asCurl(
    line(CALL),
    server({ transport: 'http', target: 'http://x/mcp', era: 'modern', revision: '2026-07-28' }),
  );
  assert.match(curl!, /^curl http:\/\/x\/mcp \\\n {2}-H 'content-type: application\/json'/);
  assert.match(curl!, /-H 'mcp-method: tools\/call'/);
  assert.match(curl!, /-H 'mcp-name: add it'/);
});

test('what the protocol adds to a request is not among its parameters', () => {
  assert.equal(paramsOf(CALL), `{"name":"add it","arguments":{"a":9007199254740993,"b":"it's"}}`);
});

test('answers, notifications and what a server sends cannot be sent again', () => {
  assert.equal(isRequest(line(CALL)), true);
  assert.equal(isRequest(line(CALL, { from: 'server' })), false);
  assert.equal(isRequest(line('{"jsonrpc":"2.0","id":1,"result":{}}')), false);
  assert.equal(isRequest(line('{"jsonrpc":"2.0","method":"notifications/initialized"}')), false);
  assert.equal(isRequest(line('no json')), false);
});
