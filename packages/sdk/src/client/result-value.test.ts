import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import type { CallToolResult } from '../protocol/results.ts';
import { valueOf } from './result-value.ts';

function given(result: Partial<CallToolResult>, output?: unknown): unknown {
  return valueOf(
    { content: [], ...result, ...(output === undefined ? {} : { _meta: { 'dev.tenon/output': output } }) },
    DEFAULT_LIMITS,
    false,
  );
}
const content = [{ type: 'text' as const, text: 'no JSON' }];

test('a false marker on a result has no effect', () => {
  for (const mark of ['text', 'wrapped', 'other', 7, null, [], {}]) assert.equal(given({ content }, mark), 'no JSON');
  for (const mark of ['wrapped', 'text', { value: 1 }]) {
    assert.deepEqual(given({ content, structuredContent: { a: 1 } }, mark), { a: 1 });
    assert.deepEqual(given({ content, structuredContent: [1] }, mark), [1]);
  }
  assert.deepEqual(given({ structuredContent: { result: 1 } }), { result: 1 });
  assert.deepEqual(given({}, 'text'), '');
});

test('a value in a text is parsed within the limits', () => {
  const deep = '['.repeat(10_000) + ']'.repeat(10_000);
  assert.equal(given({ content: [{ type: 'text', text: deep }] }, 'text'), deep);
  const poison = given({ content: [{ type: 'text', text: '{"__proto__":{"a":1}}' }] }, 'text') as { a?: unknown };
  assert.equal(poison.a, undefined);
});
