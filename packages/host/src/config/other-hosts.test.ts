// The formats of Codex, opencode, Zed, Gemini CLI, Qwen Code, Copilot CLI and Windsurf, and writing in every format.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FORMATS, parseEntry, writeEntry } from './formats.ts';
import { parseServers, type ReadServers } from './read.ts';
import type { AddressLaunch, CommandLaunch } from './server-config.ts';
import { expand, variablesOf } from './variables.ts';

function read(text: string, file: string) {
  return parseServers(text, { file, trust: 'user' });
}

/** The servers by name, without their source and alias. */
function plain({ servers }: ReadServers) {
  return Object.fromEntries(servers.map(({ alias, source: _source, ...rest }) => [alias, rest]));
}

const CODEX = `
model = "gpt-5"   # a comment

[mcp_servers.context7]
command = "npx"
args = ["-y", "@upstash/context7-mcp"]
env_vars = ["LOCAL_TOKEN", { name = "REMOTE_TOKEN", source = "remote" }]
startup_timeout_sec = 20
tool_timeout_sec = 45
enabled_tools = ["open", "screenshot"]
disabled_tools = ["screenshot"]

[mcp_servers.context7.env]
MY_ENV_VAR = "MY_ENV_VALUE"

[mcp_servers."with space"]
url = "https://mcp.figma.com/mcp"
bearer_token_env_var = "FIGMA_OAUTH_TOKEN"
http_headers = { "X-Figma-Region" = "us-east-1" }
env_http_headers = { "X-Team" = "TEAM" }
scopes = ["read"]

[mcp_servers.off]
command = "nowhere"
enabled = false

[profiles.fast]
model = "gpt-5-mini"
released = 2026-01-02
`;

test('the format of Codex is TOML, with names of variables', async () => {
  for (const file of ['/home/me/.codex/config.toml', 'anything']) {
    const found = await read(CODEX, file);
    assert.deepEqual(found.problems, []);
    assert.deepEqual(plain(found), {
      context7: {
        launch: {
          kind: 'stdio',
          command: 'npx',
          args: ['-y', '@upstash/context7-mcp'],
          env: {
            MY_ENV_VAR: 'MY_ENV_VALUE',
            LOCAL_TOKEN: '${env:LOCAL_TOKEN}',
            REMOTE_TOKEN: '${env:REMOTE_TOKEN}',
          },
        },
        tools: { allow: ['open', 'screenshot'], deny: ['screenshot'] },
        timeout: 45_000,
      },
      'with space': {
        launch: {
          kind: 'http',
          url: 'https://mcp.figma.com/mcp',
          headers: {
            'X-Figma-Region': 'us-east-1',
            Authorization: 'Bearer ${env:FIGMA_OAUTH_TOKEN}',
            'X-Team': '${env:TEAM}',
          },
          oauth: { scopes: ['read'] },
        },
      },
    });
    assert.deepEqual(found.off, [{ alias: 'off', path: 'mcp_servers.off.enabled' }]);
  }
});

test('invalid TOML is refused with the position, and without its content', async () => {
  for (const [text, message] of [
    ['[mcp_servers.a]\ncommand = "secret\n', /line 2, .*It is not TOML/],
    ['[mcp_servers.a]\ncommand = "x"\n[mcp_servers.a]\n', /line 3, .*It is not TOML/],
    [`a = ${'['.repeat(100)}${']'.repeat(100)}`, /It is not TOML/],
  ] as const)
    await assert.rejects(read(text, 'config.toml'), (error: Error) => {
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /secret/);
      return true;
    });
  assert.match((await read('', 'config.toml')).problems[0]!.message, /no servers in it/);
});

