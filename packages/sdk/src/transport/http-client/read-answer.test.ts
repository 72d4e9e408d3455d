import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AnswerEvents, AnswerReader, type AnswerEnd } from './read-answer.ts';
import type { AnswerHead } from './send.ts';

function head(type: string): AnswerHead {
  return { status: 200, header: (name) => (name === 'content-type' ? type : undefined), all: () => [] };
}

// The platform calls the reader, so an exception there would end the process.
for (const [where, type] of [
  ['head', 'application/json'],
  ['body', 'application/json'],
  ['event', 'text/event-stream'],
] as const)
  test(`an error while an answer is read ends its request, and is not thrown: in the ${where}`, () => {
    const failure = new Error('It cannot be read');
    const ends: AnswerEnd[] = [];
    let aborted = 0;
    const fail = (): never => {
      throw failure;
    };
    const quiet: AnswerEvents = { head() {}, body() {}, event() {}, end: (ended) => void ends.push(ended) };
    const reader = new AnswerReader({ ...quiet, [where]: fail }, 1_000);
    reader.send(() => ({ abort: () => void aborted++ }), { method: 'POST', url: 'https://a.example/', headers: {} });
    reader.head(head(type));
    reader.data(new TextEncoder().encode('data: {}\n\n'));
    reader.end();
    assert.deepEqual(
      ends.map(({ error, delivered }) => [error, delivered]),
      [[failure, true]],
    );
    assert.equal(aborted, 1);
  });
