// The configurations of all hosts, read back by the libraries of their formats.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { connect } from 'tenon/client';
import { parse as parseYaml } from 'yaml';
import { failureIn, fixture, tenon } from './run-tenon.ts';

const base = await realpath(await mkdtemp(join(tmpdir(), 'tenon-hosts-')));
after(() => rm(base, { recursive: true, force: true }));

let count = 0;
/** A temporary home folder and project. */
async function setting() {
  const home = join(base, String(count++));
  const cwd = join(home, 'project');
  await mkdir(cwd, { recursive: true });
  const env = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    APPDATA: join(home, '.config'),
    CODEX_HOME: join(home, '.codex'),
    COPILOT_HOME: join(home, '.copilot'),
  };
  return {
    home,
    cwd,
    run: (...args: string[]) => tenon(args, { cwd, env }),
    config: (...args: string[]) => tenon(['config', ...args], { cwd, env }),
    read: (path: string) => readFile(join(home, path), 'utf8'),
    put: async (path: string, text: string) => {
      await mkdir(dirname(join(home, path)), { recursive: true });
      await writeFile(join(home, path), text);
    },
  };
}

const URL_ = 'https://mcp.example.com/mcp';
const HEADERS = { Authorization: 'Bearer ${env:TOKEN}', 'X-A': 'b' };
const ENV = { KEY: 'a=b "c"' };

/** For each host: its files, and the entries of a command and of a URL as in the host's documentation. */
const HOSTS = [
  {
    host: 'codex',
    user: '.codex/config.toml',
    project: 'project/.codex/config.toml',
    parse: parseToml as (text: string) => unknown,
    member: 'mcp_servers',
    command: { command: 'node', args: ['notes.js', '--all'], env: ENV },
    remote: { url: URL_, bearer_token_env_var: 'TOKEN', http_headers: { 'X-A': 'b' } },
    neighbour: '# mine\nmodel   = "x"\n\n[mcp_servers.old]   # keep\ncommand   = \'y\'\n\n# end\n[tui]\na = 1\n',
  },
  {
    host: 'opencode',
    user: '.config/opencode/opencode.json',
    project: 'project/opencode.json',
    parse: parseJsonc as (text: string) => unknown,
    member: 'mcp',
    command: { type: 'local', command: ['node', 'notes.js', '--all'], environment: ENV, enabled: true },
    remote: { type: 'remote', url: URL_, headers: { ...HEADERS, Authorization: 'Bearer {env:TOKEN}' }, enabled: true },
    neighbour: '{\n  // mine\n  "mcp": {\n    "old": { "type": "local",   "command": ["y"] }, // keep\n  },\n}\n',
  },
  {
    host: 'zed',
    user: '.config/zed/settings.json',
    project: 'project/.zed/settings.json',
    parse: parseJsonc as (text: string) => unknown,
    member: 'context_servers',
    command: { source: 'custom', command: 'node', args: ['notes.js', '--all'], env: ENV },
    remote: { url: URL_, headers: HEADERS },
    neighbour: '{\n\t"theme": "One",\n\t"context_servers": {\n\t\t"old": {"command":   "y"} /* keep */\n\t}\n}\n',
  },
  ...(['gemini', 'qwen'] as const).map((host) => ({
    host,
    user: `.${host}/settings.json`,
    project: `project/.${host}/settings.json`,
    parse: JSON.parse as (text: string) => unknown,
    member: 'mcpServers',
    command: { command: 'node', args: ['notes.js', '--all'], env: ENV },
    remote: { httpUrl: URL_, headers: HEADERS },
    neighbour: '{"mcpServers":{"old":{"command":"y"}},"theme":"x"}',
  })),
  {
    host: 'copilot',
    user: '.copilot/mcp-config.json',
    project: 'project/.github/mcp.json',
    parse: JSON.parse as (text: string) => unknown,
    member: 'mcpServers',
    command: { type: 'local', command: 'node', args: ['notes.js', '--all'], env: ENV, tools: ['*'] },
    remote: { type: 'http', url: URL_, headers: HEADERS, tools: ['*'] },
    neighbour: '{"mcpServers":{"old":{"type":"local","command":"y","args":[],"tools":["*"]}}}',
  },
  {
    host: 'windsurf',
    user: '.codeium/windsurf/mcp_config.json',
    project: undefined,
    parse: JSON.parse as (text: string) => unknown,
    member: 'mcpServers',
    command: { command: 'node', args: ['notes.js', '--all'], env: ENV },
    remote: { serverUrl: URL_, headers: HEADERS },
    neighbour: '{\n  "mcpServers": {\n    "old": {   "serverUrl": "https://y" }\n  }\n}',
  },
] as const;

