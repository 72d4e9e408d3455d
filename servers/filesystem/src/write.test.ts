import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { withWriteTarget } from './access.ts';
import { Folders } from '../../shared/folders.ts';
import { replaceFile } from './write.ts';

const base = await mkdtemp(join(tmpdir(), 'tenon-write-'));
after(() => rm(base, { recursive: true, force: true }));
const skip = process.platform === 'win32' && 'permissions are another thing there';

async function withMask(mask: number, act: () => Promise<void>): Promise<void> {
  const before = process.umask(mask);
  try {
    await act();
  } finally {
    process.umask(before);
  }
}

/** The permissions of everything in a folder, sampled while `act` runs. */
async function modesDuring(root: string, act: () => Promise<void>): Promise<Map<string, Set<number>>> {
  const modes = new Map<string, Set<number>>();
  const over = act().then(() => true);
  while (!(await Promise.race([over, setImmediate(false)])))
    for (const name of readdirSync(root)) {
      const mode = statSync(join(root, name), { throwIfNoEntry: false })?.mode;
      if (mode !== undefined) modes.set(name, (modes.get(name) ?? new Set()).add(mode & 0o777));
    }
  return modes;
}

test('other users cannot read a private file while it is replaced', { skip }, async () => {
  const root = join(base, 'private');
  await mkdir(root);
  await writeFile(join(root, 'key'), 'old');
  await chmod(join(root, 'key'), 0o600);
  const folders = await Folders.of([root]);
  await withMask(0o022, async () => {
    const modes = await modesDuring(root, () =>
      withWriteTarget(folders, join(root, 'key'), (writeTarget) =>
        replaceFile(writeTarget, 'secret'.repeat(5_000_000)),
      ),
    );
    assert.ok(
      [...modes.keys()].some((name) => name.endsWith('.tmp')),
      'the temporary file was seen',
    );
    assert.deepEqual(new Set([...modes.values()].flatMap((found) => [...found])), new Set([0o600]));
  });
});

test(
  'a file keeps its permissions regardless of the umask, and a new file has the default ones',
  { skip },
  async () => {
    const root = join(base, 'masks');
    await mkdir(root);
    const folders = await Folders.of([root]);
    for (const mask of [0o000, 0o022, 0o077])
      await withMask(mask, async () => {
        const [old, fresh, plain] = ['old', 'fresh', 'plain'].map((name) => join(root, `${name}-${mask}`)) as [
          string,
          string,
          string,
        ];
        await writeFile(old, 'old');
        await chmod(old, 0o466);
        await writeFile(plain, '');
        for (const path of [old, fresh])
          await withWriteTarget(folders, path, (writeTarget) => replaceFile(writeTarget, 'new'));
        assert.equal((await stat(old)).mode & 0o777, 0o466);
        assert.equal((await stat(fresh)).mode, (await stat(plain)).mode);
      });
  },
);
