import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSurface, SurfaceError, surfaceText, type SurfaceParts } from './surface.ts';

const parts: SurfaceParts = {
  server: { name: 'trains', version: '1.0.0' },
  revision: '2026-07-28',
  capabilities: { tools: {} },
  tools: ['{"name":"a","inputSchema":{"type":"object","properties":{"n":{"const":9007199254740993}}}}', '3'],
  resources: [],
  templates: [],
  prompts: ['{ "name" : "p" }'],
};

test('a surface is saved as JSON with its entries as the server sent them, and read back', () => {
  const text = surfaceText(parts);
  assert.ok(text.endsWith('}\n'));
  assert.match(text, /"const": 9007199254740993\n/);
  assert.deepEqual(readSurface(text), {
    surface: 1,
    server: { name: 'trains', version: '1.0.0' },
    revision: '2026-07-28',
    capabilities: { tools: {} },
    tools: [{ name: 'a', inputSchema: { type: 'object', properties: { n: { const: 9_007_199_254_740_992 } } } }, 3],
    resources: [],
    templates: [],
    prompts: [{ name: 'p' }],
  });
});

test('instructions are kept if there are any', () => {
  assert.equal(readSurface(surfaceText({ ...parts, instructions: 'Be "kind"\n' })).instructions, 'Be "kind"\n');
  assert.equal('instructions' in readSurface(surfaceText(parts)), false);
});

function refusal(text: string): string {
  try {
    readSurface(text);
  } catch (error) {
    assert.ok(error instanceof SurfaceError);
    assert.notEqual(error.fix, '');
    return error.message;
  }
  return 'read';
}

test('a text that is not a surface, or of a newer version, is rejected with a reason', () => {
  const surface = JSON.parse(surfaceText(parts)) as Record<string, unknown>;
  assert.match(refusal('{'), /^This is not a saved surface: /);
  assert.match(refusal('[]'), /not a JSON object/);
  assert.match(refusal('{}'), /no member "surface"/);
  assert.match(refusal(JSON.stringify({ ...surface, surface: 2 })), /has version 2; this program knows version 1/);
  for (const member of ['server', 'revision', 'capabilities', 'tools', 'resources', 'templates', 'prompts'])
    assert.equal(refusal(JSON.stringify({ ...surface, [member]: undefined })), `The surface has no usable "${member}"`);
  assert.match(refusal(JSON.stringify({ ...surface, instructions: 3 })), /"instructions"/);
});

test('a surface that is nested deeper than any message is rejected', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  assert.match(
    refusal(surfaceText({ ...parts, prompts: ['1'] }).replace(/"prompts": \[\s*1/, `"prompts": [${deep}`)),
    /nested more than 200 levels/,
  );
});
