// Calls that are cancelled while git runs, with a git that stops where the test needs it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { connect } from 'tenon/client';
import { until } from '../../../scripts/lib/until.ts';
import { Folders } from '../../shared/folders.ts';
import { textOf } from '../../shared/test/ways.ts';
import { locksIn, unfinished } from './locks.ts';
import { runGitToEnd } from './run.ts';
import { createGit } from './server.ts';

const base = await mkdtemp(join(tmpdir(), 'tenon-git-cancel-'));
after(() => rm(base, { recursive: true, force: true }));

const PATH = process.env['PATH'] ?? '';
const realGit = PATH.split(delimiter)
  .map((folder) => join(folder, 'git'))
  .find((file) => existsSync(file))!;

let count = 0;

/**
 * A repository, and a fake git that records every command it gets. For `command` it first runs `before`, then waits for `goOn`. While it
 * waits, a signal ends it at once, like git between creating a lock and registering it for removal.
 */
async function setting(command: string, before: string) {
  const top = join(base, String(count++));
  const repo = join(top, 'repo');
  const programs = join(top, 'programs');
  await mkdir(repo, { recursive: true });
  await mkdir(programs);
  execFileSync('git', ['init', '--quiet', '--initial-branch=main'], { cwd: repo });
  await writeFile(join(repo, 'a.txt'), 'a');
  await writeFile(join(repo, 'b.txt'), 'b');
  const [ran, waits, goOn] = [join(top, 'ran'), join(top, 'waits'), join(top, 'go-on')];
  const fake = join(programs, 'git');
  await writeFile(
    fake,
    `#!/bin/sh
for word; do
  case "$word" in --*) ;; *) break ;; esac
done
echo "$word" >> '${ran}'
if [ "$word" = ${command} ] && [ ! -e '${goOn}' ]; then
  ${before}
  : > '${waits}'
  while [ ! -e '${goOn}' ]; do sleep 0.02; done
  rm -f .git/index.lock
fi
exec '${realGit}' "$@"
`,
  );
  await chmod(fake, 0o755);
  const env = { ...process.env, PATH: `${programs}${delimiter}${PATH}` };
  return {
    repo,
    env,
    lock: join(repo, '.git', 'index.lock'),
    waits: () => until(() => existsSync(waits), 'git waits'),
    goOn: () => writeFile(goOn, ''),
    ran: async () => (await readFile(ran, 'utf8')).trim().split('\n'),
  };
}

/** A client of a server that runs this git. */
async function served({ repo, env }: { readonly repo: string; readonly env: NodeJS.ProcessEnv }) {
  process.env['PATH'] = env['PATH'];
  const client = await connect(
    createGit({ folders: await Folders.of([repo]), readUser: async () => ({ identity: {}, safe: [] }) }),
  );
  return {
    add: async (file: string, signal?: AbortSignal): Promise<string> =>
      textOf((await client.result('git_add', { repo_path: repo, files: [file] }, { signal })) as never),
    async [Symbol.asyncDispose]() {
      await client.close();
      process.env['PATH'] = PATH;
    },
  };
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

const LOCKS = ': > .git/index.lock';

test('a call cancelled just after git created its lock leaves no lock behind', async () => {
  const made = await setting('add', LOCKS);
  await using server = await served(made);
  const abort = new AbortController();
  const adding = server.add('a.txt', abort.signal);
  await made.waits();
  abort.abort();
  await assert.rejects(adding, { name: 'AbortError' });
  // It waits until the git of the cancelled call has finished.
  const next = server.add('b.txt');
  await made.goOn();
  assert.equal(await next, 'Files staged successfully');
  assert.equal(existsSync(made.lock), false);
  const staged = execFileSync(realGit, ['diff', '--cached', '--name-only'], { cwd: made.repo, encoding: 'utf8' });
  assert.equal(staged, 'a.txt\nb.txt\n');
});

test('a call that is cancelled before git changes anything changes nothing', async () => {
  const made = await setting('ls-files', '');
  await using server = await served(made);
  const abort = new AbortController();
  const adding = server.add('a.txt', abort.signal);
  await made.waits();
  abort.abort();
  await assert.rejects(adding, { name: 'AbortError' });
  // The git process that only read was stopped, although `goOn` was not called.
  const next = server.add('b.txt');
  await until(async () => (await made.ran()).filter((word) => word === 'ls-files').length === 2, 'the next call runs');
  await made.goOn();
  assert.equal(await next, 'Files staged successfully');
  assert.equal((await made.ran()).filter((word) => word === 'add').length, 1);
});

test('a change that takes too long is stopped, and the message names the remaining lock', async () => {
  const { repo, env, waits, lock } = await setting('add', LOCKS);
  const limit = new AbortController();
  const adding = runGitToEnd(['add', 'a.txt'], repo, env, '', limit.signal);
  await waits();
  limit.abort();
  const ran = await adding;
  assert.ok('running' in ran);
  assert.equal(ran.running, undefined);
  const message = unfinished(ran, await locksIn([join(repo, '.git')]));
  assert.match(message, /was stopped in the middle of a change/);
  assert.ok(
    message.includes(`locked by ${JSON.stringify(lock)}. If no other git process uses it, remove this file`),
    message,
  );
});

test('git is not killed in the middle of a change, and the message names its process', async () => {
  const { repo, env, waits, goOn, lock } = await setting('add', `trap '' TERM; ${LOCKS}`);
  const limit = new AbortController();
  const adding = runGitToEnd(['add', 'a.txt'], repo, env, '', limit.signal, 1);
  await waits();
  limit.abort();
  const ran = await adding;
  assert.ok('running' in ran && ran.running !== undefined);
  assert.match(unfinished(ran, [lock]), new RegExp(`process ${ran.running} is still running`));
  assert.ok(isRunning(ran.running));
  await goOn();
  await until(() => !isRunning(ran.running!), 'git has finished');
  assert.equal(existsSync(lock), false);
});

test('locks of branches are found, and a repository without locks is not reported as locked', async () => {
  const { repo } = await setting('add', '');
  const gitDir = join(repo, '.git');
  assert.deepEqual(await locksIn([gitDir]), []);
  assert.doesNotMatch(unfinished({ running: undefined }, []), /locked/);
  const lock = join(gitDir, 'refs', 'heads', 'topic', 'x.lock');
  await mkdir(join(lock, '..'));
  await writeFile(lock, '');
  assert.deepEqual(await locksIn([gitDir, gitDir]), [lock]);
});
