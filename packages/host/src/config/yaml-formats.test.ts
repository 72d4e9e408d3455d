import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseServers, type ReadServers } from './read.ts';

function read(text: string, file: string) {
  return parseServers(text, { file, trust: 'user' });
}

/** The servers without their source. */
function plain({ servers }: ReadServers) {
  return servers.map(({ source: _source, ...server }) => server);
}

const GOOSE = `
# Model Configuration
GOOSE_PROVIDER: "anthropic"
GOOSE_MODE: "smart_approve"
extensions:
  developer:
    bundled: true
    enabled: true
    name: developer
    timeout: 300
    type: builtin
  memory:
    bundled: true
    enabled: false
    name: memory
    type: builtin
  github:
    type: stdio
    enabled: true
    name: github
    cmd: npx
    args: ["-y", "@modelcontextprotocol/server-github"]
    envs:
      LEVEL: 007
    env_keys: [GITHUB_PERSONAL_ACCESS_TOKEN, LEVEL]
    timeout: 300
    available_tools: []
  off:
    type: stdio
    enabled: false
    cmd: nowhere
  docs:
    type: streamable_http
    enabled: true
    uri: https://docs.example.com/mcp
    headers:
      X-Team: core
    envs: {}
    env_keys: []
    timeout: 60
    available_tools:
      - search
  old:
    type: sse
    enabled: true
    uri: https://old.example.com/sse
`;

test('the format of goose is YAML with seconds, and with names of values in its keyring', async () => {
  const found = await read(GOOSE, '/home/me/.config/goose/config.yaml');
  assert.deepEqual(plain(found), [
    {
      alias: 'github',
      launch: {
        kind: 'stdio',
        command: 'npx',
        args: ['-y', '@modelcontextprotocol/server-github'],
        env: { GITHUB_PERSONAL_ACCESS_TOKEN: '${env:GITHUB_PERSONAL_ACCESS_TOKEN}', LEVEL: '007' },
      },
      timeout: 300_000,
    },
    {
      alias: 'docs',
      launch: { kind: 'http', url: 'https://docs.example.com/mcp', headers: { 'X-Team': 'core' } },
      tools: { allow: ['search'] },
      timeout: 60_000,
    },
    { alias: 'old', launch: { kind: 'sse', url: 'https://old.example.com/sse', headers: {} } },
  ]);
  assert.deepEqual(found.problems, [
    {
      server: 'developer',
      path: 'extensions.developer.type',
      message: 'An extension of the "type" builtin is part of goose. Use it in goose. The server is left out.',
    },
  ]);
});

const MCP_AGENT = `
execution_engine: asyncio
mcp:
  servers:
    fetch:
      command: "uvx"
      args: ["mcp-server-fetch"]
      env: null
    filesystem:
      transport: stdio
      command: npx
      args: ["-y", "@modelcontextprotocol/server-filesystem"]
      cwd: /work
      allowed_tools: []
      roots:
        - uri: file:///work
          name: Work
    remote:
      transport: streamable_http
      url: "https://example.com/mcp"
      headers:
        Authorization: "Bearer token"
      http_timeout_seconds: 30
      read_timeout_seconds: 120
      auth:
        oauth:
          client_id: agent
          client_secret: secret
          scopes: [read]
    socket:
      transport: websocket
      url: "wss://example.com/mcp"
openai:
  default_model: gpt-4o
`;

test('the format of mcp-agent has its servers under "mcp"', async () => {
  const found = await read(MCP_AGENT, '/work/mcp_agent.config.yaml');
  assert.deepEqual(plain(found), [
    { alias: 'fetch', launch: { kind: 'stdio', command: 'uvx', args: ['mcp-server-fetch'], env: {} } },
    {
      alias: 'filesystem',
      launch: {
        kind: 'stdio',
        command: 'npx',
        args: ['-y', '@modelcontextprotocol/server-filesystem'],
        env: {},
        cwd: '/work',
      },
      roots: ['file:///work'],
      tools: { allow: [] },
    },
    {
      alias: 'remote',
      launch: {
        kind: 'http',
        url: 'https://example.com/mcp',
        headers: { Authorization: 'Bearer token' },
        oauth: { clientId: 'agent', clientSecret: 'secret', scopes: ['read'] },
      },
      timeout: 120_000,
    },
  ]);
  assert.deepEqual(
    found.problems.map(({ server, path }) => [server, path]),
    [['socket', 'mcp.servers.socket.transport']],
  );
});

test('YAML aliases are resolved', async () => {
  const found = await read(
    'x: &env { A: "1" }\nmcpServers:\n  a: { command: x, env: *env }\n  b: { command: y, env: *env }\n',
    'a.yaml',
  );
  assert.deepEqual(
    found.servers.map(({ launch }) => launch.kind === 'stdio' && launch.env),
    [{ A: '1' }, { A: '1' }],
  );
});
