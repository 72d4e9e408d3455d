// The requirements for every store, as tests: each implementation runs all of them, and is compared with `store-model.ts`, operation by
// operation.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Store } from 'tenon';
import { createModel, KEYS, operations, resolved, run } from './store-model.ts';

/** Limits for a test. The defaults are more than any test uses. */
export interface StageLimits {
  readonly maxEntries?: number;
  readonly maxCharacters?: number;
  readonly maxLogCharacters?: number;
}

/** An empty store, and its clock. */
export interface StoreStage {
  readonly store: Store;
  readonly clock: { now: number };
}

type Open = (limits?: StageLimits) => StoreStage | Promise<StoreStage>;

/** Tests a kind of store, and compares it with the model in `runs` runs. `open` makes a new store, which the caller removes after the tests. */
export function storeContract(kind: string, runs: number, open: Open): void {
  describe(`the contract of stores: ${kind}`, () => {
    test('a value is kept for its lifetime and no longer', async () => {
      const { clock, store } = await open();
      await store.set('a', { n: 1 }, 100);
      clock.now += 99;
      assert.deepEqual(await store.get('a'), { n: 1 });
      clock.now += 1;
      assert.equal(await store.get('a'), undefined);
      assert.equal(await store.get('never'), undefined);
    });

    test('add stores a value only if there is none, or it has expired', async () => {
      const { clock, store } = await open();
      assert.equal(await store.add('a', 1, 100), true);
      assert.equal(await store.add('a', 2, 100), false);
      assert.equal(await store.get('a'), 1);
      clock.now += 100;
      assert.equal(await store.add('a', 3, 100), true);
      await store.delete('a');
      assert.equal(await store.add('a', 4, 100), true);
    });

    test('no object is shared with the store', async () => {
      const { store } = await open();
      const value = { list: [1] };
      await store.set('a', value, 100);
      value.list.push(2);
      const read = (await store.get('a')) as typeof value;
      read.list.push(3);
      assert.deepEqual(await store.get('a'), { list: [1] });
    });

    test('its functions can be copied into another store', async () => {
      const { store } = await open();
      const copy: Store = { ...store };
      assert.equal(await copy.add('a', 1, 100), true);
      assert.equal(await copy.swap('a', 1, 2, 100), true);
      await copy.set('b', 1, 100);
      assert.deepEqual([await copy.get('a'), await copy.keys('', undefined, 5)], [2, ['a', 'b']]);
      assert.equal(await copy.append('log', 1, 100), 1);
      assert.deepEqual(await copy.read('log', 0), { first: 1, values: [1] });
      await copy.delete('a');
      assert.equal(await store.get('a'), undefined);
    });

    test('keys of any text are keys, each a different one', async () => {
      const { store } = await open();
      for (const key of KEYS) assert.equal(await store.get(key), undefined, JSON.stringify(key));
      for (const key of KEYS) await store.set(key, key, 100);
      for (const key of KEYS) assert.equal(await store.get(key), JSON.parse(JSON.stringify(key)), JSON.stringify(key));
      assert.deepEqual(await store.keys('', undefined, 1_000), [...KEYS].sort());
    });

    test('keys are listed in pages, in the order of their code units, and only those that begin with the text', async () => {
      const { clock, store } = await open();
      const keys = ['a%', 'a%1', 'a_', 'a_1', 'aX', 'aX1', 'a', 'b', 'a\0', 'a\uffff', 'a\u{1f600}', 'a\ufb00'];
      for (const key of keys) await store.set(key, 1, key === 'aX' ? 10 : 100);
      await store.append('a log', 1, 100);
      clock.now += 10;
      const listed = async (prefix: string): Promise<readonly string[]> => {
        const found: string[] = [];
        for (;;) {
          const page = await store.keys(prefix, found.at(-1), 2);
          found.push(...page);
          if (page.length < 2) return found;
        }
      };
      assert.deepEqual(await listed('a%'), ['a%', 'a%1']);
      assert.deepEqual(await listed('a_'), ['a_', 'a_1']);
      assert.deepEqual(await listed('aX'), ['aX1']);
      assert.deepEqual(await listed('a'), keys.filter((key) => key !== 'b' && key !== 'aX').sort());
      assert.deepEqual(await listed('c'), []);
      assert.deepEqual(await store.keys('a', undefined, 0), []);
      assert.deepEqual(await store.keys('a', 'b', 5), []);
      assert.deepEqual(await store.keys('b', 'a', 5), ['b']);
    });

    test('it behaves like the model for any sequence of operations', async () => {
      const property = fc.asyncProperty(operations, async (steps) => {
        const { store, clock } = await open();
        const model = createModel(clock.now);
        for (const [at, given] of steps.entries()) {
          const step = resolved(given, model.store);
          if (step.kind === 'wait') {
            clock.now += step.ms;
            model.clock.now += step.ms;
            continue;
          }
          const expected = await run(step, model.store);
          assert.deepEqual(await run(step, store), expected, `step ${at}: ${JSON.stringify(step)}`);
        }
      });
      await fc.assert(property, { numRuns: runs });
    });

    bounds(open);
    logs(open);
  });
}

