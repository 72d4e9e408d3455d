import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wholeText } from '../protocol/message-text.ts';
import { JsonError } from './json.ts';
import { isExpendable } from './expendable.ts';
import { requestText } from './request-text.ts';
import { errorText, notificationText, responseText } from './text.ts';

const IDS = [0, -1, 1.5, 'a', '', '1', 'quote " and \n break', '__proto__'] as const;

test('[BASE-8] a response has the id of its request, including its type, and an encoded result', () => {
  for (const id of IDS)
    assert.deepEqual(JSON.parse(wholeText(responseText(id, '{"a":[1]}'))), { jsonrpc: '2.0', id, result: { a: [1] } });
});

test('[BASE-9] an error response has the id of its request, or none if it could not be read', () => {
  const error = { code: -32_700, message: 'Invalid JSON' };
  for (const id of IDS) assert.deepEqual(JSON.parse(errorText(id, error)), { jsonrpc: '2.0', id, error });
  assert.deepEqual(JSON.parse(errorText(undefined, error)), { jsonrpc: '2.0', error });
});

test('[BASE-4] a request has an id, and params if there are any', () => {
  assert.deepEqual(JSON.parse(requestText(1, 'ping')), { jsonrpc: '2.0', id: 1, method: 'ping' });
  assert.deepEqual(JSON.parse(requestText('a', 'm', { b: 1 })), {
    jsonrpc: '2.0',
    id: 'a',
    method: 'm',
    params: { b: 1 },
  });
});

test('[BASE-14] a notification has no id', () => {
  assert.deepEqual(JSON.parse(notificationText('m', { b: 1 })), { jsonrpc: '2.0', method: 'm', params: { b: 1 } });
  assert.deepEqual(JSON.parse(notificationText('m')), { jsonrpc: '2.0', method: 'm' });
});

test('[STDIO-2] no text has a raw line break', () => {
  const params = { 'a\n': 'b\r\n\u2028' };
  const texts = [
    requestText('\n', 'm\n', params),
    notificationText('m\n', params),
    errorText('\r', { code: 1, message: '\n', data: params }),
  ];
  for (const text of texts) assert.ok(!/[\n\r]/.test(text), text);
});

test('a value that JSON cannot represent is an error with a reason', () => {
  assert.throws(() => requestText(1, 'm', { big: 1n }), JsonError);
});

test('only log messages and progress may be dropped', () => {
  for (const method of ['notifications/message', 'notifications/progress'])
    assert.equal(isExpendable(notificationText(method, { data: 1 })), true, method);
  const said = JSON.stringify(notificationText('notifications/message'));
  for (const text of [
    notificationText('notifications/messages'),
    notificationText('notifications/tools/list_changed'),
    notificationText('notifications/cancelled', { requestId: 1 }),
    requestText(1, 'elicitation/create', { message: 'notifications/message' }),
    wholeText(responseText(1, said)),
    errorText(1, { code: 1, message: said }),
  ])
    assert.equal(isExpendable(text), false, text);
});
