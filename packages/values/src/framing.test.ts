import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchFraming } from './framing.ts';

function isFramed(...entries: readonly (readonly [kind: string, text: string])[]): number {
  let count = 0;
  const pass = watchFraming(() => count++);
  for (const [kind, text] of entries) pass({ kind, text });
  return count;
}

test('the framing of the Language Server Protocol is recognised by the first header, once', () => {
  const header = ['junk', 'Content-Length: 120'] as const;
  assert.equal(isFramed(['junk', 'Starting'], header, ['junk', '{}Content-Length: 12'], header), 1);
  assert.equal(isFramed(['junk', 'content-length:12\r']), 1);
});

test('a server that has sent a message, and a log about a header, are no wrong framing', () => {
  assert.equal(isFramed(['received', '{}'], ['junk', 'Content-Length: 120']), 0);
  assert.equal(isFramed(['junk', 'Content-Length: 120 bytes read'], ['stderr', 'Content-Length: 120']), 0);
});
