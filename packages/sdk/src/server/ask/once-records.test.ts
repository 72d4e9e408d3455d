import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stopTime } from '../../../../../scripts/lib/test-time.ts';
import { until } from '../../../../../scripts/lib/until.ts';
import { memoryStore } from '../../store/memory.ts';
import type { Store } from '../../store/store.ts';
import { type Records, runRecorded } from './once-records.ts';

function records(more: Partial<Records> = {}): Records & { store: Store } {
  return { store: memoryStore(), lifeMs: 60_000, signal: () => new AbortController().signal, ...more } as Records & {
    store: Store;
  };
}

test('an action runs once, and later deliveries get its result', async () => {
  const kept = records();
  assert.equal(await runRecorded(kept, 'k', async () => 'done'), 'done');
  assert.equal(await runRecorded(kept, 'k', () => assert.fail('it ran again')), 'done');
  assert.equal(await runRecorded(kept, 'other', async () => undefined), undefined);
  assert.equal(await runRecorded(kept, 'other', () => assert.fail('it ran again')), undefined);
});

test('simultaneous deliveries act once', async () => {
  const store = memoryStore();
  let reads = 0;
  const kept = records({ store: { ...store, get: (key) => (reads++, store.get(key)) } });
  let acts = 0;
  // Until the two others have seen the lease.
  const act = async (): Promise<number> => {
    await until(() => reads >= 2);
    return ++acts;
  };
  assert.deepEqual(await Promise.all([1, 2, 3].map(() => runRecorded(kept, 'k', act))), [1, 1, 1]);
});

test('a process that died during its action delays others only until its lease expires', async () => {
  const kept = records({ leaseMs: 60 });
  // Only its lease is left.
  await kept.store.add('k', { running: 'somebody who is gone' }, 60);
  // A run that waited for longer than the lease would wait for all of `lifeMs`, and then give up.
  assert.equal(await runRecorded(kept, 'k', async () => 'again'), 'again');
});

test('an action that takes longer than the lease keeps it', async (t) => {
  const time = stopTime(t);
  const kept = records({ leaseMs: 60 });
  let acts = 0;
  let finish!: () => void;
  const slow = runRecorded(kept, 'k', async () => {
    acts++;
    await new Promise<void>((resolve) => (finish = resolve));
    return 'slow';
  });
  const second = runRecorded(kept, 'k', async () => `second ${++acts}`);
  await time.pass(250);
  finish();
  assert.equal(await slow, 'slow');
  await time.pass(500);
  assert.equal(await second, 'slow');
  assert.equal(acts, 1);
});

test('a run that lost the lease does not overwrite the result of the one that took over', async () => {
  const kept = records({ leaseMs: 60_000 });
  const late = runRecorded(kept, 'k', async () => {
    // The process was suspended, the lease expired, and another one has acted meanwhile.
    await kept.store.set('k', { result: 'theirs' }, 60_000);
    return 'mine';
  });
  assert.equal(await late, 'theirs');
  assert.deepEqual(await kept.store.get('k'), { result: 'theirs' });
});

test('waiting for another delivery ends when the call is aborted', async () => {
  const controller = new AbortController();
  const kept = records({ signal: () => controller.signal });
  await kept.store.add('k', { running: 'somebody' }, 60_000);
  const waiting = runRecorded(kept, 'k', () => assert.fail('it ran'));
  setTimeout(() => controller.abort(), 10);
  await assert.rejects(waiting, { name: 'AbortError' });
  await assert.rejects(
    runRecorded(kept, 'k', () => assert.fail('it ran')),
    { name: 'AbortError' },
  );
});

test('waiting for another delivery ends with a tool error if it does not finish', async () => {
  const kept = records({ lifeMs: 30 });
  await kept.store.add('k', { running: 'somebody' }, 60_000);
  await assert.rejects(
    runRecorded(kept, 'k', () => assert.fail('it ran')),
    { name: 'ToolError' },
  );
});

test('a failed action leaves no record, and its own error is reported', async () => {
  const store: Store = { ...memoryStore() };
  const kept = records({ store });
  await assert.rejects(
    runRecorded(kept, 'k', () => Promise.reject(new Error('no luck'))),
    /no luck/,
  );
  assert.equal(await store.get('k'), undefined);
  const broken = records({ store: { ...store, get: () => Promise.reject(new Error('the store is down')) } });
  await assert.rejects(
    runRecorded(broken, 'k', () => Promise.reject(new Error('no luck'))),
    /no luck/,
  );
});
