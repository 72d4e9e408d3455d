import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, cp, link, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type Client, connect } from 'tenon/client';
import { Folders } from '../../shared/folders.ts';
import { serveOverHttp, textOf, waysTo, withTenon } from '../../shared/test/ways.ts';
import { createGit } from './server.ts';

const base = await mkdtemp(join(tmpdir(), 'tenon-git-'));
after(() => rm(base, { recursive: true, force: true }));

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@example.com',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@example.com',
};

/** Runs git like a user. */
function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...IDENTITY,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_DATE: '2026-01-02T03:04:05Z',
      GIT_COMMITTER_DATE: '2026-01-02T03:04:05Z',
    },
  });
}

let count = 0;
async function setting() {
  const top = join(base, String(count++));
  const root = join(top, 'root');
  const repo = join(root, 'repo');
  await mkdir(repo, { recursive: true });
  git(repo, 'init', '--quiet', '--initial-branch=main');
  await writeFile(join(repo, 'a.txt'), 'one\ntwo\n');
  git(repo, 'add', '.');
  git(repo, 'commit', '--quiet', '-m', 'First\n\nwith a body');
  const client = await connect(
    createGit({ folders: await Folders.of([root]), readUser: async () => ({ identity: IDENTITY, safe: [] }) }),
  );
  after(() => client.close());
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<string> =>
    textOf((await client.result(name, { repo_path: repo, ...args })) as never);
  return { top, root, repo, client, call };
}

async function refused(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const { isError = false, content } = await client.result(name, args);
  assert.ok(isError, `${name} ${JSON.stringify(args)} gave ${JSON.stringify(content).slice(0, 300)}`);
  return JSON.stringify(content);
}

test('a change appears in the diff, is staged, unstaged, committed, shown and listed in the log', async () => {
  const { repo, call, client } = await setting();
  assert.match(await call('git_status'), /^Repository status:\nOn branch main\nnothing to commit/);
  await writeFile(join(repo, 'a.txt'), 'one\nzwei\n');
  await writeFile(join(repo, 'b.txt'), 'new\n');
  assert.match(await call('git_diff_unstaged'), /^Unstaged changes:\ndiff --git a\/a\.txt[\s\S]*-two\n\+zwei/);
  assert.doesNotMatch(await call('git_diff_unstaged', { context_lines: 0 }), /^ one$/m);
  assert.equal(await call('git_add', { files: ['a.txt', 'b.txt'] }), 'Files staged successfully');
  assert.match(await call('git_diff_staged'), /\+new/);
  assert.equal(await call('git_reset'), 'All staged changes reset');
  assert.equal(await call('git_diff_staged'), 'Staged changes:\n');
  await call('git_add', { files: ['.'] });
  const done = await call('git_commit', { message: 'Second: -x "quoted" `sh`' });
  const [, hash = ''] = /^Changes committed successfully with hash ([0-9a-f]{40})$/.exec(done) ?? [];
  assert.equal(git(repo, 'rev-parse', 'HEAD').trim(), hash);
  assert.match(await call('git_show', { revision: 'HEAD' }), /Message: Second: -x "quoted" `sh`\n[\s\S]*\+zwei/);
  assert.match(await call('git_diff', { target: 'HEAD~1' }), /^Diff with HEAD~1:\n[\s\S]*\+zwei/);
  assert.match(await call('git_diff', { target: 'HEAD~1..HEAD' }), /\+zwei/);
  const { structuredContent } = await client.result('git_log', { repo_path: repo });
  const { commits } = structuredContent as { commits: { hash: string; author: string; message: string }[] };
  assert.deepEqual(
    commits.map(({ author, message }) => [author, message]),
    [
      ['Ann <ann@example.com>', 'Second: -x "quoted" `sh`'],
      ['Ann <ann@example.com>', 'First\n\nwith a body'],
    ],
  );
  assert.equal(commits[0]!.hash, hash);
});

