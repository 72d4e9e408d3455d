import assert from 'node:assert/strict';
import { test } from 'node:test';
import { argumentsText, argumentValues, frameOf, requestOf, taskRequest } from './request-of.ts';

test('arguments are sent as typed, without spaces between tokens', () => {
  const draft = requestOf({ kind: 'tools', id: 'a"b' }, '{\n  "n": 9007199254740993,\n  "x": 1.0\n}');
  assert.deepEqual(draft, {
    method: 'tools/call',
    params: '{"name":"a\\"b","arguments":{"n":9007199254740993,"x":1.0}}',
  });
  assert.equal(
    frameOf(draft!, 'x-1'),
    '{"jsonrpc":"2.0","id":"x-1","method":"tools/call","params":{"name":"a\\"b","arguments":{"n":9007199254740993,"x":1.0}}}',
  );
});

test('arguments that are not an object are sent, too; invalid JSON is not', () => {
  assert.equal(requestOf({ kind: 'tools', id: 'a' }, '[1]')?.params, '{"name":"a","arguments":[1]}');
  assert.equal(requestOf({ kind: 'tools', id: 'a' }, '{'), undefined);
});

test('a resource is read by its URI, a template by its expansion', () => {
  assert.deepEqual(requestOf({ kind: 'resources', id: 'file:///a' }, ''), {
    method: 'resources/read',
    params: '{"uri":"file:///a"}',
  });
  assert.equal(requestOf({ kind: 'templates', id: 'x:{a}' }, '{"a":"1"}', 'x:1')?.params, '{"uri":"x:1"}');
});

test('the values of a form survive as text, with any names', () => {
  const values = new Map([
    ['a', '1'],
    ['__proto__', 'x'],
  ]);
  assert.deepEqual(argumentValues(argumentsText(values)), values);
  assert.deepEqual(argumentValues('{"a":1,"b":"x"}'), new Map([['b', 'x']]));
  assert.deepEqual(argumentValues('x'), new Map());
});

test('task requests have the id of the task, and a tool is called as a task only on request', () => {
  assert.deepEqual(requestOf({ kind: 'tasks', id: 'a"b' }, 'x'), { method: 'tasks/get', params: '{"taskId":"a\\"b"}' });
  assert.deepEqual(taskRequest('tasks/result', 't'), { method: 'tasks/result', params: '{"taskId":"t"}' });
  const tool = { kind: 'tools', id: 'a' } as const;
  assert.equal(requestOf(tool, '{}', 'a', true)?.params, '{"name":"a","arguments":{},"task":{}}');
  assert.equal(requestOf(tool, '{}')?.params, '{"name":"a","arguments":{}}');
});