test('the format of opencode has a command as one list, and its own variables', async () => {
  const servers = {
    local: {
      type: 'local',
      command: ['npx', '-y', 'my-mcp', '{env:ARG}'],
      environment: { KEY: '{env:MY_KEY}' },
      enabled: true,
      timeout: 10_000,
    },
    remote: {
      type: 'remote',
      url: 'https://mcp.example.com/mcp',
      headers: { Authorization: 'Bearer {env:API_KEY}' },
      oauth: { clientId: 'a', clientSecret: '{env:SECRET}', scope: 'read write' },
    },
    open: { type: 'remote', url: 'https://open.example.com/mcp', oauth: false },
    off: { type: 'local', command: ['x'], enabled: false },
    file: { type: 'remote', url: 'https://x.example/mcp', headers: { A: '{file:~/.secret}' } },
    text: { type: 'local', command: 'npx -y x' },
  };
  for (const [mcp, path] of [
    [servers, 'mcp'],
    [{ servers }, 'mcp.servers'],
  ] as const) {
    const found = await read(`// opencode\n${JSON.stringify({ $schema: 'x', mcp })}`, '/work/opencode.jsonc');
    assert.deepEqual(plain(found), {
      local: {
        launch: {
          kind: 'stdio',
          command: 'npx',
          args: ['-y', 'my-mcp', '${env:ARG}'],
          env: { KEY: '${env:MY_KEY}' },
        },
        timeout: 10_000,
      },
      remote: {
        launch: {
          kind: 'http',
          url: 'https://mcp.example.com/mcp',
          headers: { Authorization: 'Bearer ${env:API_KEY}' },
          oauth: { clientId: 'a', clientSecret: '${env:SECRET}', scopes: ['read', 'write'] },
        },
      },
      open: { launch: { kind: 'http', url: 'https://open.example.com/mcp', headers: {} } },
    });
    assert.deepEqual(
      found.problems.map((one) => [one.server, one.path]),
      [
        ['file', `${path}.file.headers`],
        ['text', `${path}.text.command`],
      ],
    );
    assert.deepEqual(found.off, [{ alias: 'off', path: `${path}.off.enabled` }]);
  }
});

