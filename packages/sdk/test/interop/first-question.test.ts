// A server of the official SDK may ask as soon as it gets a call, and drops a question if the client has no open stream yet.

import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { after, before, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { rounds } from '../../../../scripts/lib/soak.ts';
import { connect } from '../../src/entries/client.ts';
import { type AtPort, fixture, startAtPort } from './official-client.ts';

const ROUNDS = rounds(5, 200);
/** Threads that compute without a pause, so that client and server get a core late. */
const BUSY_THREADS = rounds(0, 2 * availableParallelism());

const threads: Worker[] = [];
let server: AtPort;
before(async () => {
  server = await startAtPort([process.execPath, fixture('official-v1-server.mjs')]);
  for (let count = 0; count < BUSY_THREADS; count++) threads.push(new Worker('for (;;);', { eval: true }));
});
after(async () => {
  for (const thread of threads) await thread.terminate();
  await server?.stop();
});

for (const revision of ['2025-11-25', '2025-06-18'] as const)
  test(`every question of the first call of a connection arrives, on ${revision}`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const questions: string[] = [];
      await using client = await connect(server.url, {
        revision,
        elicit: {
          handler: ({ message }) => {
            questions.push(message);
            return { action: 'accept', content: { first: 'here' } };
          },
        },
      });
      const { contents } = await client.read('secret://1');
      assert.deepEqual({ round, questions }, { round, questions: ['First?'] });
      assert.deepEqual(contents, [{ uri: 'secret://1', text: 'opened with here' }]);
    }
  });
