import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import type { Syntax } from './document.ts';
import { parseServers, type ReadServers } from './read.ts';

function read(text: string, file = '/work/app/config', options: { syntax?: Syntax; folder?: string } = {}) {
  return parseServers(text, { file, trust: 'user', ...options });
}

/** The servers without their source. */
function plain({ servers }: ReadServers) {
  return servers.map(({ source: _source, ...server }) => server);
}

test('the format of Claude Desktop defines commands', async () => {
  const found = await read(`{
    "mcpServers": {
      "filesystem": {
        "command": "npx",
        "args": ["-y", "@modelcontextprotocol/server-filesystem", "/Users/me/Desktop"]
      },
      "brave-search": {
        "command": "npx",
        "args": ["-y", "@modelcontextprotocol/server-brave-search"],
        "env": { "BRAVE_API_KEY": "key" }
      }
    },
    "globalShortcut": "Ctrl+Space"
  }`);
  assert.deepEqual(plain(found), [
    {
      alias: 'filesystem',
      launch: {
        kind: 'stdio',
        command: 'npx',
        args: ['-y', '@modelcontextprotocol/server-filesystem', '/Users/me/Desktop'],
        env: {},
      },
    },
    {
      alias: 'brave-search',
      launch: {
        kind: 'stdio',
        command: 'npx',
        args: ['-y', '@modelcontextprotocol/server-brave-search'],
        env: { BRAVE_API_KEY: 'key' },
      },
    },
  ]);
  assert.deepEqual(found.problems, []);
  assert.deepEqual(found.servers[0]!.source, { file: '/work/app/config', trust: 'user' });
});

test('the format of Claude Code has remote servers, and its variables are kept', async () => {
  const found = await read(
    JSON.stringify({
      mcpServers: {
        api: {
          type: 'http',
          url: '${API_BASE_URL:-https://api.example.com}/mcp',
          headers: { Authorization: 'Bearer ${API_KEY}' },
          oauth: { clientId: 'me', scopes: 'read write' },
          timeout: 30_000,
        },
        events: { type: 'sse', url: 'https://example.com/sse' },
        local: { type: 'stdio', command: '${CLAUDE_PROJECT_DIR:-.}/server.sh' },
      },
    }),
    '/work/app/.mcp.json',
  );
  assert.deepEqual(plain(found), [
    {
      alias: 'api',
      launch: {
        kind: 'http',
        url: '${API_BASE_URL:-https://api.example.com}/mcp',
        headers: { Authorization: 'Bearer ${API_KEY}' },
        oauth: { clientId: 'me', scopes: ['read', 'write'] },
      },
      timeout: 30_000,
    },
    { alias: 'events', launch: { kind: 'sse', url: 'https://example.com/sse', headers: {} } },
    { alias: 'local', launch: { kind: 'stdio', command: '${CLAUDE_PROJECT_DIR:-.}/server.sh', args: [], env: {} } },
  ]);
  assert.deepEqual(found.problems, []);
});

test('~/.claude.json has global and project servers, and those of the project of the folder take precedence', async () => {
  const text = JSON.stringify({
    numStartups: 7,
    mcpServers: { both: { command: 'everywhere' }, all: { command: 'all' } },
    projects: {
      [resolve('/work/app')]: { allowedTools: [], mcpServers: { both: { command: 'here' } } },
      [resolve('/work/other')]: { mcpServers: { other: { command: 'elsewhere' } } },
    },
  });
  const found = await read(text, '/home/me/.claude.json', { folder: '/work/app' });
  assert.deepEqual(
    found.servers.map(({ alias, launch }) => [alias, launch.kind === 'stdio' && launch.command]),
    [
      ['both', 'here'],
      ['all', 'all'],
    ],
  );
  assert.deepEqual(found.problems, []);
  const without = await read('{ "projects": {} }', '/home/me/.claude.json', { folder: '/work/app' });
  assert.deepEqual(without, { servers: [], inputs: [], problems: [], off: [] });
});

