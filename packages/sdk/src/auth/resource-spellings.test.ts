import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourceSpellings } from './resource-spellings.ts';

test('only the resource at the root of a host has two spellings', () => {
  for (const root of ['https://mcp.example.com', 'https://mcp.example.com/'])
    assert.deepEqual(resourceSpellings(root), ['https://mcp.example.com', 'https://mcp.example.com/']);
  for (const one of [
    'https://mcp.example.com/mcp',
    'https://mcp.example.com/mcp/',
    'https://mcp.example.com?a',
    'my-api',
  ])
    assert.deepEqual(resourceSpellings(one), [one]);
});