for (const { host, user, project, parse, member, command, remote, neighbour } of HOSTS)
  test(`${host} gets its own format in its own file, which is read back, and the rest of the file stays`, async () => {
    const { config, read, put } = await setting();
    // As JSON, because the objects of some parsers have no prototype.
    const serversIn = async (path: string) =>
      (JSON.parse(JSON.stringify(parse(await read(path)))) as Record<string, Record<string, unknown>>)[member];
    const words = ['--env', 'KEY=a=b "c"', '--', 'node', 'notes.js', '--all'];
    const added = await config('add', 'notes', '--host', host, '--user', ...words);
    assert.equal(added.code, 0, added.stderr);
    assert.deepEqual(await serversIn(user), { notes: command });
    const headers = Object.entries(HEADERS).flatMap(([name, value]) => ['--header', `${name}: ${value}`]);
    assert.equal((await config('add', 'remote', '--host', host, '--user', ...headers, URL_)).code, 0);
    assert.deepEqual(await serversIn(user), { notes: command, remote });
    const listed = JSON.parse((await config('list', '--host', host, '--user')).stdout) as Record<string, unknown>[];
    assert.deepEqual(
      listed.map(({ name, kind, scope, command: program, url }) => [name, kind, scope, program ?? url]),
      [
        ['notes', 'stdio', 'user', 'node'],
        ['remote', 'http', 'user', URL_],
      ],
    );
    const text = await read(user);
    assert.match((await config('add', 'notes', '--host', host, '--user', ...words)).stdout, /was there already/);
    assert.equal(await read(user), text);
    await config('remove', 'remote', '--host', host, '--user');
    await config('remove', 'notes', '--host', host, '--user');
    assert.deepEqual((await serversIn(user)) ?? {}, {});

    await put(user, neighbour);
    await config('add', 'notes', '--host', host, '--user', ...words);
    const changed = await read(user);
    assert.ok(Object.hasOwn((await serversIn(user))!, 'old'));
    // Every previous byte is kept, in order.
    let at = 0;
    for (const sign of neighbour) {
      at = changed.indexOf(sign, at) + 1;
      assert.notEqual(at, 0);
    }
    await config('remove', 'notes', '--host', host, '--user');
    assert.equal(await read(user), neighbour);

    if (project === undefined) return;
    assert.equal((await config('add', 'notes', '--host', host, ...words)).code, 0);
    assert.deepEqual(await serversIn(project), { notes: command });
  });

test('neighbours keep their formatting and comments, byte for byte', async () => {
  const { config, read, put } = await setting();
  const text = `{
  "mcpServers": {
    "a": { "command": "x", "args": ["1","2"] } // one
  }
}
`;
  await put('project/.mcp.json', text);
  assert.equal((await config('add', 'b', '--host', 'claude-code', '--', 'y')).code, 0);
  const entry = '"b": {\n      "command": "y"\n    }';
  assert.equal(await read('project/.mcp.json'), text.replace('} // one\n', `}, // one\n    ${entry}\n`));
  await config('remove', 'b', '--host', 'claude-code');
  assert.equal(await read('project/.mcp.json'), text);
});

