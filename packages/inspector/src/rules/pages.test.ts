import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clauseOf } from './pages.ts';

const HOME = 'https://modelcontextprotocol.io/specification';

test('a page has the URL of its revision', () => {
  assert.equal(clauseOf('tools#output-schema', '2025-06-18'), `${HOME}/2025-06-18/server/tools#output-schema`);
  assert.equal(clauseOf('stdio', '2025-11-25'), `${HOME}/2025-11-25/basic/transports`);
  assert.equal(clauseOf('stdio', '2026-07-28'), `${HOME}/2026-07-28/basic/transports/stdio`);
  assert.equal(clauseOf('tools', '2024-11-05'), `${HOME}/2024-11-05/server/tools`);
  assert.equal(clauseOf('messages', '2025-03-26'), `${HOME}/2025-03-26/basic`);
  assert.equal(clauseOf('schema#tool', '2025-06-18'), `${HOME}/2025-06-18/schema#tool`);
  assert.equal(clauseOf('schema#tool', '2025-03-26'), `${HOME}/2025-03-26`);
  assert.equal(clauseOf('messages', '2024-11-05'), `${HOME}/2024-11-05/basic/messages`);
});

test('a page that a revision lacks is taken from the nearest revision that has it', () => {
  assert.equal(clauseOf('elicitation', '2024-11-05'), `${HOME}/2025-06-18/client/elicitation`);
  assert.equal(clauseOf('authorization', '2024-11-05'), `${HOME}/2025-03-26/basic/authorization`);
  assert.equal(clauseOf('mrtr', '2025-11-25'), `${HOME}/2026-07-28/basic/patterns/mrtr`);
});

test('without a known revision, the newest is used', () => {
  assert.equal(clauseOf('tools'), `${HOME}/2026-07-28/server/tools`);
});
