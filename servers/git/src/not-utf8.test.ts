// Repositories with names and texts that are not UTF-8: none is checked, shown or written under a similar name.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { appendFile, chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { git, setting } from './fixtures/setting.ts';

const skip = process.platform !== 'linux' && 'names on this system are always Unicode';
/** The path of a file whose name is given in Latin-1, as bytes. */
function bytePath(folder: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'latin1')]);
}

test('a filter whose name is not UTF-8 is not run', { skip }, async () => {
  const { top, repo, result } = await setting();
  const ran = join(top, 'ran');
  const trap = join(top, 'trap.sh');
  await writeFile(trap, `#!/bin/sh\necho ran >> ${ran}\ncat\n`);
  await chmod(trap, 0o755);
  await appendFile(join(repo, '.git', 'config'), Buffer.from(`[filter "\xff"]\n\tclean = ${trap}\n`, 'latin1'));
  await writeFile(join(repo, '.gitattributes'), Buffer.from('*.txt filter=\xff\n', 'latin1'));
  await writeFile(join(repo, 'a.txt'), 'two\n');
  const { isError, said } = await result('git_add', { files: ['a.txt'] });
  assert.equal(existsSync(ran), false, 'the filter ran');
  assert.ok(isError);
  assert.match(said, /not text in UTF-8/);
});

test(
  'a link whose name is not UTF-8 does not lead outside, whatever exists under its displayed name',
  { skip },
  async () => {
    const { top, repo, result } = await setting();
    await writeFile(join(top, 'outside'), `${git(repo, ['rev-parse', 'HEAD'])}`);
    const heads = join(repo, '.git', 'refs', 'heads');
    await symlink(join(top, 'outside'), bytePath(heads, '\xff'));
    await writeFile(join(heads, '\ufffd'), git(repo, ['rev-parse', 'HEAD']));
    const { isError, said } = await result('git_status');
    assert.ok(isError);
    assert.match(said, /a name that is not UTF-8/);
  },
);

test('an object alternate whose path is not UTF-8 is refused', { skip }, async () => {
  const { top, root, repo, result } = await setting();
  const outside = join(top, 'outside');
  await mkdir(outside);
  git(outside, ['init', '--quiet']);
  await symlink(join(outside, '.git', 'objects'), bytePath(root, '\xff'));
  await mkdir(join(root, '\ufffd'));
  await writeFile(
    join(repo, '.git', 'objects', 'info', 'alternates'),
    Buffer.concat([bytePath(root, '\xff'), Buffer.from('\n')]),
  );
  const { isError, said } = await result('git_status');
  assert.ok(isError);
  assert.match(said, /alternate/);
});

test('a submodule whose path is not UTF-8 is not entered', { skip }, async () => {
  const { repo, result } = await setting();
  const hash = git(repo, ['rev-parse', 'HEAD']).trim();
  git(repo, ['update-index', '--index-info'], Buffer.from(`160000 ${hash} 0\tsub\xff\n`, 'latin1'));
  const { isError, said } = await result('git_status');
  assert.ok(isError);
  assert.match(said, /a submodule whose path is not UTF-8/);
});

test(
  'bytes of a file that are not UTF-8 are shown as such, and files with such names cause no failure',
  { skip },
  async () => {
    const { repo, result } = await setting();
    await writeFile(join(repo, 'a.txt'), Buffer.from('caf\xe9 \xc3\xa9 \xe2\x82\n', 'latin1'));
    await writeFile(bytePath(repo, 'b\xff.txt'), 'b');
    git(repo, ['add', '.']);
    const { said } = await result('git_diff_staged');
    assert.match(said, /^\+caf<E9> é <E2><82>$/m);
    assert.match(said, /bytes that are not UTF-8 are shown as <E9>/i);
    assert.match((await result('git_status')).said, /b\\377\.txt/);
    git(repo, ['commit', '--quiet', '-m', 'Second']);
    assert.doesNotMatch((await result('git_log')).said, /not UTF-8/);
  },
);

test('a text that cannot be written as UTF-8 is refused instead of changed', async () => {
  const { repo, result } = await setting();
  await writeFile(join(repo, 'b.txt'), 'b');
  git(repo, ['add', '.']);
  for (const [name, args] of [
    ['git_commit', { message: 'half \ud83d' }],
    ['git_add', { files: ['\ud83d.txt'] }],
    ['git_create_branch', { branch_name: 'half-\ude00' }],
  ] as const) {
    const { isError, said } = await result(name, args);
    assert.ok(isError, name);
    assert.match(said, /half of a character/);
  }
  assert.match((await result('git_log')).said, /Message: First/);
  assert.equal(await readFile(join(repo, '.git', 'HEAD'), 'utf8'), 'ref: refs/heads/main\n');
});
