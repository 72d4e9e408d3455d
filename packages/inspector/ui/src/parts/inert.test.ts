import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HIDDEN_SAMPLES } from '@tenon/values/fixtures/hidden-samples';
import { inertText, piecesOf, safeLink } from './inert.ts';

test('text of visible characters stays unchanged', () => {
  for (const text of ['plain', 'two\nlines\tand a tab', '漢字 ü é 👍', '👨‍👩‍👧 joined', 'שלום עולם']) {
    assert.deepEqual(piecesOf(text), [{ plain: text }]);
    assert.equal(inertText(text), text);
  }
  assert.deepEqual(piecesOf(''), []);
});

test('invisible and bidirectional control characters are named', () => {
  assert.deepEqual(piecesOf('a\u202eb'), [
    { plain: 'a' },
    { code: 'U+202E', name: 'right-to-left override' },
    { plain: 'b' },
  ]);
  for (const hidden of [
    '\0',
    '\x1b',
    '\r',
    '\x7f',
    '\x9b',
    '\u200b',
    '\u2028',
    '\u2066',
    '\ufeff',
    '\ud800',
    // Joiners and variation selectors without a base character.
    '\u200c',
    '\u200d',
    '\ufe0f',
    ...HIDDEN_SAMPLES,
  ])
    assert.ok(
      piecesOf(`a${hidden}`).some((piece) => 'code' in piece),
      JSON.stringify(hidden),
    );
  assert.equal(inertText('a\u202eb\x1b[31m'), 'a\\u{202E}b\\u{001B}[31m');
});

test('a long label is cut', () => {
  assert.equal(inertText('x'.repeat(10), 4), 'xxxx…');
});

test('only http and https URLs are links, and the host is visible', () => {
  assert.deepEqual(safeLink('https://example.com/a?b#c'), { href: 'https://example.com/a?b#c', host: 'example.com' });
  assert.equal(safeLink('http://127.0.0.1:80/')?.host, '127.0.0.1');
  assert.equal(safeLink('https://ex\u0430mple.com/')?.host, 'xn--exmple-4nf.com');
  for (const bad of [
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'vbscript:x',
    'https://bank.example@evil.example/',
    '/relative',
    'blob:https://x/1',
    '',
  ])
    assert.equal(safeLink(bad), undefined, bad);
});
