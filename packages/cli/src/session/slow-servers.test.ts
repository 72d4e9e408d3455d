import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSlowServers } from './slow-servers.ts';

const DAY = 24 * 3_600_000;

/** Opens the memory in one file again and again, like one process after another. */
function memory(path = join(mkdtempSync(join(tmpdir(), 'tenon-slow-')), 'state', 'slow-servers.json')) {
  const time = { now: 1_000_000_000_000, elapsed: 0 };
  return {
    path,
    time,
    open: () =>
      openSlowServers(
        path,
        () => time.now,
        () => time.elapsed,
      ),
  };
}

/** Connects to a server, which takes some time. Resolves to the remembered era. */
async function connect({ open, time }: ReturnType<typeof memory>, key: string, ms: number, era: 'legacy' | 'modern') {
  const servers = open();
  const remembered = servers.get(key);
  time.elapsed += ms;
  servers.set(key, era);
  await servers.saved();
  return remembered;
}

test('a server that took long is remembered as legacy for a day, in the next process too', async () => {
  const shared = memory();
  assert.equal(await connect(shared, 'a', 20_000, 'legacy'), undefined);
  assert.equal(await connect(shared, 'a', 100, 'legacy'), 'legacy');
  shared.time.now += DAY - 1;
  assert.equal(await connect(shared, 'a', 5_000, 'legacy'), 'legacy');
  shared.time.now += 1;
  assert.equal(await connect(shared, 'a', 100, 'legacy'), undefined);
});

test('a server that answers quickly, or is modern, is asked again', async () => {
  const shared = memory();
  await connect(shared, 'quick', 1_000, 'legacy');
  await connect(shared, 'modern', 30_000, 'modern');
  assert.equal(shared.open().get('quick'), undefined);
  assert.equal(shared.open().get('modern'), undefined);
});

test('a server that has become modern, or cannot be connected to, is forgotten', async () => {
  const shared = memory();
  for (const key of ['a', 'b', 'c']) await connect(shared, key, 20_000, 'legacy');
  await connect(shared, 'a', 100, 'modern');
  const servers = shared.open();
  servers.delete('b');
  await servers.saved();
  const next = shared.open();
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => next.get(key)),
    [undefined, undefined, 'legacy'],
  );
});

test('a file that another program wrote, or that cannot be written, is not a failure', async () => {
  for (const text of ['', '{', '[]', '7', '{"a":"soon"}', '{"a":1e99}', '{"a":null}']) {
    const shared = memory();
    await connect(shared, 'other', 20_000, 'legacy');
    writeFileSync(shared.path, text);
    assert.equal(await connect(shared, 'a', 20_000, 'legacy'), undefined, text);
    assert.equal(shared.open().get('a'), 'legacy');
  }
  const nowhere = memory(join(memory().path, '\0'));
  assert.equal(await connect(nowhere, 'a', 20_000, 'legacy'), undefined);
  assert.equal(nowhere.open().get('a'), undefined);
});

test('the latest two hundred servers are remembered', async () => {
  const shared = memory();
  for (let count = 0; count < 210; count++) await connect(shared, `s${count}`, 20_000, 'legacy');
  assert.equal(Object.keys(JSON.parse(readFileSync(shared.path, 'utf8'))).length, 200);
  assert.equal(shared.open().get('s9'), undefined);
  assert.equal(shared.open().get('s209'), 'legacy');
});

test('a server with a time in the future, from before the clock was set back, is asked again', async () => {
  const shared = memory();
  await connect(shared, 'a', 20_000, 'legacy');
  shared.time.now -= 400 * DAY;
  assert.equal(await connect(shared, 'a', 100, 'legacy'), undefined);
});

test('a file that is not UTF-8 is not used', async () => {
  const shared = memory();
  await connect(shared, 'a', 20_000, 'legacy');
  const text = readFileSync(shared.path, 'utf8');
  writeFileSync(shared.path, Buffer.from(text.replace('{', '{"\xff":1,'), 'latin1'));
  assert.equal(shared.open().get('a'), undefined);
});
