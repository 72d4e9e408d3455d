import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { type Members, memberTexts, repeatedMember } from './repeated-members.ts';

const leaf: Members = new Map();
const WATCHED: Members = new Map([
  ['a', new Map([['b', new Map([['c', leaf]])]])],
  ['d', leaf],
]);

test('a member that occurs more than once is found where it is checked', () => {
  for (const [text, found] of [
    ['{"d":1,"d":1}', 'd'],
    ['{"a":{},"x":{"a":1,"a":2},"a":{}}', 'a'],
    ['{"a":{"b":{"c":1,"x":"}","c":2}}}', 'c'],
    ['{"a":{"b":1,"\\u0062":2}}', 'b'],
    ['{"a":{"b":"\\"","b":2}}', 'b'],
    [' { "a" : { "b" : [ { "b" : 1 } , "]" ] , "b" : -1e5 } } ', 'b'],
    [`{"x":"${'y'.repeat(100)}\\\\","d":"${'y'.repeat(100)}\\"","d":null}`, 'd'],
    ['{"x":{"d":1,"d":1},"y":[{"d":1,"d":1}],"d":1}', undefined],
    ['{"a":[{"b":1,"b":1}],"d":{"x":1,"x":1}}', undefined],
    ['{"a":{"b":{},"c":{}},"b":{},"d":{}}', undefined],
    ['{"x":1,"x":2}', undefined],
    ['{}', undefined],
    ['[{"d":1,"d":1}]', undefined],
    ['"d"', undefined],
  ] as const)
    assert.equal(repeatedMember(text, WATCHED), found, text);
});

/** An object as a list of members, so that names may be repeated. */
type Pairs = readonly (readonly [name: string, value: unknown])[];
const blank = fc.constantFrom('', '', ' ', '\n\t');
const name = fc.constantFrom('a', 'b', 'c', 'd', 'x', '"', 'a\\', '\ud83d\ude00');
const { object } = fc.letrec<{ object: Pairs; value: unknown }>((tie) => ({
  object: fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }),
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(1, -2.5, null, true, '', '}', '","a":1', '\\', 'y'.repeat(60)),
    fc.array(tie('value'), { maxLength: 3 }).map((list) => ({ list })),
    tie('object').map((pairs) => ({ pairs })),
  ),
}));

function write(value: unknown, space: string): string {
  const { list, pairs } = (value ?? {}) as { list?: unknown[]; pairs?: Pairs };
  const { stringify } = JSON;
  if (list !== undefined) return `[${space}${list.map((one) => write(one, space)).join(`${space},${space}`)}${space}]`;
  if (pairs === undefined) return stringify(value);
  const members = pairs.map(([key, one]) => `${space}${stringify(key)}${space}:${space}${write(one, space)}${space}`);
  return `{${members.join()}${space}}`;
}

/** Does a checked member occur twice before anything below it is ambiguous? */
function repeats(pairs: Pairs, watched: Members): boolean {
  return [...watched].some(([key, below]) => {
    const found = pairs.filter(([one]) => one === key).map(([, value]) => value as { pairs?: Pairs } | null);
    return found.length > 1 || found.some((value) => value?.pairs !== undefined && repeats(value.pairs, below));
  });
}

test('it is found in any JSON, and no other member is', () => {
  fc.assert(
    fc.property(object, blank, (pairs, space) => {
      const text = `${space}${write({ pairs }, space)}`;
      JSON.parse(text);
      assert.equal(repeatedMember(text, WATCHED) !== undefined, repeats(pairs, WATCHED), text);
    }),
    { numRuns: 4000 },
  );
});

test('the members of a text are found as they are written, at any depth, and in text that is not JSON', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  assert.deepEqual(
    [...memberTexts(` { "a" : 1 ,"b":"}\\"," , "\\u0063":{"a":2} , "d":${deep},"a":null } `)!],
    [
      ['a', 'null'],
      ['b', '"}\\","'],
      ['c', '{"a":2}'],
      ['d', deep],
    ],
  );
  for (const text of ['', '[1]', 'x{"a":1}', '"a"']) assert.equal(memberTexts(text), undefined, text);
  for (const text of [
    '{',
    '{"',
    '{"a',
    '{"a"',
    '{"a":',
    '{"a":,',
    '{"a":}',
    '{"\\x":1}',
    '{"a":NaN,"b":',
    '{"a"::{{',
    '{"":"\\',
  ])
    assert.ok(memberTexts(text) instanceof Map, text);
  assert.equal(memberTexts('{"id":7,"result":{"x":NaN,"y":[Infinity]}}')!.get('id'), '7');
});

test('property: the members of a text are those that JSON.parse finds', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.integer({ min: 0, max: 3 }), (value, blanks) => {
      const found = memberTexts(JSON.stringify(value, undefined, blanks))!;
      const parsed = [...found].map(([name, text]): [string, unknown] => [name, JSON.parse(text)]);
      assert.deepEqual(new Map(parsed), new Map(Object.entries(JSON.parse(JSON.stringify(value)))));
    }),
  );
});