test('the log of a period has all its entries, up to the requested number', async () => {
  const { repo, client } = await setting();
  for (let day = 10; day < 20; day++)
    execFileSync('git', ['commit', '--quiet', '--allow-empty', '-m', `day ${day}\n\nbody`], {
      cwd: repo,
      env: {
        ...process.env,
        ...IDENTITY,
        GIT_AUTHOR_DATE: `2026-02-${day}T12:00:00Z`,
        GIT_COMMITTER_DATE: `2026-02-${day}T12:00:00Z`,
      },
    });
  const log = async (args: object) => {
    const { structuredContent } = await client.result('git_log', { repo_path: repo, ...args });
    return (structuredContent as { commits: { message: string }[] }).commits.map(
      ({ message }) => message.split('\n')[0],
    );
  };
  const span = { start_timestamp: '2026-02-12T00:00:00Z', end_timestamp: '2026-02-16T00:00:00Z' };
  assert.deepEqual(await log(span), ['day 15', 'day 14', 'day 13', 'day 12']);
  assert.deepEqual(await log({ ...span, max_count: 2 }), ['day 15', 'day 14']);
  assert.equal((await log({})).length, 10);
});

test('branches are made, listed, switched to and completed', async () => {
  const { repo, call, client } = await setting();
  assert.equal(await call('git_create_branch', { branch_name: 'topic/x' }), "Created branch 'topic/x' from 'main'");
  assert.equal(await call('git_checkout', { branch_name: 'topic/x' }), "Switched to branch 'topic/x'");
  await writeFile(join(repo, 'c.txt'), 'c');
  await call('git_add', { files: ['c.txt'] });
  await call('git_commit', { message: 'On topic' });
  assert.match(await call('git_branch'), /\* topic\/x/);
  const head = git(repo, 'rev-parse', 'HEAD').trim();
  assert.doesNotMatch(await call('git_branch', { contains: head }), /main/);
  assert.doesNotMatch(await call('git_branch', { branch_type: 'all', not_contains: head }), /topic/);
  const { values } = await client.complete(
    { prompt: 'review-changes' },
    { argument: 'branch', value: 'to', resolved: { repo_path: repo } },
  );
  assert.deepEqual(values, ['topic/x']);
  const { messages } = await client.prompt('review-changes', { repo_path: repo, branch: 'topic/x', base: 'main' });
  assert.match(JSON.stringify(messages), /c\.txt/);
  await refused(client, 'git_create_branch', { repo_path: repo, branch_name: 'topic/x' });
  await refused(client, 'git_checkout', { repo_path: repo, branch_name: 'missing' });
});

async function messageOf(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  return textOf((await client.result(name, args)) as never);
}

const INJECTIONS = [
  '--output=OUT',
  '-OOUT',
  '--no-index',
  '--upload-pack=touch OUT',
  '-c core.pager=touch',
  '--exec=touch OUT',
  '-',
  '--',
  'a\nb',
  'a\0b',
  '--end-of-options',
];

test('[A-94] names are never taken for options', async () => {
  const { top, repo, client } = await setting();
  for (const raw of INJECTIONS) {
    const bad = raw.replaceAll('OUT', join(top, 'written'));
    await refused(client, 'git_diff', { repo_path: repo, target: bad });
    await refused(client, 'git_diff', { repo_path: repo, target: `HEAD..${bad}` });
    await refused(client, 'git_show', { repo_path: repo, revision: bad });
    await refused(client, 'git_checkout', { repo_path: repo, branch_name: bad });
    await refused(client, 'git_create_branch', { repo_path: repo, branch_name: bad });
    await refused(client, 'git_create_branch', { repo_path: repo, branch_name: 'fine', base_branch: bad });
    await refused(client, 'git_branch', { repo_path: repo, contains: bad });
    await refused(client, 'git_branch', { repo_path: repo, not_contains: bad });
    await refused(client, 'git_log', { repo_path: repo, start_timestamp: bad });
    await refused(client, 'git_add', { repo_path: repo, files: [bad] });
    await refused(client, 'git_status', { repo_path: bad });
  }
  assert.deepEqual(await readdir(top), ['root']);
  assert.deepEqual((await readdir(repo)).sort(), ['.git', 'a.txt']);
});

