import assert from 'node:assert/strict';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { SuspendedCall } from 'tenon/client';
import { createFolderKeep, createMemoryKeep, type Keep } from '../state/keep.ts';
import { answerIn, createDesk, pendingIn } from './desk.ts';
import type { QuestionItem, ReadItem } from './item.ts';

const read = (id: string): ReadItem => ({ kind: 'read', id, at: 1, server: 'a', warnings: [], uri: 'x:y', by: 'user' });
const question = (id: string): QuestionItem => ({
  kind: 'question',
  id,
  at: 1,
  server: 'a',
  warnings: [],
  message: 'Sure?',
  tool: undefined,
  name: 'sure',
  form: undefined,
  page: undefined,
});
const suspended: SuspendedCall = { method: 'tools/call', params: { name: 'x' }, questions: {}, state: 's' };
const nobody = () => undefined;
const quiet = () => {};

const inFolder = async (work: (keep: Keep, folder: string) => Promise<void>): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'desk-'));
  await work(createFolderKeep(folder), folder);
};

test('somebody in this program decides', async () => {
  const desk = createDesk(createMemoryKeep(), () => (item) => ({ allow: item.server === 'a' }), quiet);
  assert.deepEqual(await desk.decide(read('1'), {}), { allow: true });
  assert.deepEqual(desk.items(), []);
});

test('without anybody it waits, and can be answered by its id', async () => {
  const desk = createDesk(createMemoryKeep(), nobody, quiet);
  const decision = desk.decide(read('1'), {});
  await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual(
    desk.items().map(({ id }) => id),
    ['1'],
  );
  assert.equal(desk.answer('2', { allow: true }), false);
  assert.equal(desk.answer('1', { allow: false, reason: 'No' }), true);
  assert.deepEqual(await decision, { allow: false, reason: 'No' });
  assert.equal(desk.answer('1', { allow: true }), false);
});

test('the first answer counts', async () => {
  const desk = createDesk(createMemoryKeep(), nobody, quiet);
  const decision = desk.decide(read('1'), {});
  await new Promise((resolve) => setTimeout(resolve, 10));
  desk.answer('1', { allow: false });
  desk.answer('1', { allow: true });
  assert.deepEqual(await decision, { allow: false });
});

test('another program sees what waits in the folder, and answers it', () =>
  inFolder(async (keep, folder) => {
    const desk = createDesk(keep, nobody, quiet);
    const decision = desk.decide(read('one'), {});
    const other = createFolderKeep(folder);
    let items = await pendingIn(other);
    for (let tries = 0; items.length === 0 && tries < 100; tries++) items = await pendingIn(other);
    assert.deepEqual(items, [read('one')]);
    assert.equal(await answerIn(other, 'two', { allow: true }), false);
    assert.equal(await answerIn(other, 'one', { allow: true, scope: 'always' }), true);
    assert.deepEqual(await decision, { allow: true, scope: 'always' });
    assert.deepEqual(await readdir(join(folder, 'answers')), []);
    desk.close();
  }));

test('an answer that is none decides nothing', () =>
  inFolder(async (keep) => {
    const desk = createDesk(keep, nobody, quiet);
    const decision = desk.decide(read('one'), {});
    await new Promise((resolve) => setTimeout(resolve, 50));
    await keep.put('answers/one', { allow: 'yes' });
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(desk.items().length, 1);
    await keep.put('answers/one', { allow: true });
    assert.deepEqual(await decision, { allow: true });
    desk.close();
  }));

test('what is given up is gone, but a call that another program can go on with stays when the host closes', () =>
  inFolder(async (keep) => {
    const desk = createDesk(keep, nobody, quiet);
    const gone = new AbortController();
    const first = desk.decide(question('gone'), { signal: gone.signal, call: suspended });
    await new Promise((resolve) => setTimeout(resolve, 20));
    gone.abort(new Error('Cancelled'));
    await assert.rejects(first, /Cancelled/);
    assert.deepEqual(await pendingIn(keep), []);

    const closing = new AbortController();
    const second = desk.decide(question('stays'), { signal: closing.signal, call: suspended });
    const third = desk.decide(read('goes'), { signal: closing.signal });
    await new Promise((resolve) => setTimeout(resolve, 20));
    desk.close();
    closing.abort(new Error('Closed'));
    await assert.rejects(second, /Closed/);
    await assert.rejects(third, /Closed/);
    assert.deepEqual(
      (await pendingIn(keep)).map(({ id }) => id),
      ['stays'],
    );

    const next = createDesk(keep, nobody, quiet);
    assert.deepEqual(
      (await next.left()).map(({ item, call }) => [item.id, call]),
      [['stays', suspended]],
    );
    await next.settled(suspended);
    assert.deepEqual(await pendingIn(keep), []);
    next.close();
  }));

test('more than a thousand things at once are refused', async () => {
  const desk = createDesk(createMemoryKeep(), nobody, quiet);
  const stop = new AbortController();
  const waits = Array.from({ length: 1_000 }, (_, index) => desk.decide(read(`n${index}`), { signal: stop.signal }));
  for (const wait of waits) wait.catch(quiet);
  while (desk.items().length < 1_000) await new Promise((resolve) => setTimeout(resolve, 1));
  const { allow, reason } = await desk.decide(read('one-more'), {});
  assert.equal(allow, false);
  assert.match(reason!, /More than 1000/);
  stop.abort(new Error('over'));
  await Promise.allSettled(waits);
});
