import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedactor } from '../record/redact.ts';
import type { Target } from './contract.ts';
import { shownLaunch } from './shown.ts';

function shown(launch: Target['launch']) {
  return shownLaunch({ id: 'a', name: 'a', launch }, createRedactor());
}

test('the words of a command keep their boundaries', () => {
  const args = ['--title=a b', '', "it's\n$HOME"];
  assert.deepEqual(shown({ command: 'my node', args, cwd: '/a b' }), {
    words: ['my node', ...args],
    env: [],
    cwd: '/a b',
    headers: [],
    parts: {
      command: { text: 'my node', secret: false },
      cwd: '/a b',
      args: ['--title=a b', '', "it's\n$HOME"].map((text) => ({ text, secret: false })),
      env: [],
    },
  });
});

test('no part of a launch shows a secret', () => {
  const { words, env } = shown({
    command: 'run',
    args: ['--token', 'aaaa-bbbb-1', '-H', 'Authorization:', 'Bearer', 'aaaa-bbbb-2', '--url=https://me:aaaa-3@host/'],
    env: { MODE: 'x y', API_TOKEN: 'aaaa-4', URL: 'https://me:aaaa-5@host/' },
    inheritEnv: ['MODE', 'NO_SUCH_VARIABLE_OF_THIS_TEST'],
  });
  assert.doesNotMatch(words.join(' '), /aaaa/);
  assert.deepEqual(words.slice(0, 3), ['run', '--token', '[redacted]']);
  assert.deepEqual(env, ['MODE=x y', 'API_TOKEN', 'URL']);
});

test('the parts of a query that are not secret are shown', () => {
  const url = 'https://me:aaaa-1@x.test/mcp?a=one&access_token=aaaa-2&a=two%20words#aaaa-3';
  assert.deepEqual(shown({ url, headers: { Tenant: 'aaaa-4' } }), {
    words: ['https://x.test/mcp?a=one&access_token=[redacted]&a=two%20words'],
    env: [],
    headers: ['Tenant'],
  });
});
