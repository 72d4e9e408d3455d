import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stopTime } from '../../../../../scripts/lib/test-time.ts';
import { until } from '../../../../../scripts/lib/until.ts';
import { type LogEntry, silent } from '../../protocol/log.ts';
import { memoryStore } from '../../store/memory.ts';
import { FORMAT } from '../../store/record-format.ts';
import type { Store } from '../../store/store.ts';
import type { OnceOutcome } from './once-outcome.ts';
import { type Records, runRecorded } from './once-records.ts';

function records(more: Partial<Records> = {}): Records & { store: Store } {
  const { signal } = new AbortController();
  const made = { store: memoryStore(), lifeMs: 60_000, leaseMs: 30_000, signal: () => signal, log: silent };
  return { ...made, ...more } as Records & { store: Store };
}

/** An action that ends with this result. */
function ends(result: unknown): () => Promise<OnceOutcome> {
  return async () => (result === undefined ? {} : { result });
}

test('an action runs once, and later deliveries get its result', async () => {
  const kept = records();
  for (const outcome of [{ result: 'done' }, {}, { failure: { name: 'Error', message: 'no luck' } }]) {
    const key = JSON.stringify(outcome);
    assert.deepEqual(await runRecorded(kept, key, async () => outcome), outcome);
    assert.deepEqual(await runRecorded(kept, key, () => assert.fail('it ran again')), outcome);
  }
});

test('simultaneous deliveries act once', async () => {
  const store = memoryStore();
  let reads = 0;
  const kept = records({ store: { ...store, get: (key) => (reads++, store.get(key)) } });
  let acts = 0;
  // Waits until the two others have seen the lease.
  const act = async (): Promise<OnceOutcome> => {
    await until(() => reads >= 2);
    return { result: ++acts };
  };
  const all = await Promise.all([1, 2, 3].map(() => runRecorded(kept, 'k', act)));
  assert.deepEqual(all, [{ result: 1 }, { result: 1 }, { result: 1 }]);
});

test('a process that died during its action delays others only until its lease expires', async () => {
  const kept = records({ leaseMs: 60 });
  // Only its lease remains.
  await kept.store.add('k', { running: 'somebody who is gone' }, 60);
  // A run that did not notice the end of the lease would wait for all of `lifeMs`, and then give up.
  assert.deepEqual(await runRecorded(kept, 'k', ends('again')), { result: 'again' });
});

test('an action that takes longer than the lease keeps it', async (t) => {
  const time = stopTime(t);
  const kept = records({ leaseMs: 60 });
  let acts = 0;
  let finish!: () => void;
  const slow = runRecorded(kept, 'k', async () => {
    acts++;
    await new Promise<void>((resolve) => (finish = resolve));
    return { result: 'slow' };
  });
  const second = runRecorded(kept, 'k', async () => ({ result: `second ${++acts}` }));
  await time.pass(250);
  finish();
  assert.deepEqual(await slow, { result: 'slow' });
  await time.pass(500);
  assert.deepEqual(await second, { result: 'slow' });
  assert.equal(acts, 1);
});

test('a run that lost the lease does not overwrite the result of the one that took over', async () => {
  const kept = records({ leaseMs: 60_000 });
  const late = runRecorded(kept, 'k', async () => {
    // The process was suspended, the lease expired, and another process has acted meanwhile.
    await kept.store.set('k', { result: 'theirs', format: FORMAT }, 60_000);
    return { result: 'mine' };
  });
  assert.deepEqual(await late, { result: 'theirs' });
  assert.deepEqual(await kept.store.get('k'), { result: 'theirs', format: FORMAT });
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

test('if a result cannot be recorded, it is reported, and another delivery learns at least that the action has ended', async () => {
  const logged: LogEntry[] = [];
  const kept = records({ store: memoryStore({ maxCharacters: 1_000 }), log: (entry) => void logged.push(entry) });
  const large = 'x'.repeat(2_000);
  assert.deepEqual(await runRecorded(kept, 'k', ends(large)), { result: large });
  assert.deepEqual(
    logged.map(({ event }) => event),
    ['once-not-recorded'],
  );
  const known = await runRecorded(kept, 'k', () => assert.fail('it ran again'));
  assert.match(JSON.stringify(known), /could not be recorded/);
});

test('a store that fails after the action does not take its result away', async () => {
  const store = memoryStore();
  let down = false;
  const fails = (): never => assert.fail('the store is down');
  const kept = records({
    store: {
      ...store,
      get: (key) => (down ? fails() : store.get(key)),
      set: (...given) => (down ? fails() : store.set(...given)),
    },
  });
  const act = async (): Promise<OnceOutcome> => {
    down = true;
    return { result: 'done' };
  };
  assert.deepEqual(await runRecorded(kept, 'k', act), { result: 'done' });
});

test('without room for a record, the action does not run', async () => {
  const kept = records({ store: memoryStore({ maxEntries: 2 }) });
  await runRecorded(kept, 'first', ends(1));
  await assert.rejects(
    runRecorded(kept, 'second', () => assert.fail('it ran')),
    RangeError,
  );
  assert.deepEqual(await runRecorded(kept, 'first', () => assert.fail('it ran again')), { result: 1 });
});