test('the format of Zed has configured servers, and servers of extensions, which are left to Zed', async () => {
  const found = await read(
    `{
      // Zed
      "theme": "One Dark",
      "context_servers": {
        "own": { "source": "custom", "command": "some-command", "args": ["a"], "env": { "A": "b" }, },
        "older": { "command": { "path": "older", "args": ["b"], "env": null } },
        "remote": { "url": "https://example.com/mcp", "headers": { "Authorization": "Bearer x" } },
        "extension": { "source": "extension", "settings": {} },
        "extended": { "settings": { "key": "x" } },
        "off": { "command": "x", "enabled": false },
      },
    }`,
    '/home/me/.config/zed/settings.json',
  );
  assert.deepEqual(plain(found), {
    own: { launch: { kind: 'stdio', command: 'some-command', args: ['a'], env: { A: 'b' } } },
    older: { launch: { kind: 'stdio', command: 'older', args: ['b'], env: {} } },
    remote: {
      launch: { kind: 'http', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer x' } },
    },
  });
  assert.deepEqual(
    found.problems.map(({ server, message }) => [server, /extension of Zed/.test(message)]),
    [
      ['extension', true],
      ['extended', true],
    ],
  );
  assert.deepEqual(
    found.off.map(({ alias }) => alias),
    ['off'],
  );
});

test('Gemini CLI and Qwen Code have a member for each transport, and lists of disabled servers', async () => {
  const found = await read(
    JSON.stringify({
      mcp: { excluded: ['excluded'], allowed: ['http', 'sse', 'local', 'both', 'excluded'] },
      mcpServers: {
        http: { httpUrl: 'https://example.com/mcp', headers: { A: 'b' }, timeout: 5000, trust: true },
        sse: { url: 'https://example.com/sse', type: 'sse' },
        local: { command: 'python', args: ['s.py'], cwd: './tools', includeTools: ['a'], excludeTools: ['b'] },
        both: { httpUrl: 'https://example.com/mcp', url: 'https://example.com/sse' },
        excluded: { command: 'x' },
        other: { command: 'x' },
      },
    }),
    '/home/me/.gemini/settings.json',
  );
  assert.deepEqual(plain(found), {
    http: { launch: { kind: 'http', url: 'https://example.com/mcp', headers: { A: 'b' } }, timeout: 5000 },
    sse: { launch: { kind: 'sse', url: 'https://example.com/sse', headers: {} } },
    local: {
      launch: { kind: 'stdio', command: 'python', args: ['s.py'], env: {}, cwd: './tools' },
      tools: { allow: ['a'], deny: ['b'] },
    },
  });
  assert.deepEqual(
    found.problems.map(({ path }) => path),
    ['mcpServers.http.trust', 'mcpServers.both'],
  );
  assert.match(found.problems[1]!.message, /both "url" and "httpUrl"/);
  assert.deepEqual(found.off, [
    { alias: 'excluded', path: 'mcp.excluded' },
    { alias: 'other', path: 'mcp.allowed' },
  ]);
});

test('Gemini CLI and Qwen Code write variables with and without braces, and both are expanded', async () => {
  for (const file of ['/home/me/.gemini/settings.json', '/home/me/.qwen/settings.json']) {
    const { servers, problems } = await read(
      JSON.stringify({
        mcpServers: {
          local: {
            command: '$BIN/server',
            args: ['--key=$KEY', '${KEY}', '$KEY-x', 'a$', '$1', '$$', 'cost: $ 5'],
            env: { API_KEY: '$KEY', BOTH: '$KEY ${KEY}' },
          },
          remote: { httpUrl: 'https://example.com/mcp', headers: { Authorization: 'Bearer $KEY' } },
        },
      }),
      file,
    );
    assert.deepEqual(problems, []);
    const variables = { KEY: '$BIN secret', BIN: '/opt' };
    const [local, remote] = await Promise.all(servers.map((one) => expand(one, { variables, home: '/home/me' })));
    const launch = local!.launch as CommandLaunch;
    assert.equal(launch.command, '/opt/server');
    assert.deepEqual(launch.args, ['--key=$BIN secret', '$BIN secret', '$BIN secret-x', 'a$', '$1', '$$', 'cost: $ 5']);
    assert.deepEqual(launch.env, { API_KEY: '$BIN secret', BOTH: '$BIN secret $BIN secret' });
    assert.deepEqual((remote!.launch as AddressLaunch).headers, { Authorization: 'Bearer $BIN secret' });
    assert.deepEqual(new Set(variablesOf(servers[0]!).map(({ name }) => name)), new Set(['BIN', 'KEY']));
  }
});

test('Copilot CLI lists the tools, has a member for the client of a login, and writes variables with and without braces', async () => {
  const text = JSON.stringify({
    mcpServers: {
      all: { type: 'local', command: 'node', args: ['a.js'], env: { KEY: '$KEY' }, tools: ['*'] },
      some: { type: 'http', url: 'https://example.com/mcp', tools: ['a', 'b'], oauthClientId: 'abc' },
      none: { type: 'sse', url: 'https://example.com/sse', headers: { A: '${B}' }, tools: [] },
    },
  });
  for (const file of ['/home/me/.copilot/mcp-config.json', '/work/.github/mcp.json']) {
    const found = await read(text, file);
    assert.deepEqual(found.problems, []);
    assert.deepEqual(plain(found), {
      all: { launch: { kind: 'stdio', command: 'node', args: ['a.js'], env: { KEY: '${KEY}' } } },
      some: {
        launch: { kind: 'http', url: 'https://example.com/mcp', headers: {}, oauth: { clientId: 'abc' } },
        tools: { allow: ['a', 'b'] },
      },
      none: { launch: { kind: 'sse', url: 'https://example.com/sse', headers: { A: '${B}' } }, tools: { allow: [] } },
    });
  }
  for (const launch of [
    { kind: 'stdio', command: 'node', args: ['$HOME'], env: {} },
    { kind: 'http', url: 'https://example.com/mcp', headers: { A: '$B' } },
  ] as const)
    assert.throws(() => writeEntry(FORMATS.copilot, 'x', launch), /would be taken for a variable/);
});

test('Windsurf writes serverUrl, and turns servers and tools off', async () => {
  const found = await read(
    JSON.stringify({
      mcpServers: {
        remote: { serverUrl: 'https://example.com/mcp', headers: { A: '${env:B}' }, disabledTools: ['x'] },
        off: { serverUrl: 'not even a URL', disabled: true },
        bad: { serverUrl: 'example.com/mcp' },
      },
    }),
    '/home/me/.codeium/windsurf/mcp_config.json',
  );
  assert.deepEqual(plain(found), {
    remote: {
      launch: { kind: 'http', url: 'https://example.com/mcp', headers: { A: '${env:B}' } },
      tools: { deny: ['x'] },
    },
  });
  assert.deepEqual(found.off, [{ alias: 'off', path: 'mcpServers.off.disabled' }]);
  assert.deepEqual(
    found.problems.map(({ path }) => path),
    ['mcpServers.bad.serverUrl'],
  );
});

const word = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 12 })
  .filter((text) => text.isWellFormed() && !/[\0$%{}]/.test(text) && text.trim() !== '');
