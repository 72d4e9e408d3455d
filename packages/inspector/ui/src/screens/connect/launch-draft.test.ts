import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bodyOf,
  draftOf,
  withArgument,
  withCommand,
  withFolder,
  withNewArgument,
  withNewVariable,
  withoutRow,
  withVariable,
} from './launch-draft.ts';

const parts = {
  command: { text: 'node', secret: false },
  cwd: '/work',
  args: [
    { text: 'server.js', secret: false },
    { text: '[redacted]', secret: true },
  ],
  env: [
    { name: 'API_KEY', kept: 'secret' as const },
    { name: 'MODE', value: 'fast' },
  ],
};

test('unchanged parts are kept, and secrets are never sent back', () => {
  const draft = draftOf(parts);
  const kept = {
    command: undefined,
    cwd: '/work',
    args: [{ keep: 0 }, { keep: 1 }],
    env: [{ name: 'API_KEY' }, { name: 'MODE', value: 'fast' }],
  };
  assert.deepEqual(bodyOf(draft), kept);
  assert.deepEqual(bodyOf(withNewVariable(draft)), kept);
});

test('changed, added and removed parts are sent', () => {
  const draft = draftOf(parts);
  const [first, secret] = draft.args;
  const [key] = draft.env;
  const typed = withVariable(withArgument(draft, first!.key, 'other.js'), key!.key, { value: 'new' });
  const added = withNewVariable(withNewArgument(withoutRow(typed, secret!.key)));
  const named = withVariable(added, added.env.at(-1)!.key, { name: 'DEBUG' });
  const moved = withFolder(withCommand(named, 'deno'), '');
  assert.deepEqual(bodyOf(withArgument(moved, moved.args.at(-1)!.key, '-v')), {
    command: 'deno',
    cwd: '',
    args: [{ text: 'other.js' }, { text: '-v' }],
    env: [
      { name: 'API_KEY', value: 'new' },
      { name: 'MODE', value: 'fast' },
      { name: 'DEBUG', value: '' },
    ],
  });
});
