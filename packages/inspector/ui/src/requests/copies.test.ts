import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asTenon, isRequest, paramsOf } from './copies.ts';
import { line, server } from './fixtures/in-shell.ts';
import { quoted } from './shell.ts';

const CALL = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add it","arguments":{"a":9007199254740993,"b":"it's"},"_meta":{"x":1}}}`;

test('a word is quoted if a shell would interpret it', () => {
  assert.equal(quoted('plain-word.js'), 'plain-word.js');
  assert.equal(quoted(`it's $HOME`), `'it'\\''s $HOME'`);
  assert.equal(quoted(''), `''`);
});

test('a call is copied as a command with every number unchanged', () => {
  assert.equal(
    asTenon(line(CALL), server({})),
    `tenon call 'add it' --args '{"a":9007199254740993,"b":"it'\\''s"}' -- node server.js`,
  );
  assert.equal(
    asTenon(line('{"jsonrpc":"2.0","id":1,"method":"ping"}'), server({ transport: 'http', target: 'http://x/mcp' })),
    `tenon raw ping '{}' http://x/mcp`,
  );
});

test('members that the protocol adds to a request are not parameters', () => {
  assert.equal(paramsOf(CALL), `{"name":"add it","arguments":{"a":9007199254740993,"b":"it's"}}`);
});

test('answers, notifications and messages of servers cannot be sent again', () => {
  assert.equal(isRequest(line(CALL)), true);
  assert.equal(isRequest(line(CALL, { from: 'server' })), false);
  assert.equal(isRequest(line('{"jsonrpc":"2.0","id":1,"result":{}}')), false);
  assert.equal(isRequest(line('{"jsonrpc":"2.0","method":"notifications/initialized"}')), false);
  assert.equal(isRequest(line('no json')), false);
});
