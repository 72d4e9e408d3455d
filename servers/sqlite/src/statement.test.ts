import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseStatement } from './statement.ts';
import { tokensOf } from './tokens.ts';

function shapeOf(sql: string): string {
  return tokensOf(sql)
    .map(({ kind, text }) => `${kind}:${text}`)
    .join(' ');
}

test('SQL is split as SQLite does it', () => {
  for (const [sql, shape] of [
    ['a \'b\'\'c\' "d""e" `f``g` [h i]', 'word:a string:\'b\'\'c\' quoted:"d""e" quoted:`f``g` quoted:[h i]'],
    ["x'00' X'ff' xy'z'", "string:x'00' string:X'ff' word:xy string:'z'"],
    ['1 1.5 .5 1e5 0x1F', 'number:1 number:1.5 number:.5 number:1e5 number:0x1F'],
    ['? ?1 :a @b $c', 'variable:? variable:?1 variable::a variable:@b variable:$c'],
    ['a--b\nc/*d*/e/***/f/**/g', 'word:a word:c word:e word:f word:g'],
    ['a /* never closed', 'word:a'],
    ['-- only a comment', ''],
    ["'--' '/*' \"--\" -- '", "string:'--' string:'/*' quoted:\"--\""],
    ['a.b;c', 'word:a symbol:. word:b symbol:; word:c'],
    ['größe 日本', 'word:größe word:日本'],
  ] as const)
    assert.equal(shapeOf(sql), shape);
  for (const sql of ["'", "a 'b", '"', '`', '[', "x'", "'a''"])
    assert.throws(() => tokensOf(sql), /A quote is not closed/, sql);
});

test('a statement is found without what surrounds it', () => {
  const { sql, verb, isExplained } = parseStatement('/* a */ explain query plan select 1 -- b\n; ; /* c', 0);
  assert.deepEqual([sql, verb, isExplained], ['explain query plan select 1', 'SELECT', true]);
  for (const text of ['', ';', '-- x', '/* x', ' \n;\t; '])
    assert.throws(() => parseStatement(text, 0), /contains no statement/, JSON.stringify(text));
  assert.throws(() => parseStatement('SELECT 1\0', 0), /must not contain NUL/);
  assert.equal(parseStatement('CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; SELECT 2; END;', 0).verb, 'CREATE');
});

test('very long parts of a statement are parsed', () => {
  const long = 'x'.repeat(99_000);
  for (const part of [
    `'${long}'`,
    `"${long}"`,
    `/*${long}*/ 1`,
    `/*${'*'.repeat(99_000)}*/ 1`,
    `1 --${long}`,
    long,
    '1,'.repeat(49_000),
    "''".repeat(49_000),
  ])
    assert.equal(parseStatement(`SELECT ${part}`, 0).verb, 'SELECT');
  assert.throws(() => parseStatement(`SELECT ${'('.repeat(2_000)}1`, 0), /nested/);
});