test('[A-94] only repositories that are completely inside of the allowed folders are used', async () => {
  const { top, root, repo, client } = await setting();
  const outside = join(top, 'outside');
  await mkdir(outside);
  git(outside, 'init', '--quiet');
  await writeFile(join(outside, 'secret.txt'), 'secret');
  await symlink(outside, join(root, 'link'));
  for (const path of [
    outside,
    `${root}/../outside`,
    join(root, 'link'),
    top,
    '/',
    `${repo}/../../outside`,
    `${root}-x`,
    '',
    root,
  ])
    await refused(client, 'git_status', { repo_path: path });
  // A repository whose parts are outside.
  const elsewhere = join(root, 'elsewhere');
  await mkdir(elsewhere);
  await writeFile(join(elsewhere, '.git'), `gitdir: ${join(outside, '.git')}\n`);
  await refused(client, 'git_status', { repo_path: elsewhere });
  const pointed = join(root, 'pointed');
  await mkdir(pointed);
  git(pointed, 'init', '--quiet');
  git(pointed, 'config', 'core.worktree', outside);
  await refused(client, 'git_status', { repo_path: pointed });
  const borrowing = join(root, 'borrowing');
  await mkdir(borrowing);
  git(borrowing, 'init', '--quiet');
  await writeFile(join(borrowing, '.git', 'objects', 'info', 'alternates'), `${join(outside, '.git', 'objects')}\n`);
  assert.match(await refused(client, 'git_status', { repo_path: borrowing }), /object alternate/);
  for (const file of ['../../outside/secret.txt', join(outside, 'secret.txt'), '/etc/passwd', '../elsewhere/.git'])
    await refused(client, 'git_add', { repo_path: repo, files: [file] });
  await symlink(outside, join(repo, 'folder'));
  await refused(client, 'git_add', { repo_path: repo, files: ['folder/secret.txt'] });
  assert.equal(
    (await client.tools().all()).some(({ name }) => name === 'git_init'),
    false,
  );
});

test('no program that a repository names is run: hooks, filters, external diffs, monitors, signing programs, submodules', async () => {
  const { top, repo, client, call } = await setting();
  const ran = join(top, 'ran');
  const trap = join(top, 'trap.sh');
  await writeFile(trap, `#!/bin/sh\necho "$0 $@" >> ${ran}\ncat\n`);
  await chmod(trap, 0o755);
  for (const hook of [
    'pre-commit',
    'commit-msg',
    'prepare-commit-msg',
    'post-commit',
    'post-checkout',
    'post-index-change',
    'reference-transaction',
    'fsmonitor-watchman',
  ]) {
    await writeFile(join(repo, '.git', 'hooks', hook), `#!/bin/sh\necho ${hook} >> ${ran}\n`);
    await chmod(join(repo, '.git', 'hooks', hook), 0o755);
  }
  const hooks = join(top, 'hooks');
  await mkdir(hooks);
  const included = join(top, 'included.config');
  await writeFile(included, `[filter "late"]\n\tclean = ${trap}\n\tsmudge = ${trap}\n\trequired = true\n`);
  for (const [name, value] of [
    ['core.fsmonitor', trap],
    ['core.pager', trap],
    ['core.editor', trap],
    ['core.sshCommand', trap],
    ['core.askPass', trap],
    ['diff.external', trap],
    ['diff.t.textconv', trap],
    ['diff.t.command', trap],
    ['merge.t.driver', trap],
    ['filter.t.clean', trap],
    ['filter.t.smudge', trap],
    ['filter.t.process', trap],
    ['filter.t.required', 'true'],
    ['gpg.program', trap],
    ['commit.gpgSign', 'true'],
    ['log.showSignature', 'true'],
    ['credential.helper', trap],
    ['alias.status', `!${trap}`],
    ['pager.log', trap],
    ['interactive.diffFilter', trap],
    ['sequence.editor', trap],
    ['maintenance.auto', 'true'],
    ['gc.auto', '1'],
  ] as const)
    git(repo, 'config', name, value);
  await writeFile(join(repo, 'a.txt'), 'changed\n');
  await writeFile(join(repo, 'b.late'), 'late\n');
  await writeFile(join(repo, 'b.txt'), 'new\n');
  const sub = join(repo, 'sub');
  await mkdir(sub);
  git(sub, 'init', '--quiet');
  await writeFile(join(sub, 'x'), 'x');
  git(sub, 'add', '.');
  git(sub, 'commit', '--quiet', '-m', 'sub');
  git(sub, 'config', 'core.fsmonitor', trap);
  git(sub, 'config', 'filter.inner.clean', trap);
  await writeFile(join(sub, '.gitattributes'), '* filter=inner\n');
  await writeFile(join(sub, 'x'), 'y');
  const added = `160000,${git(sub, 'rev-parse', 'HEAD').trim()},sub`;
  git(repo, '-c', 'core.fsmonitor=false', 'update-index', '--add', '--cacheinfo', added);
  await writeFile(join(repo, '.gitattributes'), '*.txt diff=t filter=t merge=t\n*.late filter=late\n');
  await rm(ran, { force: true });

  await call('git_status');
  await call('git_diff_unstaged');
  assert.equal(
    await call('git_add', { files: ['a.txt', 'b.txt', 'b.late', '.gitattributes', 'sub'] }),
    'Files staged successfully',
  );
  await call('git_diff_staged');
  assert.match(await call('git_commit', { message: 'Trapped' }), /committed successfully/);
  await call('git_status');
  await call('git_show', { revision: 'HEAD' });
  await call('git_diff', { target: 'HEAD~1' });
  await call('git_log');
  await call('git_create_branch', { branch_name: 'other', base_branch: 'HEAD~1' });
  assert.match(await call('git_checkout', { branch_name: 'other' }), /Switched/);
  assert.match(await call('git_checkout', { branch_name: 'main' }), /Switched/);
  await call('git_branch');
  await call('git_reset');
  assert.equal(await readFile(ran, 'utf8').catch(() => ''), '');
  assert.equal(await readFile(join(repo, 'a.txt'), 'utf8'), 'changed\n');
  await client.close();
});

