import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Draft, draftOf, edit } from './editor.ts';

/** The text with `|` at the cursor position. */
function shown({ text, cursor }: Draft): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}
function at(text: string): Draft {
  return { text: text.replace('|', ''), cursor: text.indexOf('|') };
}
function press(before: string, name: string, mod: { ctrl?: boolean; meta?: boolean } = {}): string {
  return shown(edit(at(before), undefined, { name, ...mod }));
}

test('keys move and remove as in a shell', () => {
  assert.equal(press('one two|', 'w', { ctrl: true }), 'one |');
  assert.equal(press('one |two', 'k', { ctrl: true }), 'one |');
  assert.equal(press('one |two', 'u', { ctrl: true }), '|two');
  assert.equal(press('one two|', 'a', { ctrl: true }), '|one two');
  assert.equal(press('first\nse|cond', 'home'), 'first\n|second');
  assert.equal(press('first|\nsecond', 'end'), 'first|\nsecond');
  assert.equal(press('one two|', 'left', { ctrl: true }), 'one |two');
  assert.equal(press('|one two', 'f', { meta: true }), 'one| two');
  assert.equal(press('|', 'backspace'), '|');
  assert.equal(press('|', 'delete'), '|');
});

test('a surrogate pair counts as one character', () => {
  assert.equal(press('a😀|', 'backspace'), 'a|');
  assert.equal(press('a😀|', 'left'), 'a|😀');
  assert.equal(press('a|😀', 'right'), 'a😀|');
  assert.equal(press('a|😀', 'delete'), 'a|');
});

test('control characters and unknown keys insert nothing', () => {
  for (const [typed, key] of [
    ['\u0007', { name: 'g', ctrl: true }],
    ['\u001b[24~', { name: 'f12' }],
    [undefined, { name: 'undefined' }],
  ] as const)
    assert.equal(shown(edit(draftOf('x'), typed, key)), 'x|');
  assert.equal(shown(edit(at('a|c'), 'b', { name: 'b' })), 'ab|c');
});
