// The tools' messages about their results.
import assert from 'node:assert/strict';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { git, setting } from './fixtures/setting.ts';

test('if no base is named, the result says from which branch or commit the new branch was created', async () => {
  const { repo, result } = await setting();
  const { said } = await result('git_create_branch', { branch_name: 'topic' });
  assert.equal(said, "Created branch 'topic' from 'main'");
  const hash = git(repo, ['rev-parse', 'HEAD']).trim();
  git(repo, ['checkout', '--quiet', '--detach']);
  const { said: detached } = await result('git_create_branch', { branch_name: 'other' });
  assert.equal(detached, `Created branch 'other' from '${hash}'`);
});

test('only files that are in the index afterwards count as staged', async () => {
  const { repo, result } = await setting();
  await mkdir(join(repo, 'empty'));
  await writeFile(join(repo, '.git', 'hooks', 'x'), 'x');
  await writeFile(join(repo, 'b.txt'), 'b');
  for (const file of ['.git/hooks/x', 'empty']) {
    const { isError, said } = await result('git_add', { files: [file] });
    assert.ok(isError, file);
    assert.match(said, new RegExp(`^Nothing of ${file} could be staged: [^.]+\\.git folder\\.$`));
  }
  const { isError, said } = await result('git_add', { files: ['b.txt', '.git/hooks/x'] });
  assert.ok(isError);
  assert.match(said, /^Nothing of \.git\/hooks\/x .* All other files are staged\.$/);
  assert.equal(git(repo, ['diff', '--cached', '--name-only']), 'b.txt\n');
});

test('unchanged and deleted files count as staged', async () => {
  const { repo, result } = await setting();
  assert.equal((await result('git_add', { files: ['a.txt'] })).said, 'Files staged successfully');
  await rm(join(repo, 'a.txt'));
  assert.equal((await result('git_add', { files: ['a.txt'] })).said, 'Files staged successfully');
  assert.equal((await result('git_add', { files: ['.'] })).said, 'Files staged successfully');
  assert.equal(git(repo, ['status', '--porcelain']), 'D  a.txt\n');
});

test('if the system kills git, the error names the signal', { skip: process.platform === 'win32' }, async () => {
  const { top, result } = await setting();
  const programs = join(top, 'programs');
  await mkdir(programs);
  const path = process.env['PATH']!;
  const real = git(top, ['--exec-path']).trim();
  await writeFile(
    join(programs, 'git'),
    `#!/bin/sh\nfor word; do [ "$word" = add ] && kill -KILL $$; done\nexec '${real}/git' "$@"\n`,
  );
  await chmod(join(programs, 'git'), 0o755);
  process.env['PATH'] = `${programs}${delimiter}${path}`;
  try {
    const { isError, said } = await result('git_add', { files: ['a.txt'] });
    assert.ok(isError);
    assert.equal(said, 'git was ended by SIGKILL, perhaps because there was not enough memory');
  } finally {
    process.env['PATH'] = path;
  }
});