test('checking out a branch does not change the files of a submodule', async () => {
  const { top, repo, call } = await setting();
  const sub = join(repo, 'sub');
  const library = join(top, 'library');
  await mkdir(library);
  git(library, 'init', '--quiet', '--initial-branch=main');
  const commit = async (text: string): Promise<void> => {
    await writeFile(join(library, 'x.txt'), text);
    git(library, 'add', '.');
    git(library, 'commit', '--quiet', '-m', text);
  };
  await commit('one');
  git(repo, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', pathToFileURL(library).href, 'sub');
  git(repo, 'commit', '--quiet', '-m', 'with sub');
  git(repo, 'branch', 'older');
  await commit('two');
  git(sub, '-c', 'protocol.file.allow=always', 'pull', '--quiet');
  git(repo, 'commit', '--quiet', '-a', '-m', 'newer sub');
  git(repo, 'config', 'submodule.recurse', 'true');
  assert.match(await call('git_checkout', { branch_name: 'older' }), /Switched/);
  assert.equal(await readFile(join(sub, 'x.txt'), 'utf8'), 'two');
});

test('filters are not run whatever their name, and unreadable settings are an error', async () => {
  const { top, repo, call, client } = await setting();
  const marker = join(top, 'ran');
  const clean = `sh -c 'touch ${marker}; cat'`;
  for (const driver of ['a=b', '', 'with space', 'ä', 'a.b.c', 'UPPER', 'x".y']) {
    await writeFile(join(repo, '.gitattributes'), `*.txt filter=${/[\s"]/.test(driver) ? 'x' : driver}\n`);
    await writeFile(
      join(repo, '.git', 'config'),
      `[core]\n\trepositoryformatversion = 0\n[filter "${driver.replaceAll('"', '\\"')}"]\n\tclean = ${clean}\n\tsmudge = ${clean}\n\trequired = true\n`,
    );
    await writeFile(join(repo, 'a.txt'), `changed ${driver}\n`);
    await call('git_status');
    await call('git_diff_unstaged');
    await call('git_add', { files: ['a.txt'] });
    await call('git_reset');
    assert.deepEqual(await readdir(top), ['root'], `the filter "${driver}" was run`);
  }
  const many = Array.from({ length: 400_000 }, (_, index) => `\tk${index} = 1\n`).join('');
  await writeFile(join(repo, '.git', 'config'), `[many]\n${many}[filter "late"]\n\tclean = ${clean}\n`);
  await writeFile(join(repo, '.gitattributes'), '*.txt filter=late\n');
  await client.result('git_status', { repo_path: repo });
  assert.deepEqual(await readdir(top), ['root']);
  await writeFile(join(repo, '.git', 'config'), '[includeIf "onbranch:evil"]\n\tpath = evil.config\n');
  assert.match(await refused(client, 'git_status', { repo_path: repo }), /include others/);
});

test('no part of a repository leads out of the allowed folders, or blocks a reader', async () => {
  const { top, root, repo, client } = await setting();
  const outside = join(top, 'outside');
  await mkdir(outside);
  git(outside, 'init', '--quiet');
  await writeFile(join(outside, 'secret.txt'), 'TOPSECRET');
  git(outside, 'add', '.');
  git(outside, 'commit', '--quiet', '-m', 'secret');
  await writeFile(join(outside, 'file'), 'untouched');
  const cases: readonly (readonly [string, string])[] = [
    ['COMMIT_EDITMSG', 'file'],
    ['index', 'file'],
    ['logs', '.git/logs'],
    ['objects', '.git/objects'],
    ['refs', '.git/refs'],
    ['packed-refs', 'file'],
    ['config', '.git/config'],
    ['refs/heads', '.git/refs/heads'],
    ['info/exclude', 'file'],
    ['objects/pack', '.git/objects/pack'],
  ];
  for (const [index, [part, to]] of cases.entries()) {
    const copy = join(root, `copy-${index}`);
    await cp(repo, copy, { recursive: true });
    await rm(join(copy, '.git', part), { recursive: true, force: true });
    await symlink(join(outside, to), join(copy, '.git', part));
    await writeFile(join(copy, 'a.txt'), 'changed');
    for (const [name, args] of [
      ['git_status', {}],
      ['git_add', { files: ['a.txt'] }],
      ['git_commit', { message: 'x' }],
      ['git_show', { revision: 'HEAD' }],
    ] as const)
      assert.doesNotMatch(await refused(client, name, { repo_path: copy, ...args }), /TOPSECRET/, part);
  }
  assert.equal(await readFile(join(outside, 'file'), 'utf8'), 'untouched');
  // An allowed repository that borrows from one that is not allowed.
  const [near, far] = [join(root, 'near'), join(root, 'far')];
  for (const folder of [near, far]) {
    await mkdir(folder);
    git(folder, 'init', '--quiet');
  }
  await writeFile(join(near, '.git/objects/info/alternates'), `${join(far, '.git/objects')}\n`);
  assert.doesNotMatch(await messageOf(client, 'git_status', { repo_path: near }), /object alternate/);
  await writeFile(join(far, '.git/objects/info/alternates'), `${join(outside, '.git/objects')}\n`);
  assert.match(await refused(client, 'git_status', { repo_path: near }), /object alternate/);
  const waiting = join(root, 'waiting');
  await cp(repo, waiting, { recursive: true });
  execFileSync('mkfifo', [join(waiting, '.git/objects/info/alternates')]);
  // Opening the pipe would block until the call times out.
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => refused(client, 'git_status', { repo_path: waiting })),
  );
  for (const text of answers) assert.match(text, /neither a file nor a folder|too large, too deep, or not in a file/);
  assert.match(await messageOf(client, 'git_status', { repo_path: repo }), /On branch main/);
});

