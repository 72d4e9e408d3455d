import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ToolError } from '../protocol/errors.ts';
import type { LogEntry } from '../protocol/log.ts';
import { REVISIONS } from '../protocol/revision.ts';
import { prompt } from '../server/prompt.ts';
import { resource } from '../server/resource.ts';
import { server } from '../server/define.ts';
import { tool } from '../server/tool.ts';
import { memoryPair } from '../transport/memory.ts';
import { serve } from '../transport/serve.ts';
import { connect } from './connect.ts';

const SECRET = 'postgres://admin:hunter2@10.0.0.1 refused';

function failing() {
  const thrown: unknown[] = [];
  const fail = (): never => {
    const error = new Error(`${SECRET} ${thrown.length}`);
    thrown.push(error);
    throw error;
  };
  const app = server({
    name: 'failing',
    version: '1.0.0',
    tools: {
      fails: tool({}, fail),
      throwsText: tool({}, () => {
        // Anything can be thrown.
        throw SECRET;
      }),
      refuses: tool({}, () => {
        throw new ToolError('There is no such city');
      }),
    },
    resources: { 'db://rows': resource({ name: 'rows' }, fail) },
    prompts: { ask: prompt({}, fail) },
  });
  return { app, thrown };
}

function rejection(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => assert.fail('it did not fail'),
    (error: unknown) => error as Error,
  );
}

for (const revision of REVISIONS) {
  test(`an error of a call to a server of this program has the error of the handler as its cause: ${revision}`, async () => {
    const { app, thrown } = failing();
    const wire: string[] = [];
    await using client = await connect(app, { revision, onTrace: ({ text }) => void wire.push(text) });
    const errors = [
      await rejection(client.call('fails')),
      await rejection(client.read('db://rows')),
      await rejection(client.prompt('ask')),
      await rejection(client.request('resources/read', { uri: 'db://rows' })),
    ];
    assert.deepEqual(
      errors.map(({ name }) => name),
      ['ToolError', 'ProtocolError', 'ProtocolError', 'ProtocolError'],
    );
    for (const [index, error] of errors.entries()) {
      assert.equal(error.cause, thrown[index]);
      assert.ok(!error.message.includes('hunter2'));
    }
    assert.ok(!wire.join('\n').includes('hunter2'), 'the peer is told an id only');
    assert.equal((await rejection(client.call('throwsText'))).cause, SECRET);
  });
}

test('each of several concurrent calls has its own cause', async () => {
  const { app, thrown } = failing();
  await using client = await connect(app);
  const errors = await Promise.all(Array.from({ length: 20 }, () => rejection(client.call('fails'))));
  assert.deepEqual(new Set(errors.map(({ cause }) => cause)), new Set(thrown));
});

test('a ToolError, which is meant for the model, gets no cause', async () => {
  const { app } = failing();
  await using client = await connect(app);
  const error = await rejection(client.call('refuses'));
  assert.deepEqual([error.message, error.cause], ['There is no such city', undefined]);
});

test('a server at the other end of a channel is another program: its errors have no cause', async () => {
  const { app } = failing();
  const [near, far] = memoryPair();
  const served = serve(app, far);
  await using client = await connect(near);
  assert.equal((await rejection(client.call('fails'))).cause, undefined);
  await served.close();
});

test('the log of the server gets the error, and the id that the peer got', async () => {
  const { app, thrown } = failing();
  const log: LogEntry[] = [];
  await using client = await connect(app, { log: (entry) => void log.push(entry) });
  const { message } = await rejection(client.call('fails'));
  const [entry] = log.filter(({ event }) => event === 'handler-failed');
  assert.equal(entry?.details, thrown[0]);
  assert.ok(entry?.errorId !== undefined && message.includes(entry.errorId), message);
});