const VSCODE = `{
  // The person is asked for the key.
  "inputs": [
    { "type": "promptString", "id": "perplexity-key", "description": "Perplexity API Key", "password": true },
    { "type": "pickString", "id": "region", "description": "Where", "options": ["eu", { "label": "America", "value": "us" }], "default": "eu" },
  ],
  "servers": {
    "perplexity": {
      "type": "stdio",
      "command": "npx",
      "args": ["-y", "server-perplexity-ask", "--region=\${input:region}"],
      "env": { "PERPLEXITY_API_KEY": "\${input:perplexity-key}", "PORT": 8080 },
      "envFile": "\${workspaceFolder}/.env",
      "cwd": "\${workspaceFolder}",
      "dev": { "watch": "build/**/*.js" }
    },
    /* At an address. */
    "github": { "type": "http", "url": "https://api.githubcopilot.com/mcp", "oauth": { "clientId": "abc" } },
  },
}`;

test('the format of VS Code has comments, inputs and env files', async () => {
  const found = await read(VSCODE, '/work/app/.vscode/mcp.json');
  assert.deepEqual(plain(found), [
    {
      alias: 'perplexity',
      launch: {
        kind: 'stdio',
        command: 'npx',
        args: ['-y', 'server-perplexity-ask', '--region=${input:region}'],
        env: { PERPLEXITY_API_KEY: '${input:perplexity-key}', PORT: '8080' },
        envFile: '${workspaceFolder}/.env',
        cwd: '${workspaceFolder}',
      },
    },
    {
      alias: 'github',
      launch: { kind: 'http', url: 'https://api.githubcopilot.com/mcp', headers: {}, oauth: { clientId: 'abc' } },
    },
  ]);
  assert.deepEqual(found.inputs, [
    { type: 'promptString', id: 'perplexity-key', description: 'Perplexity API Key', password: true },
    {
      type: 'pickString',
      id: 'region',
      description: 'Where',
      default: 'eu',
      options: [
        { label: 'eu', value: 'eu' },
        { label: 'America', value: 'us' },
      ],
    },
  ]);
  assert.deepEqual(found.problems, []);
});

test('the settings of VS Code have servers and inputs under "mcp"', async () => {
  const found = await read(
    JSON.stringify({
      'editor.fontSize': 12,
      mcp: {
        inputs: [{ type: 'promptString', id: 'a' }],
        servers: { one: { type: 'stdio', command: 'x' }, two: { type: 'sse', url: 'https://example.com/' } },
      },
    }),
  );
  assert.deepEqual(
    found.servers.map(({ launch }) => launch.kind),
    ['stdio', 'sse'],
  );
  assert.deepEqual(found.inputs, [{ type: 'promptString', id: 'a', password: false }]);
  assert.deepEqual(found.problems, []);
});

test('the format of Cursor has its own names for login settings', async () => {
  const found = await read(
    JSON.stringify({
      mcpServers: {
        oauth: {
          url: 'https://api.example.com/mcp',
          auth: { CLIENT_ID: '${env:MCP_CLIENT_ID}', CLIENT_SECRET: '${env:MCP_CLIENT_SECRET}', scopes: ['read'] },
        },
        local: { command: 'python', args: ['${workspaceFolder}${pathSeparator}server.py'], envFile: '.env' },
      },
    }),
    '/work/app/.cursor/mcp.json',
  );
  assert.deepEqual(plain(found), [
    {
      alias: 'oauth',
      launch: {
        kind: 'http',
        url: 'https://api.example.com/mcp',
        headers: {},
        oauth: { clientId: '${env:MCP_CLIENT_ID}', clientSecret: '${env:MCP_CLIENT_SECRET}', scopes: ['read'] },
      },
    },
    {
      alias: 'local',
      launch: {
        kind: 'stdio',
        command: 'python',
        args: ['${workspaceFolder}${pathSeparator}server.py'],
        env: {},
        envFile: '.env',
      },
    },
  ]);
  assert.deepEqual(found.problems, []);
});

