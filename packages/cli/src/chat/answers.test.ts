import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Decision, Item } from '@tenon/host';
import { type AnswersFile, decideByFile, isAbout, readAnswers } from './answers.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-answers-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function read(content: unknown): AnswersFile {
  const path = join(folder, 'answers.json');
  writeFileSync(path, JSON.stringify(content));
  return readAnswers(path);
}

const base = { id: 'i', at: 0, server: 'travel', warnings: [] };
const call: Item = { ...base, kind: 'call', tool: 'travel__book', title: 'book', arguments: {}, by: 'model' };
const start: Item = {
  ...base,
  kind: 'start',
  target: { url: 'https://example.com', headers: [] },
  variables: [],
  changed: [],
  source: undefined,
};
const question: Item = {
  ...base,
  kind: 'question',
  message: 'Which seat?',
  tool: undefined,
  name: 'seat',
  form: { schema: {}, defaults: { seat: '1A' } },
  page: undefined,
};

async function decide(
  content: unknown,
  item: Item,
  servers = ['travel'],
): Promise<{ decision: Decision; said: string[] }> {
  const said: string[] = [];
  const { approve, ask } = decideByFile({
    answers: read(content),
    servers,
    host: () => undefined,
    denied: (text) => void said.push(text),
  });
  const signal = new AbortController().signal;
  return { decision: await (item.kind === 'question' ? ask : approve)(item, { signal }), said };
}

test('a call is allowed by its server and tool, with the scope in the file', async () => {
  const { decision } = await decide({ approve: { 'travel/*': 'always' } }, call);
  assert.deepEqual([decision.allow, decision.scope], [true, 'always']);
});

test('`no` wins over all other matching keys', async () => {
  const { decision } = await decide({ approve: { '*': 'always', 'travel/*book': 'no' } }, call);
  assert.equal(decision.allow, false);
});

test('requests without an answer are denied, with a message that says what to add', async () => {
  const { decision, said } = await decide({}, start);
  assert.equal(decision.allow, false);
  assert.match(said[0]!, /start:travel was denied.*\{"approve":\{"start:travel":"once"\}\}/);
  const asked = await decide({}, question);
  assert.deepEqual(asked.decision, { allow: false });
  assert.match(asked.said[0]!, /"questions":\{"travel\/seat"/);
});

test('a star never matches another kind of act', () => {
  assert.equal(isAbout('*', 'travel/book'), true);
  for (const about of ['start:travel', 'sample:travel', 'changed:travel/book', 'read:travel/x://y']) {
    assert.equal(isAbout('*', about), false, about);
  }
  assert.equal(isAbout('start:*', 'start:travel'), true);
  assert.equal(isAbout('travel/b.ok', 'travel/book'), false);
});

test("a change of a server's description is decided by its name", async () => {
  const after = { server: undefined, instructions: 'Be kind' };
  const changed: Item = { ...base, kind: 'changed-server', before: undefined, after, difference: [] };
  for (const key of ['changed:travel', 'changed:*']) {
    assert.equal((await decide({ approve: { [key]: 'once' } }, changed)).decision.allow, true, key);
  }
  const { decision, said } = await decide({ approve: { '*': 'always', 'changed:travel/*': 'always' } }, changed);
  assert.equal(decision.allow, false);
  assert.match(said[0]!, /\{"approve":\{"changed:travel":"once"\}\}/);
});

test('a question is answered by its name, then its message, then the star', async () => {
  const answers = { seat: { seat: '2B' }, 'Which seat?': 'decline', '*': 'cancel' };
  assert.deepEqual((await decide({ questions: answers }, question)).decision.content, { seat: '2B' });
  assert.deepEqual((await decide({ questions: { 'Which seat?': 'decline' } }, question)).decision, { allow: false });
  assert.deepEqual((await decide({ questions: { '*': 'cancel' } }, question)).decision, { allow: false, cancel: true });
  assert.deepEqual((await decide({ questions: { '*': 'accept' } }, question)).decision.content, { seat: '1A' });
});

test('an answer written for one server is not given to another that asks under the same name', async () => {
  const several = ['travel', 'other'];
  const asked = (questions: Record<string, unknown>, item: Item = question) => decide({ questions }, item, several);
  const other: Item = { ...question, server: 'other' };
  assert.deepEqual((await asked({ 'travel/seat': { seat: '2B' } })).decision.content, { seat: '2B' });
  assert.deepEqual((await asked({ 'travel/Which seat?': 'accept' })).decision.content, { seat: '1A' });
  assert.deepEqual((await asked({ 'travel/*': 'cancel', 'travel/seat': 'accept' })).decision.allow, true);
  assert.deepEqual((await asked({ '*/seat': 'accept' }, other)).decision.allow, true);
  for (const key of ['travel/seat', 'travel/*', 't*/*', 'travel/Which seat?']) {
    const { decision, said } = await asked({ [key]: 'accept' }, other);
    assert.deepEqual([key, decision], [key, { allow: false }]);
    assert.match(said[0]!, /"questions":\{"other\/seat"/);
  }
  for (const key of ['seat', 'Which seat?', '*', 'trav*'])
    await assert.rejects(asked({ [key]: 'accept' }), /names no server, and there are 2/);
});

test('a server matches only by its full name, even if a question has the same name', async () => {
  const sly: Item = { ...question, server: 'other', name: 'travel/seat', message: 'travel/seat' };
  assert.equal((await decide({ questions: { 'travel/seat': 'accept' } }, sly, ['other'])).decision.allow, false);
  assert.equal((await decide({ questions: { 'other/travel/seat': 'accept' } }, sly, ['other'])).decision.allow, true);
});

test('an invalid file allows nothing', () => {
  for (const [content, wanted] of [
    [{ aprove: {} }, /"aprove"/],
    [{ approve: { x: 'yes' } }, /must be "once"/],
    [{ approve: [] }, /not an object/],
    [{ questions: { x: 1 } }, /must be "accept"/],
    [{ inputs: { x: 1 } }, /must be a text/],
  ] as const)
    assert.throws(() => read(content), wanted);
});
