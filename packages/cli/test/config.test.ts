import assert from 'node:assert/strict';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { connect } from 'tenon/client';
import { failureIn, tenon } from './run-tenon.ts';

const base = await mkdtemp(join(tmpdir(), 'tenon-config-'));
after(() => rm(base, { recursive: true, force: true }));

let count = 0;
/** A temporary home folder and project. */
async function setting() {
  const home = join(base, String(count++));
  const cwd = join(home, 'project');
  await mkdir(cwd, { recursive: true });
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, '.config'), APPDATA: join(home, '.config') };
  return {
    home,
    cwd,
    config: (...args: string[]) => tenon(['config', ...args], { cwd, env }),
    read: (path: string) => readFile(join(home, path), 'utf8'),
    put: async (path: string, text: string) => {
      await mkdir(join(home, path, '..'), { recursive: true });
      await writeFile(join(home, path), text);
    },
  };
}

const PLACES: readonly [host: string, path: string, args: readonly string[]][] = [
  ['claude-desktop', '.config/Claude/claude_desktop_config.json', []],
  ['claude-code', 'project/.mcp.json', []],
  ['claude-code', '.claude.json', ['--user']],
  ['vscode', 'project/.vscode/mcp.json', []],
  ['vscode', '.config/Code/User/mcp.json', ['--user']],
  ['cursor', 'project/.cursor/mcp.json', []],
  ['cursor', '.cursor/mcp.json', ['--user']],
  ['goose', '.config/goose/config.yaml', []],
];

test('each host gets its own format in its own file', async () => {
  const { config, read } = await setting();
  for (const [host, path, more] of PLACES) {
    const added = await config(
      'add',
      'notes',
      '--host',
      host,
      ...more,
      '--env',
      'KEY=a=b',
      '--',
      'node',
      'notes.js',
      '--all',
    );
    assert.equal(added.code, 0, added.stderr);
    assert.doesNotMatch(added.stdout, /a=b/);
    const text = await read(path);
    for (const part of ['notes', 'node', 'notes.js', '--all', 'KEY', 'a=b'])
      assert.ok(text.includes(part), `${host}: ${part}`);
    const listed = JSON.parse((await config('list', '--host', host, ...more)).stdout) as {
      name: string;
      command: string;
      env: string[];
    }[];
    assert.deepEqual([listed[0]!.name, listed[0]!.command, listed[0]!.env], ['notes', 'node', ['KEY']]);
    const again = await config(
      'add',
      'notes',
      '--host',
      host,
      ...more,
      '--env',
      'KEY=a=b',
      '--',
      'node',
      'notes.js',
      '--all',
    );
    assert.match(again.stdout, /was there already/);
    assert.equal(await read(path), text);
    const taken = await config('add', 'notes', '--host', host, ...more, '--', 'other');
    assert.deepEqual([taken.code, failureIn(taken)['code']], [2, 'name_in_use']);
    assert.equal((await config('add', 'notes', '--replace', '--host', host, ...more, '--', 'other')).code, 0);
    assert.equal((await config('remove', 'notes', '--host', host, ...more)).code, 0);
    assert.equal((await config('remove', 'notes', '--host', host, ...more)).code, 2);
    assert.doesNotMatch(await read(path), /notes/);
  }
});