/** The message of the RangeError; false if nothing was thrown. */
async function refusal(act: () => unknown): Promise<string | false> {
  try {
    await act();
    return false;
  } catch (error) {
    assert.ok(error instanceof RangeError, String(error));
    return error.message;
  }
}

function bounds(open: Open): void {
  test('beyond the maximum number of values, the oldest are removed first; setting one again makes it the newest', async () => {
    const { store } = await open({ maxEntries: 3 });
    for (const key of ['a', 'b', 'c']) await store.set(key, key, 100);
    await store.set('a', 'a', 100);
    await store.set('d', 'd', 100);
    const found = await Promise.all(['a', 'b', 'c', 'd'].map((key) => store.get(key)));
    assert.deepEqual(found, ['a', undefined, 'c', 'd']);
  });

  test('beyond the maximum number of characters, the oldest are removed first', async () => {
    const { store } = await open({ maxCharacters: 100 });
    await store.set('a', 'x'.repeat(40), 100);
    await store.set('b', 'x'.repeat(40), 100);
    assert.ok(await store.get('a'));
    await store.set('c', 'x'.repeat(40), 100);
    assert.equal(await store.get('a'), undefined);
    assert.ok(await store.get('b'));
    // Deleted, replaced and expired values no longer count.
    for (let n = 0; n < 100; n++) await store.set('c', 'x'.repeat(40), 100);
    assert.ok(await store.get('b'));
    await store.set('huge', 'x'.repeat(1_000), 100);
    for (const key of ['b', 'c', 'huge']) assert.equal(await store.get(key), undefined);
  });

  test('a value made by add outlives everything that is stored after it', async () => {
    const { clock, store } = await open({ maxEntries: 3, maxCharacters: 200 });
    await store.add('used', 1, 1_000);
    await store.set('used', { result: 'once' }, 1_000);
    for (let n = 0; n < 50; n++) {
      await store.set(`visitor ${n}`, 'x'.repeat(n), 1_000);
      await store.append(`events ${n}`, 'x'.repeat(n), 1_000);
    }
    assert.deepEqual(await store.get('used'), { result: 'once' });
    assert.equal(await store.add('used', 2, 1_000), false);
    assert.equal(await store.swap('used', { result: 'once' }, 3, 1_000), true);
    for (let n = 0; n < 50; n++) await store.set(`visitor ${n}`, n, 1_000);
    assert.equal(await store.get('used'), 3);
    // Like before, it is removed when its lifetime ends, or when it is deleted.
    clock.now += 1_000;
    assert.equal(await store.get('used'), undefined);
    await store.add('used', 1, 1_000);
    await store.delete('used');
    await store.set('used', 2, 1_000);
    for (let n = 0; n < 3; n++) await store.set(`visitor ${n}`, n, 1_000);
    assert.equal(await store.get('used'), undefined);
  });

  test('a log that is still written to outlives values that were stored after it', async () => {
    const { store } = await open({ maxEntries: 3 });
    await store.append('active', 1, 100);
    for (let n = 0; n < 10; n++) {
      await store.set(`other ${n}`, n, 100);
      await store.append('active', n, 100);
    }
    assert.deepEqual(await store.read('active', 10), { first: 11, values: [9] });
  });

  test('a value that was added stays for its whole life, whatever else is stored', async () => {
    const { clock, store } = await open({ maxEntries: 10, maxCharacters: 1_000 });
    assert.equal(await store.add('mark', 'used', 1_000), true);
    // A value that replaces it is kept as long.
    await store.set('mark', { result: 1 }, 1_000);
    for (let n = 0; n < 100; n++) {
      await store.set(`value ${n}`, 'x'.repeat(90), 1_000);
      await store.append(`log ${n}`, 'x'.repeat(90), 1_000);
    }
    assert.deepEqual(await store.get('mark'), { result: 1 });
    assert.equal(await store.add('mark', 'again', 1_000), false);
    clock.now += 1_000;
    assert.equal(await store.add('mark', 'again', 1_000), true);
    await store.delete('mark');
    assert.equal(await store.get('mark'), undefined);
  });

  test('values that were added use at most half of the store; more are accepted only when one has expired', async () => {
    const { clock, store } = await open({ maxEntries: 6, maxCharacters: 1_000 });
    for (const key of ['a', 'b', 'c']) assert.equal(await store.add(key, key, key === 'b' ? 100 : 1_000), true);
    assert.ok(await refusal(() => store.add('d', 'd', 100)));
    assert.equal(await store.get('d'), undefined);
    assert.equal(await store.add('a', 'again', 100), false);
    clock.now += 100;
    assert.equal(await store.add('d', 'd', 1_000), true);
    const found = await Promise.all(['a', 'b', 'c', 'd'].map((key) => store.get(key)));
    assert.deepEqual(found, ['a', undefined, 'c', 'd']);
    // Values that were not added are not refused.
    await store.set('e', 'e', 100);
    assert.equal(await store.get('e'), 'e');
    assert.ok(await refusal(() => store.set('a', 'x'.repeat(600), 1_000)));
    assert.equal(await store.get('a'), 'a');
    await store.set('a', 'smaller', 1_000);
    assert.ok(await refusal(() => store.swap('a', 'smaller', 'x'.repeat(600), 1_000)));
    assert.equal(await store.get('a'), 'smaller');
    await store.delete('c');
    assert.equal(await store.add('f', 'x'.repeat(400), 100), true);
    assert.ok(await refusal(() => store.add('g', 'x'.repeat(100), 100)));
  });

  test('one owner gets at most a tenth of the free room for values that were added', async () => {
    const { clock, store } = await open({ maxEntries: 200, maxCharacters: 20_000 });
    const addAll = async (owner: string, characters = 0): Promise<number> => {
      for (let n = 0; n < 1_000; n++) {
        const why = await refusal(() => store.add(`${owner} ${n}`, 'x'.repeat(characters), 1_000, owner));
        if (why === false) continue;
        assert.match(why, /^One caller/);
        return n;
      }
      return assert.fail(`${owner} may add anything`);
    };
    const most = await addAll('ann');
    assert.ok(most >= 9 && most <= 10, String(most));
    assert.ok(await refusal(() => store.set('ann 0', 'x'.repeat(2_000), 1_000)));
    // Each further owner gets a smaller share, but always a share.
    for (let n = 0; n < 30; n++) assert.ok((await addAll(`owner ${n}`)) >= 1);
    assert.equal(await store.get('ann 0'), '');
    // Values without an owner share the rest.
    assert.equal(await store.add('own', 1, 1_000), true);
    await store.delete('ann 0');
    clock.now += 1_000;
    assert.equal(await addAll('ann'), most);
    // The same holds for characters, but whatever fits as the first one is accepted.
    assert.ok((await addAll('bob', 300)) <= 3);
    assert.equal(await store.add('large', 'x'.repeat(5_000), 1_000, 'eve'), true);
    assert.ok(await refusal(() => store.add('another', 1, 1_000, 'eve')));
    await store.delete('large');
    assert.equal(await store.add('another', 1, 1_000, 'eve'), true);
  });

  test('expired values make room', async () => {
    const { clock, store } = await open({ maxEntries: 2 });
    await store.set('a', 1, 10);
    await store.set('b', 2, 1_000);
    clock.now += 10;
    await store.set('c', 3, 1_000);
    assert.deepEqual(await Promise.all(['a', 'b', 'c'].map((key) => store.get(key))), [undefined, 2, 3]);
  });
}