test('the format of MCP Inspector can choose the era', async () => {
  const found = await read(
    JSON.stringify({
      mcpServers: {
        modern: {
          type: 'http',
          url: 'https://api.example.com/mcp',
          protocolEra: 'modern',
          modernLogLevel: 'info',
          roots: [{ uri: 'file:///Users/me/project', name: 'project' }],
          requestTimeout: 20_000,
          oauth: { clientId: 'a', clientSecret: 'b', scopes: 'c' },
        },
        legacy: { type: 'streamable-http', url: 'http://localhost:3000/mcp', protocolEra: 'legacy' },
      },
    }),
  );
  assert.deepEqual(plain(found), [
    {
      alias: 'modern',
      launch: {
        kind: 'http',
        url: 'https://api.example.com/mcp',
        headers: {},
        oauth: { clientId: 'a', clientSecret: 'b', scopes: ['c'] },
      },
      era: 'modern',
      roots: ['file:///Users/me/project'],
      timeout: 20_000,
    },
    { alias: 'legacy', launch: { kind: 'http', url: 'http://localhost:3000/mcp', headers: {} }, era: 'legacy' },
  ]);
  assert.deepEqual(found.problems, []);
});

test('our own format can express all settings', async () => {
  const found = await read(
    JSON.stringify({
      mcpServers: {
        all: {
          type: 'stdio',
          command: 'node',
          args: ['server.js'],
          cwd: '/work',
          env: { A: 'b' },
          envFile: '.env',
          protocol: '2025-06-18',
          roots: ['/work/app', 'C:\\work', '${workspaceFolder}'],
          tools: { allow: ['get_*'], deny: ['get_secret'], rename: { get_all: 'everything' } },
          trusted: true,
          timeoutMs: 500,
          idleMs: 60_000,
          disabled: false,
        },
        auto: { url: 'https://example.com/mcp', protocol: 'auto', auth: 'oauth' },
        list: { url: 'https://example.com/mcp', tools: ['*'] },
        off: { command: 'nowhere', disabled: true },
      },
    }),
  );
  assert.deepEqual(plain(found), [
    {
      alias: 'all',
      launch: { kind: 'stdio', command: 'node', args: ['server.js'], env: { A: 'b' }, envFile: '.env', cwd: '/work' },
      revision: '2025-06-18',
      roots: ['/work/app', 'C:\\work', '${workspaceFolder}'],
      tools: { allow: ['get_*'], deny: ['get_secret'], rename: { get_all: 'everything' } },
      trusted: true,
      timeout: 500,
      idleMs: 60_000,
    },
    { alias: 'auto', launch: { kind: 'http', url: 'https://example.com/mcp', headers: {} } },
    { alias: 'list', launch: { kind: 'http', url: 'https://example.com/mcp', headers: {} }, tools: { allow: ['*'] } },
  ]);
  assert.deepEqual(found.problems, []);
});

test('the format is detected from the content of a file, not from its name', async () => {
  const aliases = async (...given: Parameters<typeof read>) => (await read(...given)).servers.map(({ alias }) => alias);
  assert.deepEqual(await aliases(VSCODE, 'anything'), ['perplexity', 'github']);
  assert.deepEqual(await aliases('# a\nextensions:\n  b:\n    type: stdio\n    cmd: c\n', 'anything'), ['b']);
  assert.deepEqual(await aliases(`/* a */ // b\n ${VSCODE}`, 'anything'), ['perplexity', 'github']);
  assert.deepEqual(await aliases('mcpServers: { a: { command: x } }', 'anything'), ['a']);
  assert.deepEqual(await aliases('{ mcpServers: { a: { command: x } } }', 'a.yaml'), ['a']);
  assert.deepEqual(await aliases('{ mcpServers: { a: { command: x } } }', 'a.json', { syntax: 'yaml' }), ['a']);
});