test("each host's own member names are used", async () => {
  const { config, read } = await setting();
  const url = 'https://mcp.example.com/mcp';
  for (const [host, path, expected] of [
    ['claude-code', 'project/.mcp.json', { mcpServers: { s: { type: 'http', url, headers: { A: 'b' } } } }],
    ['vscode', 'project/.vscode/mcp.json', { servers: { s: { type: 'http', url, headers: { A: 'b' } } } }],
    ['cursor', 'project/.cursor/mcp.json', { mcpServers: { s: { url, headers: { A: 'b' } } } }],
  ] as const) {
    const { code, stderr } = await config('add', 's', '--host', host, '--header', 'A: b', url);
    assert.equal(code, 0, stderr);
    assert.deepEqual(JSON.parse(await read(path)), expected);
  }
  await config('add', 's', '--host', 'goose', '--header', 'A: b', url);
  const yaml = await read('.config/goose/config.yaml');
  for (const line of ['extensions:', 'type: streamable_http', `uri: ${url}`, 'A: b', 'enabled: true'])
    assert.ok(yaml.includes(line), line);
  await config('add', 'local', '--host', 'goose', '--', 'node', 'x.js');
  assert.match(await read('.config/goose/config.yaml'), /cmd: node\n\s+args:\n\s+- x\.js/);
  const desktop = await config('add', 's', '--host', 'claude-desktop', url);
  assert.equal(desktop.code, 2);
  assert.match(String(failureIn(desktop)['message']), /connectors/);
  await config('add', 'l', '--host', 'vscode', '--', 'node', 'x.js');
  assert.equal((JSON.parse(await read('project/.vscode/mcp.json')) as any).servers.l.type, 'stdio');
});

const COMMENTED = `{
\t// Mine, with care.
\t"inputs": [{ "type": "promptString", "id": "key", "password": true }],
\t"servers": {
\t\t"first": { "command": "one" }, // keep me
\t\t/* and me */ "second": { "command": "two", "dev": { "watch": "x" } },
\t},
}
`;

test('the rest of a file is not changed: comments, order, unknown members, line endings', async () => {
  const { config, read, put } = await setting();
  for (const text of [COMMENTED, COMMENTED.replaceAll('\n', '\r\n')]) {
    await put('project/.vscode/mcp.json', text);
    assert.equal((await config('add', 'third', '--host', 'vscode', '--', 'three')).code, 0);
    const added = await read('project/.vscode/mcp.json');
    for (const part of [
      '// Mine, with care.',
      '// keep me',
      '/* and me */',
      '"watch": "x"',
      '"password": true',
      '"three"',
    ])
      assert.ok(added.includes(part), part);
    assert.equal(/[^\r]\n/.test(added), /[^\r]\n/.test(text));
    await config('remove', 'third', '--host', 'vscode');
    const strip = (value: string): string => value.replaceAll(/[\s,]/g, '');
    assert.equal(strip(await read('project/.vscode/mcp.json')), strip(text));
  }
  const goose =
    '# mine\nGOOSE_MODE: auto\nextensions:\n  developer: # built in\n    type: builtin\n    enabled: true\n';
  await put('.config/goose/config.yaml', goose);
  await config('add', 'x', '--host', 'goose', '--', 'x');
  const changed = await read('.config/goose/config.yaml');
  assert.ok(changed.startsWith(goose.trimEnd()), changed);
  await config('remove', 'x', '--host', 'goose');
  assert.equal(await read('.config/goose/config.yaml'), goose);
});

test('a file that cannot be read is not changed, and the others are still listed', async () => {
  const { config, read, put } = await setting();
  for (const text of ['{ "mcpServers": { ', '[]', '{ "mcpServers": [] }', 'not json']) {
    await put('project/.mcp.json', text);
    const failed = await config('add', 'x', '--host', 'claude-code', '--', 'x');
    assert.deepEqual([failed.code, failureIn(failed)['code']], [2, 'not_a_config'], text);
    assert.equal(await read('project/.mcp.json'), text);
  }
  await put('.config/goose/config.yaml', 'extensions:\n  - [');
  assert.equal((await config('add', 'x', '--host', 'goose', '--', 'x')).code, 2);
  await config('add', 'good', '--host', 'cursor', '--', 'x');
  const { stdout, stderr, code } = await config('list');
  assert.equal(code, 0, stderr);
  assert.deepEqual(
    (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name),
    ['good'],
  );
  assert.match(stderr, /was not changed/);
});

