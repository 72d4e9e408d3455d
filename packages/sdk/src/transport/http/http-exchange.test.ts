import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpExchange, readBody } from './http-exchange.ts';
import { isJsonType, readAccept } from './media-types.ts';
import type { HttpReply, HttpRequest } from './http-message.ts';

test('the `accept` header says which kinds of response a client accepts', () => {
  const cases: readonly (readonly [accept: string | null | undefined, json: boolean, stream: boolean])[] = [
    ['application/json, text/event-stream', true, true],
    ['text/event-stream, application/json', true, true],
    ['text/event-stream,application/json', true, true],
    ['APPLICATION/JSON;q=0.5 , Text/Event-Stream; charset=utf-8', true, true],
    ['application/json', true, false],
    ['text/event-stream', false, true],
    ['*/*', true, true],
    ['application/*', true, false],
    ['text/*;q=0.1, application/xml', false, true],
    ['text/html', false, false],
    ['', false, false],
    [undefined, true, true],
    [null, true, true],
    ['application/json;q=0, */*', false, true],
    ['*/*;q=0, application/json', true, false],
    ['application/json; q=0.0, text/event-stream;q=0.001', false, true],
    ['application/jsonp, xtext/event-stream', false, false],
  ];
  for (const [accept, json, stream] of cases) assert.deepEqual(readAccept(accept), { json, stream }, String(accept));
});

test('only JSON is JSON, whatever its parameters', () => {
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;x',
    ' application/json ',
  ])
    assert.equal(isJsonType(type), true, type);
  for (const type of [
    undefined,
    null,
    '',
    'text/plain',
    'application/json+x',
    'application/x-json',
    'application/json, application/json',
    'text/plain;application/json',
  ])
    assert.equal(isJsonType(type), false, String(type));
});

const LIMITS = { depth: 8, elements: 50 };
function exchangeWith(headers: Readonly<Record<string, string | null>>): HttpExchange {
  return new HttpExchange({ header: (name) => headers[name] } as HttpRequest, {} as HttpReply);
}

test('the body is JSON, or the problem with it', () => {
  const reason = (text: string) => {
    const body = readBody(text, { depth: 2, elements: 3 });
    return body.kind === 'not JSON' ? body.error.reason : body.kind;
  };
  assert.deepEqual(['{', '[[[]]]', '[1,2,3,4]', '{"a":1}'].map(reason), ['syntax', 'depth', 'elements', 'invalid']);
  assert.equal(readBody({ unreadable: 'too large' }, LIMITS).kind, 'oversize');
  assert.equal(readBody({ unreadable: 'not UTF-8' }, LIMITS).kind, 'not JSON');
  assert.equal(readBody('[1]', LIMITS).kind, 'batch');
  assert.equal(readBody('{"jsonrpc":"2.0","id":1,"method":"ping"}', LIMITS).kind, 'request');
});

test('the version header is read without the whitespace around it', () => {
  const versionOf = (value: string | null | undefined) =>
    exchangeWith(value === undefined ? {} : { 'mcp-protocol-version': value }).version;
  assert.equal(versionOf(' 2026-07-28\t'), '2026-07-28');
  assert.equal(versionOf(''), '');
  assert.equal(versionOf(null), undefined);
  assert.equal(versionOf(undefined), undefined);
});

test('an error repeats only the id of a request', () => {
  const cases: readonly (readonly [text: string, id: unknown])[] = [
    ['{"jsonrpc":"2.0","id":1,"method":"ping"}', 1],
    ['{"jsonrpc":"2.0","id":"1","method":"ping"}', '1'],
    ['{"jsonrpc":"2.0","id":"","method":5}', ''],
    ['{"jsonrpc":"1.0","id":2,"method":"ping"}', 2],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', undefined],
    ['{"jsonrpc":"1.0","id":1.5,"method":"ping"}', undefined],
    ['{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', undefined],
    ['{"jsonrpc":"2.0","id":9007199254740991,"method":"ping"}', 9007199254740991],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', undefined],
    ['{"jsonrpc":"2.0","method":"notifications/x"}', undefined],
    ['{"jsonrpc":"2.0","id":1,"result":{}}', undefined],
    ['{"jsonrpc":"2.0","id":1,"result":5}', undefined],
    ['{"id":1}', 1],
    ['{"jsonrpc":"2.0","id":1,"error":5}', undefined],
    ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', undefined],
    ['{', undefined],
    ['5', undefined],
  ];
  for (const [text, id] of cases) {
    const http = exchangeWith({});
    http.body = readBody(text, LIMITS);
    assert.equal(http.id, id, text);
  }
});