test('a file in which one entry cannot be changed alone is refused, and not changed', async () => {
  const { config, read, put } = await setting();
  for (const [host, path, text] of [
    ['codex', '.codex/config.toml', 'mcp_servers = { a = { command = "x" } }\n'],
    ['goose', '.config/goose/config.yaml', 'extensions: { a: { type: stdio, cmd: x } }\n'],
  ] as const) {
    await put(path, text);
    const run = await config('add', 'n', '--host', host, '--user', '--', 'y');
    assert.deepEqual([run.code, failureIn(run)['code']], [2, 'not_a_config']);
    assert.match(String(failureIn(run)['message']), /was not changed: n cannot be changed in it/);
    assert.equal(await read(path), text);
  }
});

test('every server of this project is added to Claude Desktop in one line, and works', async () => {
  const { config, read, home } = await setting();
  const docs = join(home, 'docs');
  await mkdir(docs);
  await writeFile(join(home, 'data.db'), '');
  const words: Readonly<Record<string, string>> = {
    filesystem: '../docs',
    git: '../docs',
    postgres: 'postgres://ann@localhost:5432/shop',
    sqlite: '../data.db',
  };
  const folder = join(import.meta.dirname, '../../../servers');
  const names = (await readdir(folder)).filter((name) => existsSync(join(folder, name, 'package.json')));
  for (const name of names) {
    const given = words[name] === undefined ? [] : [words[name]];
    assert.equal((await config('add', name, ...given, '--host', 'claude-desktop')).code, 0, name);
  }
  const { mcpServers } = JSON.parse(await read('.config/Claude/claude_desktop_config.json')) as {
    mcpServers: Record<string, { command: string; args: string[] }>;
  };
  assert.deepEqual(Object.keys(mcpServers).sort(), names.sort());
  for (const [name, server] of Object.entries(mcpServers)) {
    // As a host starts it: from any folder.
    await using client = await connect({ ...server, cwd: '/', env: { HOME: home } });
    assert.ok((await client.tools().all()).length > 0, name);
    if (name === 'filesystem')
      assert.deepEqual(await client.call('list_allowed_directories'), { content: `Allowed directories:\n${docs}` });
  }
});

test('the password of a database is in the environment of an entry, not in its arguments', async () => {
  const { config, read } = await setting();
  for (const [name, url, args, env] of [
    ['redis', 'redis://:pass@h:1/2', [], { REDIS_URL: 'redis://:pass@h:1/2' }],
    ['redis', 'redis://h:1/2', ['redis://h:1/2'], {}],
    ['postgres', 'postgres://ann:p%40ss@h/shop', ['postgres://ann@h/shop'], { PGPASSWORD: 'p@ss' }],
  ] as const) {
    assert.equal((await config('add', name, url, '--host', 'claude-desktop')).code, 0);
    const { mcpServers } = JSON.parse(await read('.config/Claude/claude_desktop_config.json')) as {
      mcpServers: Record<string, { args: string[]; env?: Record<string, string> }>;
    };
    const entry = mcpServers[name]!;
    assert.deepEqual([entry.args.slice(3), entry.env ?? {}], [args, env]);
    assert.equal((await config('remove', name, '--host', 'claude-desktop')).code, 0);
  }
});

test('a useless entry is refused, with the missing part', async () => {
  const { config, home } = await setting();
  for (const [args, message] of [
    [['filesystem'], /filesystem needs a folder: tenon config add filesystem <folder>/],
    [['git'], /git needs a folder/],
    [['sqlite'], /sqlite needs one file: tenon config add sqlite <file>/],
    [['sqlite', 'missing.db'], /missing\.db is not a file/],
    [['filesystem', 'missing'], /missing is not a folder/],
    [['time', '.'], /time takes no arguments/],
    [['postgres'], /postgres needs the URL of a database: tenon config add postgres postgres:/],
    [['postgres', 'shop'], /postgres needs the URL of a database/],
    [['notes', 'node', 'notes.js'], /Unexpected argument 'node'/],
    [['notes', 'localhost:3000/mcp'], /localhost:3000\/mcp is not a URL/],
  ] as const) {
    const run = await config('add', ...args, '--host', 'claude-desktop');
    assert.deepEqual([run.code, message.test(String(failureIn(run)['message']))], [2, true], run.stderr);
  }
  const fix = String(failureIn(await config('add', 'notes', 'node', 'notes.js', '--host', 'cursor'))['fix']);
  assert.match(fix, /tenon config add notes --host cursor -- node notes\.js$/);
  const run = await config('add', 'x', '--host', 'zed', '--user', '--cwd', home, '--', 'x');
  assert.match(String(failureIn(run)['message']), /Zed has no cwd/);
});

