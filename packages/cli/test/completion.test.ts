// The scripts, in the shells that are installed.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { failureIn, TENON, tenon } from './run-tenon.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon completion '));
after(() => rmSync(folder, { recursive: true, force: true }));

const onPath = join(folder, 'tenon');
writeFileSync(onPath, `#!/bin/sh\nexec '${process.execPath}' '${TENON}' "$@"\n`);
chmodSync(onPath, 0o755);
writeFileSync(
  join(folder, '.mcp.json'),
  JSON.stringify({
    mcpServers: {
      weather: { command: 'false' },
      '$(touch ran)': { command: 'false' },
      'w`touch ran`': { command: 'false' },
    },
  }),
);
const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };

function has(shell: string): boolean {
  return spawnSync(shell, ['--version']).status === 0;
}

async function scriptFor(shell: string): Promise<string> {
  const { code, stdout, stderr } = await tenon(['completion', shell]);
  assert.equal(code, 0, stderr);
  const path = join(folder, `completion.${shell}`);
  writeFileSync(path, stdout);
  return path;
}

/** What the function of bash replies, with the words as bash splits them. */
function inBash(script: string, words: readonly string[]): string[] {
  const code = [
    'set -u',
    'source "$1"; shift',
    'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))',
    '_tenon_completion',
    '(( ${#COMPREPLY[@]} )) && printf "%s\\n" "${COMPREPLY[@]}"',
    'exit 0',
  ].join('\n');
  const { stdout, stderr, status } = spawnSync('bash', ['-c', code, 'bash', script, ...words], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  assert.deepEqual([status, stderr], [0, '']);
  return stdout.split('\n').filter((line) => line !== '');
}

test('bash completes verbs, options and names of servers', { skip: !has('bash') }, async () => {
  const script = await scriptFor('bash');
  assert.deepEqual(inBash(script, ['tenon', 'gen']), ['generate']);
  assert.ok(inBash(script, ['tenon', '']).includes('list'));
  assert.deepEqual(inBash(script, ['tenon', 'list', '--tim']), ['--timeout']);
  assert.deepEqual(inBash(script, ['tenon', 'call', 'add', 'a', '=', '1 2', '']), ['weather']);
  assert.deepEqual(inBash(script, ['tenon', 'list', '--', 'node', '']), []);
  assert.equal(existsSync(join(folder, 'ran')), false, 'no name of a server is run');
  const registered = spawnSync('bash', ['-c', 'source "$1"; complete -p tenon', 'bash', script], { encoding: 'utf8' });
  assert.equal(registered.stdout.trim(), 'complete -o default -F _tenon_completion tenon');
});

for (const shell of ['zsh', 'fish'])
  test(`the script for ${shell} is correct for ${shell}`, { skip: !has(shell) }, async () => {
    const { status, stderr } = spawnSync(shell, ['-n', await scriptFor(shell)], { encoding: 'utf8' });
    assert.deepEqual([status, stderr], [0, '']);
  });

test('fish completes verbs and names of servers', { skip: !has('fish') }, async () => {
  const script = await scriptFor('fish');
  const code = `source '${script}'; complete -C 'tenon gen'; complete -C 'tenon doctor w'`;
  const { stdout } = spawnSync('fish', ['--no-config', '-c', code], { cwd: folder, env, encoding: 'utf8' });
  assert.deepEqual(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split('\t')[0]),
    ['generate', 'weather'],
  );
});

test('a configuration that cannot be read, and words that make no sense, complete nothing and say nothing', async () => {
  for (const words of [['list', '--config', 'none.json', 'x'], ['nonsense', ''], []]) {
    const run = await tenon(['completion', 'next', '--', ...words], { cwd: tmpdir() });
    assert.deepEqual([run.code, run.stderr], [0, ''], words.join(' '));
  }
});

test('another shell is refused', async () => {
  const run = await tenon(['completion', 'tcsh']);
  assert.deepEqual([run.code, failureIn(run)['code']], [2, 'usage']);
  assert.equal((await tenon(['completion'])).code, 2);
  assert.equal((await tenon(['completion', 'bash', 'zsh'])).code, 2);
});
