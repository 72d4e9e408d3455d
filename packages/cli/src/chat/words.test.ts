import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mentionsIn } from './mentions.ts';
import { lastWord, quoted, wordsOf } from './prompt-words.ts';
import { fixedPart, placeIn } from './template.ts';

test('arguments of a prompt are words with a name; quotes hold spaces together', () => {
  assert.deepEqual(wordsOf('city=Oslo note="two words" x="say \\"hi\\"" stray'), {
    args: { city: 'Oslo', note: 'two words', x: 'say "hi"' },
    stray: ['stray'],
  });
  assert.deepEqual(wordsOf('a=b=c open="not closed'), { args: { a: 'b=c', open: 'not closed' }, stray: [] });
  assert.deepEqual(Object.keys(wordsOf('__proto__=x').args), ['__proto__']);
});

test('a value that is written with quotes is read as it was', () => {
  for (const value of ['plain', 'two words', 'a "quote" and \\', '']) {
    assert.equal(wordsOf(`x=${quoted(value)}`).args['x'], value);
  }
});

test('the word at the end is the one that is being written', () => {
  assert.deepEqual(lastWord('one two'), { word: 'two', from: 4 });
  assert.deepEqual(lastWord('one '), { word: '', from: 4 });
  assert.deepEqual(lastWord('a="two w'), { word: 'a="two w', from: 0 });
});

test('a text mentions resources by the names of servers, and nothing else', () => {
  const servers = ['files', 'files:more', 'my server'];
  assert.deepEqual(mentionsIn('see @files:file:///a.txt, and @files:more:x://b (@files:c://d)', servers), [
    { server: 'files', uri: 'file:///a.txt' },
    { server: 'files:more', uri: 'x://b' },
  ]);
  assert.deepEqual(mentionsIn('@my server:x://y ann@files:z @nobody:x @files: @files:a @files:a', servers), [
    { server: 'my server', uri: 'x://y' },
    { server: 'files', uri: 'a' },
  ]);
});

test('the variable of a template that is being written is found, with those before it', () => {
  const template = 'repo://{owner}/{name}/{+path}';
  assert.equal(fixedPart(template), 'repo://');
  assert.deepEqual(placeIn(template, 'repo://an'), {
    variable: 'owner',
    typed: 'an',
    from: 7,
    resolved: {},
    next: '/',
  });
  assert.deepEqual(placeIn(template, 'repo://ann/to'), {
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
