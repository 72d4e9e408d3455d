import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isSessionId, loadSession, newSessionId, type Saved, saveSession, sessionIds } from './sessions.ts';

const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'tenon-sessions-'));
  after(() => rmSync(path, { recursive: true, force: true }));
  return path;
};

const saved = (id: string): Saved => ({
  id,
  began: 1,
  changed: 2,
  model: 'demo',
  messages: [{ role: 'user', content: `Hello from ${id}` }],
});

test('what is saved is loaded again, the last one without a name', async () => {
  const state = folder();
  const [first, second] = [newSessionId(new Date(0)), newSessionId(new Date(1_000))];
  await saveSession(state, saved(second));
  await saveSession(state, saved(first));
  assert.deepEqual(await sessionIds(state), [second, first]);
  assert.equal((await loadSession(state))?.id, second);
  assert.deepEqual(await loadSession(state, first), saved(first));
  assert.equal(statSync(join(state, 'sessions', `${first}.json`)).mode & 0o077, 0);
  assert.deepEqual(
    readdirSync(join(state, 'sessions')).filter((name) => name.endsWith('.tmp')),
    [],
  );
});

test('there is nothing to load at first, and no name leads out of the folder', async () => {
  const state = folder();
  assert.equal(await loadSession(state), undefined);
  assert.equal(await loadSession(state, '../../etc/passwd'), undefined);
  assert.equal(await loadSession(state, newSessionId()), undefined);
  assert.equal(isSessionId('20260728-101500-abc12'), false);
});

test('a file that is no conversation is named', async () => {
  const state = folder();
  const id = newSessionId();
  mkdirSync(join(state, 'sessions'));
  for (const text of ['{', '[]', '{"messages":[1]}']) {
    writeFileSync(join(state, 'sessions', `${id}.json`), text);
    await assert.rejects(loadSession(state, id), SyntaxError);
  }
});
