import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequestAnswer } from '../api/views.ts';
import { createRequests } from './requests.ts';

function body(key: string) {
  return { key, method: 'tools/call', params: '{"name":"a \\"b\\"","arguments":{}}' };
}
function answer(result: string): RequestAnswer {
  return {
    outcome: 'ok',
    ms: 1,
    bytes: result.length,
    tokens: 1,
    result,
    findings: [],
  };
}

test('a running request is listed, and its answer can be fetched later', async () => {
  let told = 0;
  const requests = createRequests(() => told++);
  let end: ((answer: RequestAnswer) => void) | undefined;
  const done = requests.run(body('k'), () => new Promise((resolve) => (end = resolve)));
  assert.deepEqual(requests.running, [{ key: 'k', method: 'tools/call', subject: 'a "b"' }]);
  assert.equal(requests.answer('k').outcome, 'running');
  await assert.rejects(
    requests.run(body('k'), () => Promise.reject(new Error('never'))),
    /under way/,
  );
  end!(answer('"x"'));
  assert.equal((await done).result, '"x"');
  assert.deepEqual(requests.running, []);
  assert.equal(requests.answer('k').result, '"x"');
  assert.equal(told, 2);
  assert.throws(() => requests.answer('other'), /request no longer exists/);
});

test('a failure to send can be fetched later, too', async () => {
  const requests = createRequests(() => {});
  await assert.rejects(
    requests.run(body('k'), () => Promise.reject(new Error('no way'))),
    /no way/,
  );
  assert.deepEqual([requests.answer('k').outcome, requests.answer('k').problem?.message], ['lost', 'no way']);
});

test('a request is ended by its key, and all of them at once', async () => {
  const requests = createRequests(() => {});
  const run = (key: string): Promise<RequestAnswer> =>
    requests.run(
      body(key),
      (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(answer(key)))),
    );
  const all = ['a', 'b', 'c'].map(run);
  requests.cancel('b');
  assert.equal((await all[1]!).result, 'b');
  assert.deepEqual(
    requests.running.map(({ key }) => key),
    ['a', 'c'],
  );
  requests.cancelAll();
  await Promise.all(all);
  assert.deepEqual(requests.running, []);
});

test('answers that are never fetched are limited in number and in size', async () => {
  const requests = createRequests(() => {});
  for (let count = 0; count < 30; count++) await requests.run(body(`k${count}`), () => Promise.resolve(answer('"x"')));
  assert.throws(() => requests.answer('k9'), /request no longer exists/);
  assert.equal(requests.answer('k10').outcome, 'ok');
  const large = 'x'.repeat(20 * 1024 * 1024);
  for (const key of ['one', 'two']) await requests.run(body(key), () => Promise.resolve(answer(large)));
  assert.throws(() => requests.answer('one'), /request no longer exists/);
  assert.equal(requests.answer('two').outcome, 'ok');
});
