import assert from 'node:assert/strict';
import process from 'node:process';
import { test } from 'node:test';
import type { ParsedArguments } from '../command.ts';
import { addressOf } from './command-options.ts';

const source = { variable: 'TEA_API_URL', example: 'https://tea.example/api' };

/** The address, and the warnings about it. */
function read(address: string | undefined): { readonly address: string | undefined; readonly warnings: string[] } {
  const warnings: string[] = [];
  const given: Partial<ParsedArguments> = {
    text: (name) => (name === 'api-url' ? address : undefined),
    warn: (message) => void warnings.push(message),
  };
  return { address: addressOf(given as ParsedArguments, source), warnings };
}

test('the address of an API comes from the option, or else from the variable', (t) => {
  t.after(() => delete process.env['TEA_API_URL']);
  assert.deepEqual([read(undefined).address, read('').address], [undefined, undefined]);
  process.env['TEA_API_URL'] = 'https://variable.example/api';
  assert.equal(read(undefined).address, 'https://variable.example/api');
  assert.equal(read('https://option.example/api').address, 'https://option.example/api');
});

test('an address without encryption is warned about, except on this machine', () => {
  assert.deepEqual(read('http://tea.example:8080/api').warnings, [
    'the token is sent to tea.example:8080 without encryption: use https',
  ]);
  for (const address of ['https://tea.example', 'http://localhost:1', 'http://127.0.0.1:1/a', 'http://[::1]:1/a'])
    assert.deepEqual(read(address).warnings, [], address);
});

test('an address that cannot be used is refused, and not repeated', () => {
  for (const address of [
    'tea.example',
    'ftp://tea.example',
    'https://ann:secret@tea.example',
    'https://ann@tea.example',
    'https://:secret@tea.example',
    'https://tea.example?a',
    'https://tea.example#a',
  ])
    assert.throws(() => read(address), { message: 'The address of the API must be like https://tea.example/api' });
});
