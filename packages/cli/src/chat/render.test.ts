import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import type { RunResult } from '@tenon/host';
import { cut, firstLines } from './paint.ts';
import { createRenderer, progressText } from './render.ts';
import { createTurns } from './turns.ts';

test('progress is a bar if the total is known', () => {
  assert.equal(progressText(1, 4, undefined), '[█████░░░░░░░░░░░░░░░] 25%');
  assert.equal(progressText(9, 4, 'more\u001b[2J'), '[████████████████████] 100% more\\u001b[2J');
  assert.equal(progressText(3, undefined, undefined), '3');
  assert.equal(progressText(3, 0, undefined), '3');
});

test('a line that is too long is cut, with its full length', () => {
  assert.equal(cut('x'.repeat(20), 5), 'xxxxx… (20 characters)');
  assert.deepEqual(firstLines('a\nb\nc\nd', 2), ['a', 'b', '… 2 more lines']);
});

test('words are shown as they arrive, escaped; during a question output is held back, and none is lost', () => {
  let written = '';
  const renderer = createRenderer(
    (text) => (written += text),
    () => 80,
  );
  renderer.run({ type: 'text', text: 'one\u001b[2J tw' });
  assert.equal(written, 'one\\u001b[2J');
  renderer.pause();
  renderer.run({ type: 'text', text: 'o more' });
  renderer.lines(['three']);
  assert.equal(written, 'one\\u001b[2J\n');
  renderer.resume();
  assert.equal(stripVTControlCharacters(written), 'one\\u001b[2J\n two more\nthree\n');
});

test('a completed call is shown by its tool, with the time of its server', () => {
  let written = '';
  const renderer = createRenderer(
    (text) => (written += text),
    () => 80,
  );
  const call = { tool: 'travel__book', server: 'travel', revision: '2026-07-28', ms: 12.4, isError: false };
  renderer.over({ ...call, result: { content: [{ type: 'text', text: 'Booked' }] } });
  assert.equal(stripVTControlCharacters(written), '  ✓ travel__book · 2026-07-28 · 12 ms\n    Booked\n');
});

test('an empty answer of the model is shown as a line', () => {
  let written = '';
  const renderer = createRenderer(
    (text) => (written += text),
    () => 80,
  );
  const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0, estimated: false };
  const end = { type: 'end', end: 'done', steps: 1, usage } as const;
  const step = { type: 'step', step: 1, definitions: 'all' } as const;
  renderer.run(step);
  renderer.run({ type: 'text', text: 'I look.' });
  renderer.run(end);
  renderer.ended({ end: 'done' } as RunResult);
  assert.doesNotMatch(written, /said nothing/);
  renderer.run(step);
  renderer.run({ type: 'text', text: 'I look.' });
  renderer.run({ ...step, step: 2 });
  renderer.run(end);
  renderer.ended({ end: 'done' } as RunResult);
  assert.match(stripVTControlCharacters(written), /I look\.\nThe model gave no answer\.\n/);
});

test('the terminal is used by one prompt at a time, and the input line returns until it is submitted', async () => {
  const turns = createTurns();
  const log: string[] = [];
  let times = 0;
  const line = turns.line<string>(
    (signal) =>
      new Promise((resolve) => {
        times++;
        log.push(`line ${times}`);
        if (times === 2) return resolve('written');
        signal.addEventListener('abort', () => resolve(undefined));
      }),
  );
  const slow = async (name: string): Promise<void> => {
    log.push(`${name} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    log.push(`${name} ends`);
  };
  while (!turns.writing) await new Promise((resolve) => setImmediate(resolve));
  const both = Promise.all([turns.take(() => slow('a')), turns.take(() => slow('b'))]);
  await assert.rejects(
    turns.take(() => {
      throw new Error('c fails');
    }),
    /c fails/,
  );
  await both;
  assert.equal(await line, 'written');
  assert.deepEqual(log, ['line 1', 'a begins', 'a ends', 'b begins', 'b ends', 'line 2']);
});
