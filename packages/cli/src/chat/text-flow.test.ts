import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { TextFlow } from './text-flow.ts';

/** The text as it is shown, whatever pieces it arrives in. */
function flow(text: string, columns = 40): string {
  const whole = new TextFlow(() => columns);
  const shown = whole.add(text) + whole.end();
  for (const size of [1, 2, 7]) {
    const cut = new TextFlow(() => columns);
    let pieces = '';
    for (let at = 0; at < text.length; at += size) pieces += cut.add(text.slice(at, at + size));
    assert.equal(pieces + cut.end(), shown, `in pieces of ${size}`);
  }
  return shown;
}

function plain(text: string, columns?: number): string {
  return stripVTControlCharacters(flow(text, columns));
}

test('text is wrapped between words, and list items are indented to the start of their text', () => {
  assert.equal(plain('one two three four five', 20), 'one two three four\nfive');
  assert.equal(plain('  one two three four five', 22), '  one two three four\n  five');
  assert.equal(
    plain('- one two three four five\n10. six seven eight nine', 20),
    '• one two three four\n  five\n10. six seven eight\n    nine',
  );
  assert.equal(plain('日本語 日本語 日本語 日本語', 22), '日本語 日本語 日本語\n日本語');
});

test('text without spaces is not broken, and no text is lost', () => {
  const address = `https://example.com/${'a'.repeat(60)}`;
  assert.equal(plain(`See ${address} now`, 20), `See\n${address}\nnow`);
  assert.equal(plain('x'.repeat(5_000)), 'x'.repeat(5_000));
  assert.equal(plain('a\r\n\n\nb \tc'), 'a\n\n\nb     c');
});

test('headings, bold text and code are styled; other asterisks and all marks of code stay', () => {
  assert.equal(plain('## The plan\nIt is **very good**, (**really**).'), 'The plan\nIt is very good, (really).');
  assert.match(flow('a **b c** d'), /^a \u001b\[1mb\u001b\[22m \u001b\[1mc\u001b\[22m d$/);
  assert.equal(plain('2 ** 3, src/**/*.ts and **/*.ts'), '2 ** 3, src/**/*.ts and **/*.ts');
  assert.equal(plain('call `f(**kwargs)` or `a b`'), 'call `f(**kwargs)` or `a b`');
  assert.equal(plain('**open\nnext'), 'open\nnext');
});

test('lines of code are neither wrapped nor formatted, and their fences are not shown', () => {
  const code = '  const a = "**b**"; // # not a heading, and a line that is too long for it';
  assert.equal(plain(`Look:\n\`\`\`ts\n${code}\n# x\n\`\`\`\nDone`), `Look:\n${code}\n# x\nDone`);
  assert.equal(plain('~~~~\n```\n~~~\n~~~~\nx'), '```\n~~~\nx');
});

test('escape sequences are shown as text everywhere', () => {
  const evil = '\u001b[2J';
  for (const text of [
    evil,
    `# ${evil}`,
    `- ${evil}`,
    `**${evil}x**`,
    `\`${evil}\``,
    `\`\`\`\n${evil}\n\`\`\``,
    `1${evil}.`,
  ])
    assert.doesNotMatch(flow(text), /\u001b\[2J/);
});
