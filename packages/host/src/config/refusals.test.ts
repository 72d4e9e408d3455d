import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseServers } from './read.ts';

function one(fields: unknown) {
  return parseServers(JSON.stringify({ mcpServers: { bad: fields, good: { command: 'x' } } }), {
    file: 'mcp.json',
    trust: 'user',
  });
}

const refusals: [what: string, fields: unknown, path: string, message: RegExp][] = [
  ['a time in quotes', { command: 'a', timeoutMs: '60000' }, '.timeoutMs', /not a valid time/],
  ['a negative time', { command: 'a', timeoutMs: -1 }, '.timeoutMs', /not a valid time/],
  ['a server that is not an object', 'npx', '', /not an object\. Write/],
  ['nothing to reach it', {}, '', /neither "command" nor "url"/],
  ['two ways to reach it', { command: 'a', url: 'https://a' }, '', /"command" and "url"\. Remove/],
  ['another transport', { type: 'ws', url: 'wss://a' }, '.type', /is "ws"\. It must be/],
  ['a transport named like a member of objects', { type: 'toString', command: 'a' }, '.type', /is "toString"/],
  ['a program without a command', { type: 'stdio', url: 'https://a' }, '.type', /needs "command"/],
  ['an address without a URL', { type: 'http', command: 'a' }, '.type', /needs "url"/],
  ['a command that is a list', { command: ['npx', '-y'] }, '.command', /is a list\. Write a string/],
  ['an empty command', { command: ' ' }, '.command', /is empty/],
  ['a NUL in the command', { command: 'a\0b' }, '.command', /NUL/],
  ['arguments in one text', { command: 'a', args: '-y b' }, '.args', /is a string\. Write a list/],
  ['an argument that is a number', { command: 'a', args: ['--port', 80] }, '.args[1]', /a number without quotes/],
  ['variables in a list', { command: 'a', env: ['A=b'] }, '.env', /is a list. Write an object/],
  ['a variable that is true', { command: 'a', env: { DEBUG: true } }, '.env.DEBUG', /true without quotes/],
  ['a variable without a value', { command: 'a', env: { A: null } }, '.env.A', /is nothing/],
  ['a variable with half a number', { command: 'a', env: { A: 1.5 } }, '.env.A', /a number without quotes/],
  [
    'a variable whose name has a =',
    { command: 'a', env: { 'A=B': 'c' } },
    '.env["A=B"]',
    /not a valid name of a variable/,
  ],
  ['a folder that is a number', { command: 'a', cwd: 1 }, '.cwd', /a number/],
  [
    'a sandbox, which is not supported',
    { command: 'a', sandboxEnabled: true },
    '.sandboxEnabled',
    /Sandboxes are not supported/,
  ],
  ['a text that is not a URL', { url: 'example.com/mcp' }, '.url', /not a URL/],
  ['a socket', { type: 'http', url: 'unix:///tmp/a.sock' }, '.url', /unix: is not supported/],
  ['a file', { url: 'file:///etc/passwd' }, '.url', /file: is not supported/],
  [
    'a header with a bad name',
    { url: 'https://a', headers: { 'A B': 'c' } },
    '.headers["A B"]',
    /not a valid name of a header/,
  ],
  ['a header with two lines', { url: 'https://a', headers: { A: 'b\r\nC: d' } }, '.headers.A', /line break/],
  ['headers from a program', { url: 'https://a', headersHelper: './h.sh' }, '.headersHelper', /not supported/],
  ['an invalid port', { url: 'https://a', oauth: { callbackPort: 70_000 } }, '.oauth.callbackPort', /from 1 to 65535/],
  ['a token as login', { url: 'https://a', auth: 'token' }, '.auth', /Write credentials in "headers"/],
  ['a client without a name', { url: 'https://a', oauth: { clientId: 7 } }, '.oauth.clientId', /not a string/],
  ['scopes that are not a list', { url: 'https://a', oauth: { scopes: {} } }, '.oauth.scopes', /Write a list/],
  [
    'an unknown revision',
    { command: 'a', protocol: '2023-01-01' },
    '.protocol',
    /auto, legacy, modern or one of 2026-07-28/,
  ],
  ['an unknown era', { command: 'a', protocolEra: 'ancient' }, '.protocolEra', /is "ancient"/],
  ['roots that are not a list', { command: 'a', roots: '/work' }, '.roots', /not a list/],
  ['a root on the network', { command: 'a', roots: ['https://a'] }, '.roots[0]', /A root must be a folder/],
  ['a root that is nothing', { command: 'a', roots: [{ name: 'x' }] }, '.roots[0]', /not a folder/],
  [
    'a root with another name',
    { command: 'a', roots: [{ uri: 'file:///a', server_uri_alias: 'file:///b' }] },
    '.roots[0]',
    /Aliases of roots are not supported/,
  ],
  ['tools that are not an object', { command: 'a', tools: 'all' }, '.tools', /not an object/],
  ['a misspelt list of tools', { command: 'a', tools: { denied: ['x'] } }, '.tools.denied', /unknown member "denied"/],
  ['a deny that is not a list', { command: 'a', tools: { deny: 'x' } }, '.tools.deny', /Write a list/],
  ['a tool without a name', { command: 'a', tools: { rename: { a: ' ' } } }, '.tools.rename', /name is empty/],
  ['trust in quotes', { command: 'a', trusted: 'true' }, '.trusted', /Write true or false/],
  ['a time in words', { command: 'a', timeoutMs: '1s' }, '.timeoutMs', /not a valid time/],
  ['a time that no timer waits', { command: 'a', idleMs: 1e12 }, '.idleMs', /not a valid time/],
  ['off in quotes', { command: 'a', disabled: 'false' }, '.disabled', /Write true or false/],
  ['an unknown variable', { command: '${command:pick}' }, '.command', /not a known variable/],
  ['a default with variables', { command: 'a', env: { A: '${B:-${C}}' } }, '.env', /A default cannot contain/],
];

for (const [what, fields, path, message] of refusals) {
  test(`a server is left out, and the others are used, for ${what}`, async () => {
    const { servers, problems } = await one(fields);
    assert.deepEqual(
      servers.map(({ alias }) => alias),
      ['good'],
    );
    assert.equal(problems.length, 1);
    assert.equal(problems[0]!.server, 'bad');
    assert.equal(problems[0]!.path, `mcpServers.bad${path}`);
    assert.match(problems[0]!.message, message);
    assert.match(problems[0]!.message, /The server is left out\.$/);
  });
}

test('a time that is too long for a timer is a problem, and is not replaced by another', async () => {
  for (const time of ['1e400', '-1e400', '9007199254740993']) {
    const { servers, problems } = await parseServers(`{"mcpServers":{"bad":{"command":"x","idleMs":${time}}}}`, {
      file: 'mcp.json',
      trust: 'user',
    });
    assert.deepEqual([servers.length, problems.length], [0, 1], time);
  }
});