test('the password of a database goes into a variable, is not printed, and is refused in a shared file', async () => {
  const { config, read } = await setting();
  const url = 'postgres://ann:s%2Fsame-7@localhost:5432/shop';
  for (const more of [[], ['--replace', '--env', 'PGSSLMODE=verify-full'], ['--json', '--replace']]) {
    const run = await config('add', 'postgres', url, '--host', 'claude-desktop', ...more);
    assert.equal(run.code, 0, run.stderr);
    assert.doesNotMatch(`${run.stdout}${run.stderr}`, /same-7/);
    const { mcpServers } = JSON.parse(await read('.config/Claude/claude_desktop_config.json')) as {
      mcpServers: Record<string, { args: string[]; env: Record<string, string> }>;
    };
    const { args, env } = mcpServers['postgres']!;
    assert.deepEqual(args.slice(-3), ['run', 'postgres', 'postgres://ann@localhost:5432/shop']);
    assert.equal(env['PGPASSWORD'], 's/same-7');
    assert.equal(env['PGSSLMODE'], more.includes('--env') ? 'verify-full' : undefined);
  }
  const shared = await config('add', 'postgres', url, '--host', 'vscode');
  assert.equal(shared.code, 2);
  assert.match(String(failureIn(shared)['message']), /does not belong in a file that others share.*PGPASSWORD/);
  assert.doesNotMatch(`${shared.stdout}${shared.stderr}`, /same-7/);
  assert.equal((await config('add', 'postgres', url.replace(':s%2Fsame-7', ''), '--host', 'vscode')).code, 0);
});

test("in a project's file a folder is relative to the project, because others have the project elsewhere", async () => {
  const { config, read, cwd, home } = await setting();
  await mkdir(join(cwd, 'docs', 'deep'), { recursive: true });
  for (const [host, path, member, folder] of [
    ['vscode', 'project/.vscode/mcp.json', 'servers', '${workspaceFolder}'],
    ['claude-code', 'project/.mcp.json', 'mcpServers', '.'],
  ] as const) {
    await config('add', 'filesystem', '.', 'docs/deep', home, '--host', host);
    const { args } = (JSON.parse(await read(path)) as Record<string, { filesystem: { args: string[] } }>)[member]!
      .filesystem;
    assert.deepEqual(args, ['run', 'filesystem', folder, `${folder}/docs/deep`, home]);
  }
  assert.equal((await config('add', 'git', '--host', 'vscode')).code, 0);
});

test('all scopes of a host are listed, also the servers that Claude Code has for this folder only', async () => {
  const { config, put, cwd } = await setting();
  const server = { type: 'stdio', command: 'x' };
  await put(
    '.claude.json',
    JSON.stringify({
      mcpServers: { mine: server },
      projects: { [cwd]: { mcpServers: { here: server } }, '/elsewhere': { mcpServers: { there: server } } },
    }),
  );
  await put('project/.mcp.json', JSON.stringify({ mcpServers: { ours: server } }));
  const listed = async (...args: string[]) =>
    (JSON.parse((await config('list', ...args)).stdout) as { host: string; name: string; scope: string }[])
      .filter(({ host }) => host === 'claude-code')
      .map(({ name, scope }) => [name, scope]);
  const all = [
    ['ours', 'project'],
    ['here', 'local'],
    ['mine', 'user'],
  ];
  assert.deepEqual(await listed('--host', 'claude-code'), all);
  assert.deepEqual(await listed(), all);
  assert.deepEqual(await listed('--host', 'claude-code', '--user'), all.slice(1));
  assert.match(
    (await config('list', '--text', '--host', 'claude-code')).stdout,
    /here {2}x\n .*\(local: only in this folder\)/,
  );
});

