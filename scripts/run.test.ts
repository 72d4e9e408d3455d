// The task runner in a bare folder with a space in its path, with a fake npm that records its arguments.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { root } from './lib/files.ts';

const folders: string[] = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function lock(version: string) {
  return {
    packages: {
      '': {},
      'node_modules/a': { version, integrity: `sum-${version}` },
      'node_modules/other-platform': { version: '1.0.0', integrity: 'x', optional: true },
    },
  };
}

/** The fake npm: records its arguments, then installs the packages of the lockfile. */
const npm = `
const fs = require('node:fs');
fs.appendFileSync('npm.log', process.argv.slice(2).join(' ') + '\\n');
if (process.env.NPM_FAILS) process.exit(7);
const { packages } = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'));
delete packages['node_modules/other-platform'];
fs.mkdirSync('node_modules/a', { recursive: true });
fs.writeFileSync('node_modules/a/package.json', '{}');
fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages }));
`;

function checkout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenon run '));
  folders.push(folder);
  for (const path of ['scripts/run.mjs', 'scripts/lib/npm.mjs']) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyFileSync(join(root, path), join(folder, path));
  }
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock('1.0.0')));
  writeFileSync(join(folder, 'npm-cli.js'), npm);
  writeFileSync(
    join(folder, 'scripts/build.mjs'),
    `console.log('built'); process.exitCode = Number(process.env.BUILD ?? 0);`,
  );
  writeFileSync(
    join(folder, 'scripts/test.ts'),
    `const args: string[] = process.argv.slice(2);\nconsole.log(process.versions.node, JSON.stringify(args));\nprocess.exitCode = 3;\n`,
  );
  return folder;
}

function run(folder: string, args: string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'scripts/run.mjs'), ...args], {
    cwd: tmpdir(),
    encoding: 'utf8',
    env: { ...process.env, npm_execpath: join(folder, 'npm-cli.js'), npm_node_execpath: process.execPath, ...env },
  });
  const calls = existsSync(join(folder, 'npm.log'))
    ? readFileSync(join(folder, 'npm.log'), 'utf8').trim().split('\n')
    : [];
  return { status, stdout, stderr, calls };
}

test('a bare checkout is installed and built, the task gets its arguments, and its exit code is returned', () => {
  const { status, stdout, stderr, calls } = run(checkout(), ['test', 'a b', '--c']);
  assert.equal(calls.length, 1);
  assert.match(calls[0] ?? '', /^ci --include=dev --include=optional/);
  assert.match(stderr, /nothing is installed yet/);
  assert.match(stdout, /built\n.*\["a b","--c"\]/);
  assert.equal(status, 3);
});

test('a fresh install is not changed; a package for another platform is not required', () => {
  const folder = checkout();
  run(folder, ['test']);
  assert.equal(run(folder, ['test']).calls.length, 1);
});

test('a changed lockfile or a removed package leads to a new install', () => {
  const folder = checkout();
  run(folder, ['test']);
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock('1.0.1')));
  const changed = run(folder, ['test']);
  assert.match(changed.stderr, /node_modules\/a is 1\.0\.0, not 1\.0\.1/);
  assert.equal(changed.calls.length, 2);
  rmSync(join(folder, 'node_modules/a'), { recursive: true });
  const removed = run(folder, ['test']);
  assert.match(removed.stderr, /node_modules\/a is missing/);
  assert.equal(removed.calls.length, 3);
});

test('a failing install and a failing build stop everything, with their exit codes', () => {
  const install = run(checkout(), ['test'], { NPM_FAILS: '1' });
  assert.equal(install.status, 7);
  assert.match(install.stderr, /npm ci failed/);
  assert.equal(install.stdout, '');
  const build = run(checkout(), ['test'], { BUILD: '5' });
  assert.equal(build.status, 5);
  assert.match(build.stderr, /The build failed/);
  assert.doesNotMatch(build.stdout, /\[\]/);
});

test('an unknown task is a usage error that lists the tasks', () => {
  const { status, stderr, calls } = run(checkout(), ['tset']);
  assert.equal(status, 2);
  assert.match(stderr, /Unknown task "tset"\. Tasks: start, test, /);
  assert.deepEqual(calls, []);
});

test('without a Node 24 the message says what to do', { skip: process.platform === 'win32' && 'shell script' }, () => {
  const folder = checkout();
  run(folder, ['test']);
  // Only a Node that reports an old version is available: on the PATH, as npm's own, and running the task runner.
  const old = join(folder, 'node');
  writeFileSync(old, '#!/bin/sh\necho v20.19.0\n', { mode: 0o755 });
  const pretend = `Object.defineProperty(process, 'execPath', { value: ${JSON.stringify(old)} });`;
  const { status, stderr } = run(folder, ['test'], {
    PATH: folder,
    npm_node_execpath: old,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(pretend)}`,
  });
  assert.equal(status, 1);
  assert.match(stderr, /Node 24 or newer is needed.*install Node 24 from https:\/\/nodejs\.org/s);
});
