import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_LIMITS } from '../../protocol/limits.ts';
import { Session } from './session.ts';

function newSession(): Session {
  return new Session(
    { revision: '2025-11-25', capabilities: {}, client: undefined, lists: new Set() },
    { principal: { id: 'ann' }, quotaKey: undefined },
    () => 1,
    DEFAULT_LIMITS,
    { send() {} },
  );
}

test('[LOG-2] a new level also applies to running calls', () => {
  const session = newSession();
  assert.equal(session.logLevel, 'info');
  session.level = 'error';
  assert.equal(session.logLevel, 'error');
  assert.equal(session.principal?.id, 'ann');
});

test('a session that has ended sends no more requests', async () => {
  const session = newSession();
  session.markInitialized();
  const sent: string[] = [];
  const writer = { send: (text: string) => void sent.push(text) };
  const asked = session.sendRequest('roots/list', {}, new AbortController().signal, writer);
  session.close();
  await assert.rejects(asked, { name: 'ConnectionError' });
  assert.deepEqual(sent, []);
});