test('invalid entries are listed with the reason, and disabled ones as disabled', async () => {
  const { config, put, run } = await setting();
  await put(
    'project/.mcp.json',
    JSON.stringify({
      mcpServers: {
        ev: { httpUrl: 'https://example.com/mcp' },
        both: { command: 'x', url: 'https://example.com' },
        off: { command: 'x', disabled: true },
        nothing: {},
      },
    }),
  );
  const listed = JSON.parse((await config('list', '--host', 'claude-code')).stdout) as Record<string, unknown>[];
  assert.deepEqual(
    listed.map(({ name, kind, off, reason }) => [name, kind, off, reason]),
    [
      ['ev', 'http', undefined, undefined],
      ['both', 'unknown', undefined, 'It has both "command" and "url". Remove one of them.'],
      ['off', 'stdio', 'disabled', undefined],
      ['nothing', 'unknown', undefined, 'It has neither "command" nor "url". Write one of them.'],
    ],
  );
  const text = (await config('list', '--text', '--host', 'claude-code')).stdout;
  assert.match(text, /nothing {2}\(not understood: It has neither/);
  assert.match(text, /off {2}x {2}\(turned off by "disabled"\)/);
  for (const [name, message] of [
    ['both', /both cannot be used: .*\.mcp\.json, mcpServers\.both: It has both/],
    ['off', /off cannot be used: it is turned off in .*by mcpServers\.off\.disabled/],
  ] as const) {
    const failed = await run('doctor', name);
    assert.deepEqual([failed.code, message.test(String(failureIn(failed)['message']))], [2, true], failed.stderr);
  }
});

test('a server in the folder of an editor knows the folder of the project', async () => {
  const { put, cwd, run } = await setting();
  await put(
    'project/.vscode/mcp.json',
    `{ "servers": { "peer": { "command": ${JSON.stringify(process.execPath)}, "args": ["\${workspaceFolder}/peer.mjs", "ok"] } } } // mine`,
  );
  await writeFile(join(cwd, 'peer.mjs'), await readFile(fixture('peer.mjs')));
  await mkdir(join(cwd, 'deep'));
  for (const args of [
    ['list', 'tools', '--config', '.vscode/mcp.json'],
    ['doctor', 'peer', '--config', '.vscode/mcp.json'],
  ]) {
    const done = await run(...args);
    assert.doesNotMatch(done.stderr, /workspaceFolder/);
    assert.equal(done.code, 0, done.stderr);
  }
});

test('servers are exported for every format, and read back', async () => {
  const { config, put } = await setting();
  await put(
    'project/.mcp.json',
    JSON.stringify({ mcpServers: { a: { command: 'node', args: ['x.js'], env: { K: 'v' } } } }),
  );
  for (const [to, parse, path, expected] of [
    ['codex', parseToml, ['mcp_servers', 'a', 'command'], 'node'],
    ['goose', parseYaml, ['extensions', 'a', 'cmd'], 'node'],
    ['opencode', JSON.parse, ['mcp', 'a', 'command', '0'], 'node'],
    ['zed', JSON.parse, ['context_servers', 'a', 'command'], 'node'],
  ] as const) {
    const { stdout } = await config('export', '--host', 'claude-code', '--to', to);
    const found = path.reduce<unknown>(
      (inside, name) => (inside as Record<string, unknown>)[name],
      (parse as (text: string) => unknown)(stdout),
    );
    assert.equal(found, expected, to);
  }
});