test('object alternates may be nested five deep and no deeper', async () => {
  const { root, client } = await setting();
  const chain = Array.from({ length: 7 }, (_, index) => join(root, `chain-${index}`));
  for (const [index, folder] of chain.entries()) {
    await mkdir(folder);
    git(folder, 'init', '--quiet');
    if (index > 0)
      await writeFile(join(folder, '.git/objects/info/alternates'), `${join(chain[index - 1]!, '.git/objects')}\n`);
  }
  assert.match(await messageOf(client, 'git_status', { repo_path: chain[5]! }), /On branch/);
  assert.match(await refused(client, 'git_status', { repo_path: chain[6]! }), /too large, too deep, or not in a file/);
  // A repository that borrows from itself is an endless chain.
  await writeFile(join(chain[0]!, '.git/objects/info/alternates'), `${join(chain[0]!, '.git/objects')}\n`);
  assert.match(await refused(client, 'git_status', { repo_path: chain[0]! }), /too large, too deep, or not in a file/);
});

test('quoted paths, line breaks, hard links and included settings give access to nothing else', async () => {
  const { top, root, repo, client } = await setting();
  const outside = join(top, 'outside');
  await mkdir(outside);
  git(outside, 'init', '--quiet');
  const made = async (name: string): Promise<string> => {
    const copy = join(root, name);
    await cp(repo, copy, { recursive: true });
    return copy;
  };
  const quoted = await made('quoted');
  await mkdir(join(quoted, `.git/objects/"${outside}/.git/objects"`), { recursive: true });
  await writeFile(join(quoted, '.git/objects/info/alternates'), `"${outside}/.git/objects"\n`);
  const broken = join(root, 'bro\nken');
  await cp(repo, broken, { recursive: true });
  const linked = await made('linked');
  await writeFile(join(outside, 'note'), 'secret');
  await link(join(outside, 'note'), join(linked, '.git', 'COMMIT_EDITMSG.x'));
  const including = await made('including');
  await writeFile(join(outside, 'config'), '[user]\n\tname = OUTSIDE\n\temail = o@example.com\n');
  git(including, 'config', 'include.path', join(outside, 'config'));
  for (const copy of [quoted, broken, linked, including]) await refused(client, 'git_status', { repo_path: copy });
});

