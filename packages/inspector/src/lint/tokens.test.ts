import assert from 'node:assert/strict';
import { test } from 'node:test';
import { surfaceCost } from './tokens.ts';

test('a tool costs a quarter of the characters of what hosts put before a model, and the instructions cost, too', () => {
  const shown = { name: 'add', description: 'Adds two numbers', inputSchema: { type: 'object' } };
  const expected = Math.ceil(JSON.stringify(shown).length / 4);
  const tools = [{ ...shown, outputSchema: { type: 'object' }, icons: [{ src: 'x'.repeat(1_000) }] }, null];
  assert.deepEqual(surfaceCost({ tools, instructions: 'x'.repeat(40) }), {
    total: expected + 10,
    instructions: 10,
    tools: [expected, 0],
  });
});
