import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from 'tenon/client';
import { stopTime } from '../../../../scripts/lib/test-time.ts';
import { turns } from '../../../../scripts/lib/until.ts';
import { followLists } from './follow-lists.ts';

test('a server that reports list changes all the time is asked for the list twice a second', async (t) => {
  const time = stopTime(t, { imported: true });
  const stop = new AbortController();
  const changes: AsyncIterable<unknown> = {
    [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: {} }) }),
  };
  const client: unknown = {
    capabilities: { tools: { listChanged: true } },
    watch: () => ({ ready: Promise.resolve(), ...changes }),
  };
  let asked = 0;
  await followLists(client as Client, async () => void asked++, stop.signal);
  await turns();
  assert.equal(asked, 2, 'for the first time, and for the first change');
  await time.pass(400);
  assert.equal(asked, 2);
  await time.pass(10_000);
  assert.ok(asked >= 20 && asked <= 23, `asked ${asked} times in 10 s`);
  stop.abort();
  const before = asked;
  await time.pass(10_000);
  assert.equal(asked, before);
});
