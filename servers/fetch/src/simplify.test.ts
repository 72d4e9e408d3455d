import assert from 'node:assert/strict';
import process from 'node:process';
import { after, test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { simplify } from './simplify.ts';
import { stopTime } from '../../../scripts/lib/test-time.ts';
import { until } from '../../../scripts/lib/until.ts';

const PAGE = '<html><body><article><p>Tea is good.</p></article></body></html>';
/** A page that takes a while to convert. */
const NESTED = `<html><body>${'<div>'.repeat(3_000)}deep`;
const base = new URL('http://localhost/');
const never = new AbortController().signal;

const threads = new Set<Worker>();
let loaded = 0;
let most = 0;
function count(worker: Worker): void {
  threads.add(worker);
  most = Math.max(most, threads.size);
  worker.once('message', () => loaded++);
  worker.once('exit', () => threads.delete(worker));
}
process.on('worker', count);
after(() => process.off('worker', count));

/** Waits until all threads are gone. */
function idle(): Promise<void> {
  return until(() => threads.size === 0);
}

test('concurrent pages do not each start a thread', async (t) => {
  // Time stands still, so that no page times out, however busy the machine is.
  stopTime(t);
  most = 0;
  const texts = await Promise.all(Array.from({ length: 12 }, () => simplify(PAGE, base, never)));
  assert.deepEqual(new Set(texts), new Set(['Tea is good.']));
  assert.equal(most, 3);
  await idle();
});

test('a page that takes too long has no result, and its thread is terminated', async (t) => {
  const time = stopTime(t);
  const before = loaded;
  const text = simplify(NESTED, base, never);
  await until(() => threads.size === 1);
  // Loading the modules of the worker does not count.
  await time.pass(60_000);
  await until(() => loaded > before);
  await time.pass(8_000);
  assert.equal(await text, undefined);
  await idle();
});

test('if too many pages wait, the next one is rejected, and cancelled pages leave the queue', async (t) => {
  stopTime(t);
  most = 0;
  const abort = new AbortController();
  const waiting = Array.from({ length: 35 }, () => simplify(NESTED, base, abort.signal));
  const settled = Promise.allSettled(waiting);
  await assert.rejects(simplify(PAGE, base, never), { name: 'ToolError', message: /^Too many pages are being/ });
  abort.abort();
  assert.ok((await settled).every(({ status }) => status === 'rejected'));
  assert.equal(await simplify(PAGE, base, never), 'Tea is good.');
  assert.equal(most, 3);
  await idle();
});

test('a page that has waited ten seconds for a thread is rejected, so slow pages do not make a long queue', async (t) => {
  const time = stopTime(t);
  const abort = new AbortController();
  const slow = Array.from({ length: 7 }, () => simplify(NESTED, base, abort.signal));
  const settled = Promise.allSettled(slow);
  // At most three begin at once, and three more when those have taken too long.
  const last = assert.rejects(simplify(PAGE, base, never), { name: 'ToolError', message: /^Too many pages are being/ });
  await time.pass(10_000);
  await last;
  abort.abort();
  await settled;
  await idle();
});
