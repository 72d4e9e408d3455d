import assert from 'node:assert/strict';
import { test } from 'node:test';
import { surfaceCost } from './tokens.ts';

test('the cost of a tool is a quarter of its characters in the prompt of a host, and the instructions count as well', () => {
  const shown = { name: 'add', description: 'Adds two numbers', inputSchema: { type: 'object' } };
  const expected = Math.ceil(JSON.stringify(shown).length / 4);
  const tools = [{ ...shown, outputSchema: { type: 'object' }, icons: [{ src: 'x'.repeat(1_000) }] }, null];
  assert.deepEqual(surfaceCost({ tools, instructions: 'x'.repeat(40) }), {
    total: expected + 10,
    instructions: 10,
    tools: [expected, 0],
  });
});
