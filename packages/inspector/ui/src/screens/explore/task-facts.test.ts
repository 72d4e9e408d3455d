import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createdTask, taskFacts, taskSupportOf } from './task-facts.ts';

test('a task has a status, and a polling interval', () => {
  const facts = taskFacts({
    taskId: 't',
    status: 'working',
    createdAt: '2026-01-01T00:00:00Z',
    lastUpdatedAt: 'not a time',
    ttl: 300_000,
    pollInterval: 1_000,
  });
  assert.deepEqual([facts.status, facts.tone], ['working', 'info']);
  assert.match(facts.times[0]!.text, /^created \d\d:\d\d:\d\d$/);
  assert.deepEqual(
    facts.times.slice(1).map(({ text }) => text),
    ['updated not a time', 'kept 5.0 min', 'poll every 1.00 s'],
  );
});

test('an invalid task is shown as far as possible', () => {
  const facts = taskFacts({ status: 7, createdAt: null, ttl: null, pollInterval: 'x' });
  assert.deepEqual(facts, { status: undefined, tone: 'plain', times: [] });
});

test('an answer that creates a task is distinguished from a result', () => {
  assert.equal(createdTask('{"task":{"taskId":"a","status":"working"}}'), 'a');
  assert.equal(createdTask('{"resultType":"task","taskId":"b","status":"working","ttlMs":null}'), 'b');
  for (const other of ['{"content":[]}', '{"taskId":"c"}', '{"task":{"taskId":7}}', '{"task":null}', undefined])
    assert.equal(createdTask(other), undefined);
});

test('a tool is called as a task only if the server supports it', () => {
  const server = { revision: '2025-11-25', capabilities: { tasks: { requests: { tools: { call: {} } } } } };
  assert.equal(taskSupportOf('{"execution":{"taskSupport":"required"}}', server), 'required');
  assert.equal(taskSupportOf('{"execution":{"taskSupport":"optional"}}', server), 'optional');
  assert.equal(taskSupportOf('{"execution":{"taskSupport":"forbidden"}}', server), undefined);
  assert.equal(taskSupportOf('{}', server), undefined);
  const tool = '{"execution":{"taskSupport":"required"}}';
  assert.equal(taskSupportOf(tool, { ...server, capabilities: { tasks: { list: {} } } }), undefined);
  assert.equal(taskSupportOf(tool, { ...server, revision: '2026-07-28' }), undefined);
});
