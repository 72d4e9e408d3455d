import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { connect } from 'tenon/client';
import { applyEdits, MAX_EDITS, MAX_OLD_TEXT_LENGTH } from './edit.ts';
import { createFilesystem } from './filesystem.ts';
import { Folders } from '../../shared/folders.ts';
import { withinCpuMs } from '../../../scripts/lib/cpu-time.ts';

const base = await mkdtemp(join(tmpdir(), 'tenon-edit-'));
after(() => rm(base, { recursive: true, force: true }));

function soon(act: () => void): void {
  withinCpuMs(2_000, act);
}

test('searching many lines with many near matches is quick', () => {
  const text = '  }\n'.repeat(250_000);
  soon(() =>
    assert.throws(() => applyEdits(text, [{ oldText: `${'}\n'.repeat(60_000)}x`, newText: '' }]), /Could not find/),
  );
  soon(() =>
    assert.throws(
      () => applyEdits(text, [{ oldText: `${'}\n'.repeat(60_000)}}`, newText: '' }]),
      /1, 2, 3, 4, 5 and more/,
    ),
  );
});

test('searching a long line with many near matches is quick', () => {
  const text = 'a'.repeat(1_000_000);
  const half = 'a'.repeat(90_000);
  soon(() => assert.throws(() => applyEdits(text, [{ oldText: `${half}b${half}`, newText: '' }]), /Could not find/));
  soon(() => assert.throws(() => applyEdits(text, [{ oldText: half, newText: '' }]), /910001 times/));
});

test('the texts and the number of edits of a call are limited', async () => {
  const path = join(base, 'a.txt');
  await writeFile(path, 'a'.repeat(MAX_OLD_TEXT_LENGTH + 1));
  const folders = await Folders.of([base]);
  await using client = await connect(createFilesystem({ folders, hardLinks: false, confirm: false }));
  const edit = (oldText: string, count: number) =>
    client.call('edit_file', { path, edits: Array.from({ length: count }, () => ({ oldText, newText: oldText })) });
  await assert.rejects(edit('a'.repeat(MAX_OLD_TEXT_LENGTH + 1), 1), /200000 characters: give only what changes/);
  await assert.rejects(edit('a', MAX_EDITS + 1), /100 edits: make the others in another call/);
  await writeFile(path, 'a'.repeat(MAX_OLD_TEXT_LENGTH));
  await edit('a'.repeat(MAX_OLD_TEXT_LENGTH), 1);
  await writeFile(path, 'a');
  await edit('a', MAX_EDITS);
  assert.equal(await readFile(path, 'utf8'), 'a');
});
