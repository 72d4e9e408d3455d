import assert from 'node:assert/strict';
import { chmod, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { until } from '../../../../../scripts/lib/until.ts';
import { type LogEntry, silent } from '../../protocol/log.ts';
import { createSealer } from '../seal.ts';
import { keysInFile } from './key-file.ts';

const folder = await mkdtemp(join(tmpdir(), 'tenon-keys-'));
after(() => rm(folder, { recursive: true, force: true }));
const [FIRST, SECOND, THIRD] = ['the first key of many', 'the second key of many', 'the third key of many'];
let files = 0;

/** Writes a file that only its user can read. */
async function write(path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o600 });
}

/** A watched file with the first key. */
async function watched(t: { after(run: () => void): void }, path = join(folder, `${++files}`)) {
  await write(path, `${FIRST}\n`);
  const log: LogEntry[] = [];
  const keys = await keysInFile(path, { log: (entry) => void log.push(entry), everyMs: 5 });
  t.after(() => keys.close());
  const warnings = () => log.filter(({ event }) => event === 'keys-file').length;
  return { path, keys, log, warnings, are: (...wanted: string[]) => until(() => [...keys].join() === wanted.join()) };
}

test('keys in a file are read again when it is written, replaced, or a link that now leads elsewhere', async (t) => {
  const { path, keys, are, log } = await watched(t);
  assert.deepEqual([...keys], [FIRST]);
  await write(path, `${SECOND}\n\n  ${FIRST}  \n`);
  await are(SECOND, FIRST);
  await write(`${path}.new`, `${THIRD}\r\n${SECOND}`);
  await rename(`${path}.new`, path);
  await are(THIRD, SECOND);
  // As Kubernetes does: the file is a link into a folder that is a link, and that is replaced.
  for (const [name, key] of [
    ['one', FIRST],
    ['two', SECOND],
  ] as const)
    await write(join(folder, name), key);
  const link = join(folder, 'link');
  await symlink('one', link);
  const linked = await keysInFile(link, { everyMs: 5 });
  t.after(() => linked.close());
  assert.deepEqual([...linked], [FIRST]);
  await symlink('two', `${link}.new`);
  await rename(`${link}.new`, link);
  await until(() => [...linked].join() === SECOND);
  assert.doesNotMatch(JSON.stringify(log), /key of many/);
});

test('a sealer uses the keys as they are: what the old one sealed opens as long as it is in the file', async (t) => {
  const { path, keys, are } = await watched(t);
  const sealer = createSealer(keys, silent);
  const old = await sealer.seal('value', 'here', 60_000);
  await write(path, `${SECOND}\n${FIRST}\n`);
  await are(SECOND, FIRST);
  assert.equal(await sealer.open(old, 'here'), 'value');
  const young = await sealer.seal('value', 'here', 60_000);
  await write(path, `${SECOND}\n`);
  await are(SECOND);
  assert.equal(await sealer.open(old, 'here'), undefined);
  assert.equal(await sealer.open(young, 'here'), 'value');
});

test('a file that is empty, missing, too large or has a short key is reported, and the keys stay as they were', async (t) => {
  const { path, keys, are, log, warnings } = await watched(t);
  for (const bad of ['', '\n\n', `${SECOND}\nshort\n`, 'x'.repeat(70_000)]) {
    const before = warnings();
    await write(path, bad);
    await until(() => warnings() > before);
    assert.deepEqual([...keys], [FIRST]);
    await assert.rejects(keysInFile(path), Error);
  }
  await rm(path);
  const before = warnings();
  await until(() => warnings() > before);
  assert.deepEqual([...keys], [FIRST]);
  await write(path, SECOND);
  await are(SECOND);
  assert.doesNotMatch(JSON.stringify(log), /key of many|short/);
});

test('a file that other users can read is reported', { skip: process.platform === 'win32' }, async (t) => {
  const { path, are, warnings } = await watched(t);
  assert.equal(warnings(), 0);
  await write(path, SECOND);
  await chmod(path, 0o644);
  await are(SECOND);
  await until(() => warnings() === 1);
});
