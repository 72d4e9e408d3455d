import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, revisions } from 'tenon/testing';
import app from './server.ts';

for (const revision of revisions) {
  test(`greets a person on ${revision}`, async () => {
    await using client = await connect(app, { revision });
    assert.equal(await client.call('greet', { name: 'Ada' }), 'Hello, Ada!');
  });
}
