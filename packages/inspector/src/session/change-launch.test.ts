import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedactor } from '../record/redact.ts';
import { changedLaunch } from './change-launch.ts';
import type { Target } from './contract.ts';
import { shownLaunch } from './shown.ts';

type Process = Extract<Target['launch'], { command: string }>;

const launch: Process = {
  command: 'node',
  args: ['server.js', '--token', 'abcdefghijkl', '--verbose'],
  env: { API_KEY: 'mnopqrstuvwx', MODE: 'fast' },
  inheritEnv: ['HOME'],
  cwd: '/work',
};

test('program, folder, arguments and variables are replaced, and secrets are kept without being sent', () => {
  const changed = changedLaunch(launch, {
    args: [{ keep: 0 }, { keep: 1 }, { keep: 2 }, { text: '--quiet' }],
    env: [{ name: 'API_KEY' }, { name: 'HOME' }, { name: 'MODE', value: 'slow' }, { name: 'NEW', value: '' }],
  });
  assert.deepEqual(changed, {
    ...launch,
    args: ['server.js', '--token', 'abcdefghijkl', '--quiet'],
    env: { API_KEY: 'mnopqrstuvwx', MODE: 'slow', NEW: '' },
  });
  const { command, cwd } = changedLaunch(launch, { command: 'deno', cwd: '/other', args: [], env: [] }) as Process;
  assert.deepEqual([command, cwd], ['deno', '/other']);
  assert.equal((changedLaunch(launch, { cwd: '', args: [], env: [] }) as Process).cwd, undefined);
  assert.deepEqual(changedLaunch(launch, { args: [], env: [] }), { ...launch, args: [], env: {}, inheritEnv: [] });
});

test('a missing value to keep and an invalid argument or variable are rejected, by name', () => {
  for (const [args, env, says] of [
    [[{ keep: 4 }], [], /no such argument/],
    [[{ text: 'a\0b' }], [], /An argument holds the character/],
    [[], [{ name: 'OTHER' }], /no value of OTHER/],
    [[], [{ name: '__proto__' }], /no value of __proto__/],
    [[], [{ name: 'A=B', value: '' }], /without =/],
    [[], [{ name: '', value: '' }], /needs a name/],
    [
      [],
      [
        { name: 'A', value: '1' },
        { name: 'A', value: '2' },
      ],
      /A is there twice/,
    ],
  ] as const)
    assert.throws(() => changedLaunch(launch, { args, env }), { name: 'WorkbenchError', message: says });
  for (const [change, says] of [
    [{ command: ' ' }, /needs a program/],
    [{ command: 'a\0b' }, /The program holds the character/],
    [{ cwd: 'a\0b' }, /The folder holds the character/],
  ] as const)
    assert.throws(() => changedLaunch(launch, { ...change, args: [], env: [] }), { message: says });
  assert.throws(() => changedLaunch({ url: 'https://a.example/mcp' }, { args: [], env: [] }), /a process is started/);
});

test('a page sees how a process is started, without secrets', () => {
  const { parts } = shownLaunch({ id: 'a', name: 'a', launch }, createRedactor());
  assert.deepEqual(parts, {
    command: { text: 'node', secret: false },
    cwd: '/work',
    args: [
      { text: 'server.js', secret: false },
      { text: '--token', secret: false },
      { text: '[redacted]', secret: true },
      { text: '--verbose', secret: false },
    ],
    env: [
      { name: 'API_KEY', kept: 'secret' },
      { name: 'MODE', value: 'fast' },
      { name: 'HOME', kept: 'inherited' },
    ],
  });
  const cut = { ...launch, args: ['--header', 'Authorization: Bearer abc def', 'x'] };
  const { parts: some } = shownLaunch({ id: 'a', name: 'a', launch: cut }, createRedactor());
  assert.ok(!JSON.stringify(some).includes('abc'), JSON.stringify(some));
  // If arguments cannot be told apart any more, none of them is shown.
  assert.deepEqual(some?.command.secret, some?.args[0]?.secret);
});
