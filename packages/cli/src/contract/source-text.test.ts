import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInThisContext } from 'node:vm';
import { commentLines, commentText, docComment, memberName, stringLiteral } from './source-text.ts';

/** Pieces with a meaning to a compiler, an editor or a terminal. */
const PIECES = [
  '*/',
  '/*',
  '*',
  '/',
  '//',
  '\\',
  '"',
  "'",
  '`',
  '${1}',
  '\n',
  '\r',
  '\r\n',
  '\t',
  '\0',
  '\u2028',
  '\u2029',
  '\u0085',
  '\u202e',
  '\u200b',
  '\ufeff',
  '\ud800',
  '\udc00',
  '\u{e0041}',
  '@ts-ignore',
  '{@link x}',
  '</script>',
  '<!--',
  'a',
  ' ',
  '👩‍💻',
  'ß',
];

/** Texts of these pieces, the same in every run. */
function* mixtures(count: number): Generator<string> {
  let state = 1;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  for (let at = 0; at < count; at++)
    yield Array.from({ length: 1 + next(8) }, () => PIECES[next(PIECES.length)]!).join('');
}

const UNSEEN = /[\p{Cc}\p{Cs}\u2028\u2029\u202e\u200b\ufeff\u{e0041}]/u;

test('a string literal has the value of the text, and shows all its characters', () => {
  for (const text of mixtures(20_000)) {
    const literal = stringLiteral(text);
    assert.equal(runInThisContext(literal), text, literal);
    assert.doesNotMatch(literal, UNSEEN);
  }
});

test('no text ends a comment, hides something in it, or directs the compiler', () => {
  for (const text of mixtures(20_000)) {
    const comment = docComment(commentLines(text), '  ');
    const code = `${comment}"behind"`;
    assert.equal(runInThisContext(code), 'behind', code);
    assert.doesNotMatch(comment.replaceAll('\n', ''), UNSEEN);
    assert.doesNotMatch(comment, /^[\s/*]*@|\{@/m, comment);
    assert.equal(runInThisContext(`1 /* ${commentText(text, 100)} */ + 1`), 2);
  }
});

test('a comment keeps ordinary text', () => {
  assert.deepEqual(commentLines('Ask ann@example.com.\r\n\r\n  - one\t\n'), ['Ask ann@example.com.', '', '  - one']);
  assert.deepEqual(commentLines('\n \n'), []);
  assert.deepEqual(commentLines('Größe 👩‍💻 ❤️'), ['Größe 👩‍💻 ❤️']);
  assert.equal(docComment(['One'], '  '), '  /** One */\n');
  assert.equal(docComment(['One', '', 'Two'], ''), '/**\n * One\n *\n * Two\n */\n');
  assert.equal(docComment([], ''), '');
});

test('a long text is shortened, never within a character', () => {
  const [line = ''] = commentLines('👩'.repeat(5_000));
  assert.equal(line, `${'👩'.repeat(1_000)}…`);
  assert.equal(commentText(`a${'👩'.repeat(50)}`, 4), 'a👩…');
});

test('names of members are in quotes unless they are identifiers', () => {
  assert.deepEqual(['a', '$a_1', '__proto__', '1', 'a-b', 'größe', ''].map(memberName), [
    'a',
    '$a_1',
    '__proto__',
    '"1"',
    '"a-b"',
    '"größe"',
    '""',
  ]);
});