test('a commit message is kept unchanged, including comment lines', async () => {
  const { repo, call } = await setting();
  for (const message of ['#42 fix', 'Fix\n\n# Why\nbecause']) {
    await writeFile(join(repo, 'a.txt'), message);
    await call('git_add', { files: ['a.txt'] });
    assert.match(await call('git_commit', { message }), /committed/);
    assert.equal(git(repo, 'log', '-1', '--format=%B').trim(), message);
  }
});

test('long output is truncated, with a note', async () => {
  const { repo, call } = await setting();
  await writeFile(join(repo, 'large.txt'), `${'x'.repeat(99)}\n`.repeat(30_000));
  await call('git_add', { files: ['large.txt'] });
  const shown = await call('git_diff_staged');
  assert.ok(shown.length < 1_100_000);
  assert.match(shown, /The output is truncated/);
});

test("the repository's identity takes precedence over the user's global one", async () => {
  const { repo, call } = await setting();
  await call('git_create_branch', { branch_name: 'x' });
  await writeFile(join(repo, 'a.txt'), '1');
  await call('git_add', { files: ['a.txt'] });
  await call('git_commit', { message: 'by Ann' });
  git(repo, 'config', 'user.name', 'Bob');
  git(repo, 'config', 'user.email', 'bob@example.com');
  await writeFile(join(repo, 'a.txt'), '2');
  await call('git_add', { files: ['a.txt'] });
  await call('git_commit', { message: 'by Bob' });
  assert.deepEqual(git(repo, 'log', '--format=%an', '-2').trim().split('\n'), ['Bob', 'Ann']);
});

test('the roots of a client narrow the allowed folders; each client has its own', async () => {
  const { root, repo } = await setting();
  const second = join(root, 'second');
  await mkdir(second);
  git(second, 'init', '--quiet');
  const { url, stop } = await serveOverHttp({ name: 'git', args: [root] });
  after(stop);
  const narrow = await withTenon(url, '2025-11-25', { roots: [{ uri: pathToFileURL(second).href }] });
  const wide = await withTenon(url, '2025-11-25');
  assert.equal((await narrow.call('git_status', { repo_path: repo })).isError, true);
  assert.equal((await narrow.call('git_status', { repo_path: second })).isError ?? false, false);
  assert.equal((await wide.call('git_status', { repo_path: repo })).isError ?? false, false);
  await narrow.close();
  await wide.close();
});

const own = await setting();
const { ways, stop } = waysTo({ name: 'git', args: ['--repository', own.repo] });
after(stop);
for (const [way, open] of ways)
  test(`it answers, ${way}`, async () => {
    const client = await open();
    assert.equal((await client.tools()).length, 12);
    assert.match(textOf(await client.call('git_status', { repo_path: own.repo })), /On branch main/);
    assert.equal((await client.call('git_status', { repo_path: '/' })).isError, true);
    await client.close();
  });
