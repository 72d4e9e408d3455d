import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type LogEntry, silent } from '../protocol/log.ts';
import { createSealer, digest } from './seal.ts';
import { createLazySealer } from './lazy-sealer.ts';

const KEY = 'a sealing key of enough length';

test('[MRTR-8] a sealed value opens only for its context, and is unreadable without the key', async () => {
  const sealer = createSealer([KEY], silent);
  const sealed = await sealer.seal({ secret: 'SECRETPW' }, 'alice', 1_000);
  assert.deepEqual(await sealer.open(sealed, 'alice'), { secret: 'SECRETPW' });
  assert.equal(await sealer.open(sealed, 'bob'), undefined);
  assert.doesNotMatch(Buffer.from(sealed, 'base64url').toString('latin1'), /SECRETPW/);
});

test('[MRTR-9] a seal with any byte changed, cut, emptied or foreign does not open', async () => {
  const sealer = createSealer([KEY], silent);
  const sealed = await sealer.seal([1, 2, 3], '', 1_000);
  const bytes = Buffer.from(sealed, 'base64url');
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    assert.equal(await sealer.open(changed.toString('base64url'), ''), undefined, `byte ${at}`);
  }
  for (const bad of ['', sealed.slice(0, -1), `${sealed}A`, 'x'.repeat(1_000_000), '!', null, undefined, 7, {}]) {
    assert.equal(await sealer.open(bad, ''), undefined);
  }
  assert.equal(await createSealer(['another key of enough length'], silent).open(sealed, ''), undefined);
});

test('[MRTR-11] a seal expires', async () => {
  let now = 1_000;
  const sealer = createSealer([KEY], silent, () => now);
  const sealed = await sealer.seal('x', '', 500);
  now = 1_499;
  assert.equal(await sealer.open(sealed, ''), 'x');
  now = 1_500;
  assert.equal(await sealer.open(sealed, ''), undefined);
});

test('property 6: a seal opens to its value, and never after a change of a byte, its context or its time', async () => {
  let now = 0;
  const sealer = createSealer([KEY], silent, () => now);
  const life = { min: 1, max: 1_000_000 };
  await fc.assert(
    fc.asyncProperty(
      fc.jsonValue(),
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'binary' }),
      fc.integer(life),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      async (value, context, other, lifeMs, at, bits) => {
        now = 0;
        const sealed = await sealer.seal(value, context, lifeMs);
        now = lifeMs - 1;
        // JSON has no negative zero.
        assert.deepEqual(await sealer.open(sealed, context), JSON.parse(JSON.stringify(value)));
        if (other !== context) assert.equal(await sealer.open(sealed, other), undefined);
        const bytes = Buffer.from(sealed, 'base64url');
        bytes[at % bytes.length]! ^= bits;
        assert.equal(await sealer.open(bytes.toString('base64url'), context), undefined);
        now = lifeMs;
        assert.equal(await sealer.open(sealed, context), undefined);
      },
    ),
    { numRuns: 300 },
  );
});

test('keys rotate: the first seals, all open', async () => {
  const old = createSealer([KEY], silent);
  const rotated = createSealer(['the new key, long enough', KEY], silent);
  assert.equal(await rotated.open(await old.seal('x', '', 1_000), ''), 'x');
  assert.equal(await old.open(await rotated.seal('x', '', 1_000), ''), undefined);
});

test('without keys, the process generates one random key, and logs that once', async () => {
  // The key belongs to the module, so a fresh copy has none, whatever other tests of this process did.
  const copy = (await import(new URL('./seal.ts?without-keys', import.meta.url).href)) as typeof import('./seal.ts');
  const events: string[] = [];
  const log = ({ event }: LogEntry): void => void events.push(event);
  const sealed = await copy.createSealer(undefined, log).seal('x', '', 1_000);
  // Another connection has another sealer.
  assert.equal(await copy.createSealer([], log).open(sealed, ''), 'x');
  assert.deepEqual(events, ['random-sealing-key']);
});

test('a short key is refused', () => {
  assert.throws(() => createLazySealer([KEY, 'short'], 'server', silent), /at least 16 characters/);
});

test('a server cannot open what another one sealed, even with the same keys', async () => {
  const sealed = await createLazySealer([KEY], 'one', silent).seal('x', 'context', 1_000);
  assert.equal(await createLazySealer([KEY], 'one', silent).open(sealed, 'context'), 'x');
  assert.equal(await createLazySealer([KEY], 'two', silent).open(sealed, 'context'), undefined);
});

test('a digest depends on everything except the order of members', async () => {
  assert.equal(await digest({ a: 1, b: [{ c: 2, d: 3 }] }), await digest({ b: [{ d: 3, c: 2 }], a: 1 }));
  const different = [{ a: 1 }, [['a', 1]], { a: '1' }, { a: null }, {}, [], null, JSON.parse('{"__proto__":1}')];
  assert.equal(new Set(await Promise.all(different.map(digest))).size, different.length);
});
