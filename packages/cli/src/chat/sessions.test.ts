import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Failure } from '../failure/failure.ts';
import {
  isSessionId,
  loadSession,
  newSessionId,
  type SavedConversation,
  savedSessions,
  saveSession,
  sessionIds,
} from './sessions.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'tenon-sessions-'));
  after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function fileOf(state: string, id: string): string {
  return join(state, 'sessions', `${id}.json`);
}

function saved(id: string): SavedConversation {
  return {
    id,
    began: 1,
    changed: 2,
    model: 'demo',
    messages: [{ role: 'user', content: `Hello from ${id}` }],
  };
}

test('a saved conversation can be loaded, and only this user can read it', async () => {
  const state = folder();
  const id = newSessionId();
  await saveSession(state, saved(id));
  assert.deepEqual(await loadSession(state, id), saved(id));
  assert.equal(statSync(fileOf(state, id)).mode & 0o077, 0);
  assert.deepEqual(readdirSync(join(state, 'sessions')), [`${id}.json`]);
});

test('the last conversation is the most recently used one, not the most recently started one', async () => {
  const state = folder();
  const [old, middle, young] = [0, 1_000, 2_000].map((at) => newSessionId(new Date(at))) as [string, string, string];
  for (const id of [old, middle, young]) await saveSession(state, saved(id));
  utimesSync(fileOf(state, young), 10, 10);
  utimesSync(fileOf(state, old), 20, 20);
  utimesSync(fileOf(state, middle), 20, 20);
  assert.deepEqual(await sessionIds(state), [middle, old, young]);
  await saveSession(state, saved(old));
  assert.deepEqual(await sessionIds(state), [old, middle, young]);
});

test('there are no conversations at first, and ids cannot lead out of the folder', async () => {
  const state = folder();
  assert.deepEqual(await sessionIds(state), []);
  assert.equal(await loadSession(state, '../../etc/passwd'), undefined);
  assert.equal(await loadSession(state, newSessionId()), undefined);
  assert.equal(isSessionId('20260728-101500-abc12'), false);
});

const BAD = [
  '{',
  '[]',
  '{"messages":[1]}',
  JSON.stringify({ ...saved(''), began: undefined }),
  JSON.stringify({ ...saved(''), messages: {} }),
  JSON.stringify({ ...saved(''), messages: [{ role: 'user', content: 5 }] }),
  JSON.stringify({ ...saved(''), messages: [{ role: 'assistant', content: [{ type: 'text' }] }] }),
];

test('a file that is not a conversation is rejected, and the model is not blamed', async () => {
  const state = folder();
  const id = newSessionId();
  mkdirSync(join(state, 'sessions'));
  for (const text of BAD) {
    writeFileSync(fileOf(state, id), text);
    await assert.rejects(
      loadSession(state, id),
      (error) =>
        error instanceof Failure &&
        error.exit === 2 &&
        error.message.startsWith(`${fileOf(state, id)} is not a conversation: `),
      text,
    );
  }
});

test('one unreadable file does not hide the other conversations', async () => {
  const state = folder();
  const good = newSessionId();
  await saveSession(state, saved(good));
  const bad = BAD.map((text) => {
    const id = newSessionId();
    writeFileSync(fileOf(state, id), text);
    return id;
  });
  const found = await savedSessions(state, 20);
  assert.deepEqual(
    found.saved.map(({ id }) => id),
    [good],
  );
  assert.equal(found.problems.length, BAD.length);
  for (const id of bad) assert.ok(found.problems.some((problem) => problem.includes(id)));
});