function logs(open: Open): void {
  test('a log beyond its maximum size keeps its last values, with their positions', async () => {
    const { store } = await open({ maxLogCharacters: 2_000 });
    const all: string[] = [];
    for (let n = 1; n <= 10_000; n++) {
      const value = `${n}`.padStart(1 + (n % 90), '.');
      all.push(value);
      assert.equal(await store.append('log', value, 60_000), n);
      if (n % 701 !== 0) continue;
      const kept = (await store.read('log', 0))!;
      assert.deepEqual(kept.values, all.slice(kept.first - 1));
      // It keeps as many values as fit: one more would be too many.
      const sizeOf = (values: readonly unknown[]) => JSON.stringify(values).length - values.length - 1 + 'log'.length;
      assert.ok(
        sizeOf(kept.values) <= 2_000 && sizeOf(all.slice(kept.first - 2)) > 2_000,
        `${kept.values.length} kept`,
      );
      const middle = kept.first + 3;
      assert.deepEqual(await store.read('log', middle), { first: middle + 1, values: all.slice(middle) });
      assert.deepEqual(await store.read('log', n), { first: n + 1, values: [] });
    }
    await store.delete('log');
    assert.equal(await store.append('log', 'new', 60_000), 1);
    assert.deepEqual(await store.read('log', 0), { first: 1, values: ['new'] });
  });

  test('a log keeps long lists of texts and numbers among other values, and shares none of them', async () => {
    const { store } = await open({ maxLogCharacters: 40_000 });
    const valueOf = (n: number) => (n % 3 === 0 ? { n } : ['line\n\n"'.repeat(n % 5 === 0 ? 10 : 200), n]);
    for (let n = 1; n <= 200; n++) {
      const value = valueOf(n);
      assert.equal(await store.append('log', value, 60_000), n);
      if (Array.isArray(value)) value.push('changed');
      if (n % 37 !== 0) continue;
      const { first, values } = (await store.read('log', 0))!;
      assert.ok(n < 60 || (first > 1 && values.length > 10), `${values.length} kept`);
      for (const after of [0, first + 1, n - 3, n]) {
        const part = (await store.read('log', after))!;
        assert.equal(part.first, Math.max(first, after + 1));
        assert.deepEqual(
          part.values,
          Array.from({ length: n + 1 - part.first }, (_, at) => valueOf(part.first + at)),
        );
        for (const read of part.values) if (Array.isArray(read)) read.length = 0;
      }
    }
  });

  test('the last value of a log stays, even if it is larger than a log may be', async () => {
    const { store } = await open({ maxLogCharacters: 100 });
    for (const value of ['a', 'b', 'x'.repeat(500)]) await store.append('log', value, 100);
    assert.deepEqual(await store.read('log', 0), { first: 3, values: ['x'.repeat(500)] });
    assert.equal(await store.append('log', 'c', 100), 4);
    assert.deepEqual(await store.read('log', 1), { first: 4, values: ['c'] });
  });
}
