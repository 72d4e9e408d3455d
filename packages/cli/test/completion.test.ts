// The completion scripts, in the shells that are installed.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { type Shell, missingShell } from '../../../scripts/lib/shells.ts';
import { inTerminal, type Session } from './chat-terminal.ts';
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

async function scriptFor(shell: Shell): Promise<string> {
  const { code, stdout, stderr } = await tenon(['completion', shell]);
  assert.equal(code, 0, stderr);
  const path = join(folder, `completion.${shell}`);
  writeFileSync(path, stdout);
  return path;
}

/** The completions of the bash function, with the words as bash splits them. */
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

test('bash completes verbs, options and names of servers', { skip: missingShell('bash') }, async () => {
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

for (const shell of ['zsh', 'fish'] as const)
  test(`the script for ${shell} is correct for ${shell}`, { skip: missingShell(shell) }, async () => {
    const { status, stderr } = spawnSync(shell, ['-n', await scriptFor(shell)], { encoding: 'utf8' });
    assert.deepEqual([status, stderr], [0, '']);
  });

/** The command line after Tab: the typed text, and the completed text of the shell. */
const TYPED: readonly (readonly [typed: string, becomes: string])[] = [
  ['tenon gen', 'tenon generate'],
  ['tenon call add a=1 w', 'tenon call add a=1 weather'],
  ['tenon list --tim', 'tenon list --timeout'],
  ['tenon list --config=some', 'tenon list --config=some-servers.json'],
  ['tenon call add rows:=@some', 'tenon call add rows:=@some-servers.json'],
  ['tenon list -- tenon-on', 'tenon list -- tenon-on-path'],
  ['tenon list -- node some', 'tenon list -- node some-servers.json'],
];
writeFileSync(join(folder, 'some-servers.json'), '{}');
writeFileSync(join(folder, 'tenon-on-path'), '#!/bin/sh\n');
chmodSync(join(folder, 'tenon-on-path'), 0o755);

/** An interactive shell that a test types into. */
async function prompt(
  shell: string,
  args: readonly string[],
  more: Readonly<Record<string, string>>,
): Promise<Session> {
  const session = inTerminal(args, {
    program: shell,
    cwd: folder,
    columns: 80,
    env: { PATH: env.PATH, HOME: folder, ...more },
  });
  await session.shows(/^% *$/m);
  return session;
}

async function completesTyped(session: Session): Promise<void> {
  for (const [typed, becomes] of TYPED) {
    await session.type(typed, '\t');
    await session.shows(`% ${becomes}`);
    // Clears the line.
    await session.type('\u0015');
  }
  await session.type('tenon ca', '\t', '\t');
  await session.shows(/^% tenon call *$/m);
  await session.type('\u0015', 'tenon c', '\t', '\t');
  await session.shows(/call +-?-? ?\(?call a tool[^]*chat[^]*check/);
  await session.type('\u0015', 'exit', '\r');
  assert.equal(await session.ends(), 0);
  assert.equal(existsSync(join(folder, 'ran')), false, 'no name of a server is run');
}

test('zsh completes typed words at its prompt', { skip: missingShell('zsh') }, async () => {
  const script = await scriptFor('zsh');
  writeFileSync(
    join(folder, '.zshrc'),
    ["PROMPT='%% '", 'autoload -Uz compinit && compinit -u', `source '${script}'`].join('\n'),
  );
  await completesTyped(await prompt('zsh', ['-i'], { ZDOTDIR: folder }));
});

test('zsh can also load the script as an autoloaded function', { skip: missingShell('zsh') }, async () => {
  const functions = mkdtempSync(join(folder, 'functions '));
  const { stdout } = await tenon(['completion', 'zsh']);
  writeFileSync(join(functions, '_tenon'), stdout);
  const home = mkdtempSync(join(folder, 'home '));
  writeFileSync(
    join(home, '.zshrc'),
    ["PROMPT='%% '", `fpath=('${functions}' $fpath)`, 'autoload -Uz compinit && compinit -u'].join('\n'),
  );
  const session = await prompt('zsh', ['-i'], { ZDOTDIR: home });
  await session.type('tenon gen', '\t');
  await session.shows(/^% tenon generate ?$/m);
});

test('fish completes typed words at its prompt', { skip: missingShell('fish') }, async () => {
  const script = await scriptFor('fish');
  const begin = `function fish_prompt; echo -n '% '; end; set -g fish_greeting; source '${script}'`;
  await completesTyped(await prompt('fish', ['--no-config', '-i', '-C', begin], {}));
});

test('fish shows the candidates with their descriptions', { skip: missingShell('fish') }, async () => {
  const script = await scriptFor('fish');
  const code = `source '${script}'; complete -C 'tenon gen'; complete -C 'tenon doctor w'`;
  const { stdout } = spawnSync('fish', ['--no-config', '-c', code], { cwd: folder, env, encoding: 'utf8' });
  assert.match(stdout, /^generate\t\S.*\nweather\ta configured server\n$/);
});

test('a configuration that cannot be read, and words that make no sense, complete nothing and print nothing', async () => {
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
