import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { width } from '../terminal/table.ts';
import { paint } from './paint.ts';
import { wrapped } from './wrapped.ts';

function linesOf(text: string, columns: number): string[] {
  return wrapped(text, columns).split('\n');
}

test('a line is broken between words, and continues below the start of its text', () => {
  assert.deepEqual(linesOf('  ! It comes from the configuration of the project', 30), [
    '  ! It comes from the',
    '    configuration of the',
    '    project',
  ]);
  assert.deepEqual(linesOf('  /roots [folder]  the folders that servers may work in', 40), [
    '  /roots [folder]  the folders that',
    '                   servers may work in',
  ]);
  assert.deepEqual(linesOf('one two three', 9), ['one two', 'three']);
  assert.deepEqual(linesOf('short', 20), ['short']);
});

test('text without spaces is unchanged', () => {
  const address = `https://example.com/${'a'.repeat(50)}`;
  assert.deepEqual(linesOf(address, 20), [address]);
  assert.deepEqual(linesOf(`Open ${address} now`, 20), ['Open', address, 'now']);
});

test('styles continue on the next line', () => {
  const line = paint('yellow', '  ! one two three');
  assert.equal(wrapped(line, 12).replaceAll('\n    ', ' '), line);
});

test('only single spaces are removed, and breakable lines fit', () => {
  const word = fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom('a', 'b', '漢', '.', '-', '  ') });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 20 }), fc.integer({ min: 24, max: 60 }), (words, columns) => {
      const line = words.join(' ');
      const lines = wrapped(paint('bold', line), columns).split('\n').map(stripVTControlCharacters);
      const signs = (text: string): string => text.replaceAll(' ', '');
      assert.equal(signs(lines.join('')), signs(line));
      for (const one of lines) assert.ok(width(one) < columns || !/\S \S/.test(one.trimStart()), one);
    }),
  );
});