test('only libraries for existing files are loaded', async () => {
  const { cwd, home, put } = await setting();
  const told = `import { registerHooks } from 'node:module';
    registerHooks({ resolve(name, context, next) {
      if (/^(?:yaml|smol-toml|jsonc-parser)$/.test(name)) process.stderr.write('loads ' + name + '\\n');
      return next(name, context);
    } });`;
  const env = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    APPDATA: join(home, '.config'),
    CODEX_HOME: join(home, '.codex'),
    COPILOT_HOME: join(home, '.copilot'),
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(told)}`,
  };
  const list = async () => (await tenon(['config', 'list'], { cwd, env })).stderr;
  assert.equal(await list(), '');
  await put('.codex/config.toml', '');
  assert.equal(await list(), '');
  await put('.codex/config.toml', '[mcp_servers.x]\ncommand = "x"\n');
  assert.equal(await list(), 'loads smol-toml\n');
});

test('an entry that is not an object still takes its name: it is not overwritten without --replace', async () => {
  const { config, read, put } = await setting();
  for (const entry of ['null', '"off"', '[]']) {
    const text = `{ "mcpServers": { "x": ${entry} } }\n`;
    await put('project/.mcp.json', text);
    const taken = await config('add', 'x', '--host', 'claude-code', '--', 'x');
    assert.deepEqual([taken.code, failureIn(taken)['code']], [2, 'name_in_use'], entry);
    assert.equal(await read('project/.mcp.json'), text);
    const listed = await config('list', '--host', 'claude-code');
    assert.deepEqual(
      (JSON.parse(listed.stdout) as { name: string; kind: string }[]).map(({ name, kind }) => [name, kind]),
      [['x', 'unknown']],
    );
    const exported = await config('export', '--host', 'claude-code', '--to', 'cursor');
    assert.deepEqual(JSON.parse(exported.stdout), { mcpServers: {} });
    assert.match((await config('add', 'x', '--replace', '--host', 'claude-code', '--', 'x')).stdout, /replaced/);
    await put('project/.mcp.json', text);
    assert.equal((await config('remove', 'x', '--host', 'claude-code')).code, 0);
    assert.deepEqual(JSON.parse(await read('project/.mcp.json')), { mcpServers: {} });
  }
});

test('a duplicate member is named, and the file is not changed', async () => {
  const { config, read, put } = await setting();
  const text = '{ "mcpServers": { "a": {} }, "mcpServers": { "b": {} } }\n';
  await put('project/.mcp.json', text);
  const failed = await config('add', 'x', '--host', 'claude-code', '--', 'x');
  assert.deepEqual([failed.code, failureIn(failed)['code']], [2, 'not_a_config']);
  assert.match(String(failureIn(failed)['message']), /was not changed: it has "mcpServers" twice/);
  assert.equal(await read('project/.mcp.json'), text);
});

test('permissions and symlinks are preserved, and no temporary file is left', async () => {
  const { config, home, put } = await setting();
  await put('dotfiles/mcp.json', '{}');
  await chmod(join(home, 'dotfiles/mcp.json'), 0o640);
  await mkdir(join(home, '.cursor'));
  await symlink(join(home, 'dotfiles/mcp.json'), join(home, '.cursor/mcp.json'));
  await config('add', '__proto__', '--host', 'cursor', '--user', '--', 'x');
  await config('add', 'x', '--host', 'cursor', '--user', '--', 'x');
  assert.ok((await lstat(join(home, '.cursor/mcp.json'))).isSymbolicLink());
  assert.equal((await stat(join(home, 'dotfiles/mcp.json'))).mode & 0o777, 0o640);
  assert.deepEqual(await readdir(join(home, 'dotfiles')), ['mcp.json']);
  const made = await config('add', 'x', '--host', 'claude-code', '--', 'x');
  assert.equal(made.code, 0);
  assert.equal((await stat(join(home, 'project/.mcp.json'))).mode & 0o077, 0);
});

test('servers are exported for another host, with a warning about what it does not support', async () => {
  const { config, put } = await setting();
  await put(
    '.config/goose/config.yaml',
    'extensions:\n  dev: { type: builtin, enabled: true }\n  a: { type: stdio, cmd: node, args: [x.js], envs: { K: v } }\n  b: { type: streamable_http, uri: "https://x.example/mcp" }\n',
  );
  const desktop = await config('export', '--host', 'goose', '--to', 'claude-desktop');
  assert.deepEqual(JSON.parse(desktop.stdout), {
    mcpServers: { a: { command: 'node', args: ['x.js'], env: { K: 'v' } } },
  });
  assert.match(desktop.stderr, /dev is left out/);
  assert.match(desktop.stderr, /b is left out/);
  const code = await config('export', 'b', '--host', 'goose', '--to', 'claude-code');
  assert.deepEqual(JSON.parse(code.stdout), { mcpServers: { b: { type: 'http', url: 'https://x.example/mcp' } } });
  await config('add', 'a', '--host', 'cursor', '--', 'node', 'x.js');
  assert.match((await config('export', '--host', 'cursor', '--to', 'goose')).stdout, /^extensions:\n {2}a:/);
  assert.equal((await config('export', 'zzz', '--host', 'goose', '--to', 'cursor')).code, 2);
});

test('a server that comes with the project is added by its name, and the host can start it', async () => {
  const { config, read } = await setting();
  assert.equal((await config('add', 'time', '--host', 'claude-desktop')).code, 0);
  const { mcpServers } = JSON.parse(await read('.config/Claude/claude_desktop_config.json')) as {
    mcpServers: { time: { command: string; args: string[] } };
  };
  await using client = await connect(mcpServers.time);
  assert.equal(client.server?.name, 'time');
  await config('add', 'time', '--host', 'vscode');
  assert.deepEqual(JSON.parse(await read('project/.vscode/mcp.json')), {
    servers: { time: { type: 'stdio', command: 'tenon', args: ['run', 'time'] } },
  });
});

test('missing inputs are asked for', async () => {
  const { config } = await setting();
  for (const [args, message] of [
    [[], /Which action/],
    [['add'], /name of the server is missing/],
    [['add', 'x', '--', 'y'], /Which host/],
    [['add', 'x', '--host', 'emacs', '--', 'y'], /no host emacs/],
    [['add', 'x', '--host', 'cursor'], /Which server/],
    [['add', 'x', '--host', 'cursor', '--env', 'NO_SUCH_VARIABLE_HERE', '--', 'y'], /is not set/],
    [['frobnicate', 'x'], /Which action/],
  ] as const) {
    const failed = await config(...args);
    assert.equal(failed.code, 2);
    assert.match(String(failureIn(failed)['message']), message);
  }
});

test('what a server needs is said when it is added without it, and can come from the environment of the user', async () => {
  const { home, cwd, read } = await setting();
  const env = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    APPDATA: join(home, '.config'),
    SLACK_BOT_TOKEN: 'xoxb-1',
  };
  const add = (...args: string[]) => tenon(['config', 'add', ...args, '--host', 'claude-desktop'], { cwd, env });
  const without = await add('slack');
  assert.deepEqual([without.code, without.stderr.match(/slack needs (\w+)/)?.[1]], [0, 'SLACK_BOT_TOKEN']);
  const passed = await add('slack', '--replace', '--env', 'SLACK_BOT_TOKEN');
  assert.deepEqual([passed.code, passed.stderr], [0, '']);
  const { mcpServers } = JSON.parse(await read('.config/Claude/claude_desktop_config.json')) as {
    mcpServers: Record<string, { env: Record<string, string> }>;
  };
  assert.deepEqual(mcpServers['slack']!.env, { SLACK_BOT_TOKEN: 'xoxb-1' });
  assert.equal((await add('time')).stderr, '');
  assert.equal((await add('gitlab', '--env', 'GITLAB_TOKEN=t')).stderr, '');
});
