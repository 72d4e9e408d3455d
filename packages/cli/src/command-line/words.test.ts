import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitWords } from './words.ts';

test('a command is split as a shell splits it', () => {
  const rows: [string, string[]][] = [
    ['node server.js', ['node', 'server.js']],
    ['  npx   -y  pkg ', ['npx', '-y', 'pkg']],
    ['node "my server.js" --name=\'a b\'', ['node', 'my server.js', '--name=a b']],
    ['echo a\\ b "c\\"d" \'e\\f\'', ['echo', 'a b', 'c"d', 'e\\f']],
    ['x "" \'\'', ['x', '', '']],
    ['echo $HOME *.js `id`', ['echo', '$HOME', '*.js', '`id`']],
    ['', []],
  ];
  for (const [text, words] of rows) assert.deepEqual(splitWords(text), words, text);
});

test('a quote that is not closed is refused', () => {
  assert.throws(() => splitWords('node "server.js'), /is not closed/);
});
