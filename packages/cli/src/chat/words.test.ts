import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mentionsIn } from './mentions.ts';
import { lastWord, quoted, textsIn, wordsOf } from './prompt-words.ts';
import { fixedPart, placeIn } from './template.ts';

test('arguments of a prompt are words with a name; quotes keep spaces in a word', () => {
  assert.deepEqual(wordsOf('city=Oslo note="two words" x="say \\"hi\\"" stray'), {
    args: { city: 'Oslo', note: 'two words', x: 'say "hi"' },
    stray: ['stray'],
  });
  assert.deepEqual(wordsOf('a=b=c open="not closed'), { args: { a: 'b=c', open: 'not closed' }, stray: [] });
  assert.deepEqual(Object.keys(wordsOf('__proto__=x').args), ['__proto__']);
});

test('words are separated by spaces outside of quotes', () => {
  assert.deepEqual(textsIn(' ./a  "two words" c="d e"/f a=b '), ['./a', 'two words', 'c=d e/f', 'a=b']);
  assert.deepEqual(textsIn('  '), []);
});

test('a quoted value is parsed back to the same value', () => {
  for (const value of ['plain', 'two words', 'a "quote" and \\', '']) {
    assert.equal(wordsOf(`x=${quoted(value)}`).args['x'], value);
  }
});

test('the last word is the one being typed', () => {
  assert.deepEqual(lastWord('one two'), { word: 'two', from: 4 });
  assert.deepEqual(lastWord('one '), { word: '', from: 4 });
  assert.deepEqual(lastWord('a="two w'), { word: 'a="two w', from: 0 });
});

test('a text mentions resources only by the names of servers', () => {
  const servers = ['files', 'files:more', 'my server'];
  assert.deepEqual(mentionsIn('see @files:file:///a.txt, and @files:more:x://b', servers), [
    { server: 'files', uri: 'file:///a.txt' },
    { server: 'files:more', uri: 'x://b' },
  ]);
  assert.deepEqual(mentionsIn('@my server:x://y ann@files:z @nobody:x @files: @files:a @files:a', servers), [
    { server: 'my server', uri: 'x://y' },
    { server: 'files', uri: 'a' },
  ]);
});

test('brackets, quotes and punctuation around a URI are not part of it', () => {
  for (const [text, uri] of [
    ['(see @files:x://y)', 'x://y'],
    ['(@files:x://y)', 'x://y'],
    ['[@files:x://y].', 'x://y'],
    ['{@files:x://y}', 'x://y'],
    ['<@files:x://y>', 'x://y'],
    ['"@files:x://y", then', 'x://y'],
    ['have you read @files:x://y?', 'x://y'],
    ['@files:x://y?)!', 'x://y'],
    ['@files:x://y…', 'x://y'],
    ['@files:x://y?a=b.', 'x://y?a=b'],
    ['@files:x://y_(z)', 'x://y_(z)'],
    ['(@files:x://y_(z))', 'x://y_(z)'],
    ['@files:x://[::1]/a', 'x://[::1]/a'],
    ['`@files:x://y`s', 'x://y'],
  ] as const)
    assert.deepEqual(mentionsIn(text, ['files']), [{ server: 'files', uri }], text);
});

test('a URI that a server lists is matched as a whole, even with punctuation at its end or a space in it', () => {
  const listed = ['x://what?', 'x://my file', 'x://my', 'x://a'].map((uri) => ({ server: 'files', uri }));
  const uris = (text: string): string[] => mentionsIn(text, ['files'], listed).map(({ uri }) => uri);
  assert.deepEqual(uris('@files:x://what? and (@files:x://my file), @files:x://my.'), [
    'x://what?',
    'x://my file',
    'x://my',
  ]);
  assert.deepEqual(uris('@files:x://a.md @files:x://abc'), ['x://a.md', 'x://abc']);
});

function placed(template: string, typed: string) {
  const { write: _, ...rest } = placeIn(template, typed)!;
  return rest;
}

test('the template variable being typed is found, with those before it', () => {
  const template = 'repo://{owner}/{name}/{+path}';
  assert.equal(fixedPart(template), 'repo://');
  assert.deepEqual(placed(template, 'repo://an'), {
    variable: 'owner',
    typed: 'an',
    from: 7,
    resolved: {},
    next: '/',
  });
  assert.deepEqual(placed(template, 'repo://ann/to'), {
    variable: 'name',
    typed: 'to',
    from: 11,
    resolved: { owner: 'ann' },
    next: '/',
  });
  assert.equal(placeIn(template, 'repo://a/b/c/d')?.typed, 'c/d');
  assert.equal(placeIn(template, 'other://a'), undefined);
  assert.equal(placeIn('x://{id}.json', 'x://1.json'), undefined);
});