const name = fc.stringMatching(/^[A-Z_]{1,8}$/);
const value = fc.oneof(
  word,
  name.map((one) => `\${env:${one}}`),
);
const command: fc.Arbitrary<CommandLaunch> = fc.record({
  kind: fc.constant('stdio' as const),
  command: word,
  args: fc.array(word, { maxLength: 3 }),
  env: fc.dictionary(name, value, { maxKeys: 3, noNullPrototype: true }),
});
const address: fc.Arbitrary<AddressLaunch> = fc.record({
  kind: fc.constantFrom('http' as const, 'sse' as const),
  url: fc.constantFrom('https://example.com/mcp', 'http://localhost:3000/mcp?a=b'),
  headers: fc
    .dictionary(
      fc.constantFrom('Authorization', 'X-A', 'x-b'),
      fc.oneof(
        value,
        name.map((one) => `Bearer \${env:${one}}`),
      ),
      {
        maxKeys: 3,
        noNullPrototype: true,
      },
    )
    .map((headers) => Object.fromEntries(Object.entries(headers).filter(([, text]) => !/[\r\n]/.test(text)))),
});

test('a written server is read back unchanged, or the format refuses to write it', () => {
  let refused = 0;
  fc.assert(
    fc.property(fc.constantFrom(...Object.values(FORMATS)), fc.oneof(command, address), (format, launch) => {
      let written: Record<string, unknown>;
      try {
        written = writeEntry(format, 'x', launch);
      } catch (error) {
        refused++;
        assert.match((error as Error).message, /connectors|does not support HTTP with SSE/);
        return;
      }
      const { server, problems, off } = parseEntry(format, 'x', written);
      assert.deepEqual([problems, off], [[], undefined]);
      // These formats have no member for the transport of a URL.
      const isUntold = [FORMATS.cursor, FORMATS.opencode, FORMATS.windsurf].some((one) => one === format);
      const kind = isUntold && launch.kind === 'sse' ? 'http' : launch.kind;
      assert.deepEqual(server!.launch, { ...launch, kind });
    }),
    { numRuns: 2_000 },
  );
  assert.ok(refused > 0);
});

test('a setting without a member in the format is refused, not left out', () => {
  const launch: CommandLaunch = { kind: 'stdio', command: 'x', args: [], env: {} };
  for (const [format, lost, message] of [
    [FORMATS.zed, { cwd: '/work' }, /Zed has no cwd/],
    [FORMATS['claude-desktop'], { cwd: '/work' }, /Claude Desktop has no cwd/],
    [FORMATS.codex, { envFile: '.env' }, /Codex has no envFile/],
    [FORMATS.opencode, { env: { A: '${A:-b}' } }, /opencode has no variable/],
  ] as const)
    assert.throws(() => writeEntry(format, 'x', { ...launch, ...lost }), message);
  const remote: AddressLaunch = { kind: 'http', url: 'https://example.com', headers: {}, oauth: { clientId: 'a' } };
  assert.throws(() => writeEntry(FORMATS.vscode, 'x', remote), /login settings/);
});
