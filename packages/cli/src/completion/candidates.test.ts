import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPTIONS } from '../command-line/options.ts';
import { OWN_SERVERS } from '../own-servers.ts';
import { VERBS } from '../verbs.ts';
import { candidates } from './candidates.ts';

const NAMES = ['weather', 'notes', '$(touch x)', '`x`', 'a b', '-x', 'a;b', 'a\nb', '../x'];

async function next(...words: readonly string[]): Promise<string[]> {
  const found = await candidates(words, { verbs: VERBS, ownServers: OWN_SERVERS, names: async () => NAMES });
  return found.map(({ word }) => word);
}

test('the first word is a verb, with the meaning of the help text', async () => {
  const verbs = VERBS.map(({ name }) => name);
  assert.deepEqual(await next(''), [...verbs, 'help']);
  assert.deepEqual(await next('rep'), ['replay']);
  assert.deepEqual(await next('--quiet', 'rep'), ['replay']);
  assert.deepEqual(await next('help', ''), verbs);
  assert.deepEqual(await next('help', 'call', ''), []);
  const [call] = await candidates(['call'], { verbs: VERBS, ownServers: OWN_SERVERS, names: async () => [] });
  assert.equal(call!.meaning, VERBS.find(({ name }) => name === 'call')!.meaning);
});

test('every option of every verb is completed, and no other', async () => {
  for (const { name, options } of VERBS) {
    const all = OPTIONS.filter((row) => options.some((option) => option === row.name));
    assert.deepEqual(
      await next(name, '-'),
      all.map((row) => `--${row.name}`),
      name,
    );
  }
  assert.deepEqual(await next('--'), ['--help', '--version']);
});

test('an option is not completed twice, unless it may be given several times', async () => {
  assert.deepEqual(await next('list', '--json', '--js'), []);
  assert.deepEqual(await next('list', '--env', 'A', '--env'), ['--env']);
});

test('names of servers are completed where a server may be given, if they have no special meaning in a shell', async () => {
  const names = ['weather', 'notes'];
  assert.deepEqual(await next('list', ''), ['tools', 'resources', 'templates', 'prompts', ...names]);
  assert.deepEqual(await next('list', 'tools', 'w'), ['weather']);
  assert.deepEqual(await next('call', ''), [], 'the tool name comes first');
  assert.deepEqual(await next('call', 'add', ''), names);
  assert.deepEqual(await next('call', 'add', '--timeout', '100', ''), names);
  assert.deepEqual(await next('doctor', ''), names);
  assert.deepEqual(await next('replay', ''), [], 'it takes no server of a configuration');
});

test('words of a synopsis are completed, and the servers of run', async () => {
  assert.deepEqual(await next('config', 'l'), ['list']);
  assert.deepEqual(await next('audit', ''), ['verify']);
  assert.deepEqual(await next('completion', ''), ['bash', 'zsh', 'fish']);
  assert.deepEqual(await next('run', ''), [...OWN_SERVERS.keys()]);
});

test('values of options, commands of servers and words after a URL are left to the shell', async () => {
  for (const words of [
    ['list', '--config', ''],
    ['list', '--', 'node', 's'],
    ['list', 'https://example.com/mcp', ''],
    ['list', '--nonsense', ''],
    ['nonsense', ''],
  ])
    assert.deepEqual(await next(...words), [], words.join(' '));
});

test('words that bash splits at = and : are joined', async () => {
  assert.deepEqual(await next('call', 'add', 'a', '=', '1', 'w'), ['weather']);
  assert.deepEqual(await next('call', 'add', 'a', '=', ''), []);
  assert.deepEqual(await next('list', '--config', '=', 'x.json', 'w'), ['weather']);
  assert.deepEqual(await next('list', 'https', ':', '//example.com/mcp', ''), []);
});

test('the names come from the configuration of the command line', async () => {
  const seen: (readonly string[])[] = [];
  const names = async (line: { values(name: 'config'): readonly string[] }): Promise<string[]> => {
    seen.push(line.values('config'));
    return [];
  };
  await candidates(['list', '--config', 'a.json', '--config=b.json', ''], {
    verbs: VERBS,
    ownServers: OWN_SERVERS,
    names,
  });
  assert.deepEqual(seen, [['a.json', 'b.json']]);
});
