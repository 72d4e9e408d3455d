import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import type { Target } from '../session/contract.ts';
import { isSameServer, serverEntry } from './server-entry.ts';

function entry(launch: Target['launch'], more: Partial<Target> = {}): string {
  return serverEntry({ id: 'a', name: 'a', launch, ...more });
}

test('secrets of a server are written as variables with telling names', () => {
  process.env['OWN_VARIABLE'] = 'x';
  const text = entry(
    {
      command: 'node',
      args: ['--api-key', 'aaaa-1', 'TOKEN=aaaa-2', '--url=postgres://me:aaaa-3@host/', 'Authorization: Bearer aaaa-4'],
      env: { MODE: 'x y', API_TOKEN: 'aaaa-5', DATABASE: 'mysql://me:aaaa-6@host', EMPTY: '' },
      inheritEnv: ['OWN_VARIABLE'],
      cwd: '/a b',
    },
    { revision: '2025-06-18' },
  );
  assert.doesNotMatch(text, /aaaa/);
  assert.deepEqual(JSON.parse(text), {
    command: 'node',
    args: [
      '--api-key',
      '${API_KEY}',
      'TOKEN=${TOKEN}',
      '--url=postgres://me:${SECRET}@host/',
      'Authorization: ${AUTHORIZATION}',
    ],
    env: {
      MODE: 'x y',
      API_TOKEN: '${API_TOKEN}',
      DATABASE: '${DATABASE}',
      EMPTY: '',
      OWN_VARIABLE: '${OWN_VARIABLE}',
    },
    cwd: '/a b',
    protocol: '2025-06-18',
  });
});

test('in a URL the request parameters stay, and credentials do not', () => {
  const url = 'https://me:aaaa-1@x.test/mcp?workspace=production&api_key=aaaa-2&sig=aaaa-3&flag';
  assert.deepEqual(JSON.parse(entry({ url, headers: { 'X-Api-Key': 'aaaa-4', Tenant: 'aaaa-5' } })), {
    url: 'https://x.test/mcp?workspace=production&api_key=${API_KEY}&sig=${SIG}&flag',
    headers: { 'X-Api-Key': '${X_API_KEY}', Tenant: '${TENANT}' },
  });
});

test('the login settings stay, with a variable for the secret of the client', () => {
  const client = { id: 'by-hand', secret: 'aaaa-1', issuer: 'https://login.test' };
  const login = { client, scopes: ['notes'], callbackPort: 8931 };
  assert.deepEqual(JSON.parse(entry({ url: 'https://x.test/mcp', login })), {
    url: 'https://x.test/mcp',
    oauth: {
      clientId: 'by-hand',
      clientSecret: '${CLIENT_SECRET}',
      issuer: 'https://login.test',
      scopes: ['notes'],
      callbackPort: 8931,
    },
  });
});

test('text that looks like a variable is escaped', () => {
  assert.deepEqual(JSON.parse(entry({ command: 'sh', args: ['-c', 'echo ${HOME} $HOME'] })).args, [
    '-c',
    'echo ${DOLLAR:-$}{HOME} $HOME',
  ]);
});

test('an entry is of the same server if its text with variables matches the running one', () => {
  const own = entry({ command: '/bin/node', args: ['/home/me/a.js'], env: { STAGE: 'one' } });
  const written = (value: unknown): boolean => isSameServer(JSON.stringify(value), own);
  const same = { command: '/bin/node', args: ['${HOME}/a.js'], env: { STAGE: 'one' } };
  assert.equal(written(same), true);
  assert.equal(written({ ...same, type: 'stdio', cwd: resolve('.'), env: { STAGE: '${STAGE}' } }), true);
  const others = [
    { args: ['${HOME}/b.js'] },
    { args: [] },
    { args: 1 },
    { env: { STAGE: 'two' } },
    { env: undefined },
    { cwd: '/' },
    { command: undefined, url: '/bin/node' },
  ];
  for (const other of others) assert.equal(written({ ...same, ...other }), false, JSON.stringify(other));
  for (const none of [null, 1, 'x', []]) assert.equal(written(none), false);
});
