import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareAnswers } from './compare-answers.ts';
import { createTranslation } from './opaque.ts';

function text(message: unknown): string {
  return typeof message === 'string' ? message : JSON.stringify(message);
}
function answer(result: unknown, id: unknown = 1): object {
  return { jsonrpc: '2.0', id, result };
}

function paths(recorded: unknown, now: unknown, method = 'tools/call'): string[] {
  return compareAnswers(text(recorded), text(now), method, createTranslation()).map(({ path }) => path);
}

test('values that change each time are not differences', () => {
  const same: readonly (readonly [unknown, unknown])[] = [
    [answer({ a: 1, b: 2 }, 1), answer({ b: 2, a: 1 }, 'x')],
    [answer({ _meta: { a: 1 }, x: { _meta: 1 } }), answer({ x: { _meta: 2 } })],
    [
      answer({ text: 'at 2026-11-21T15:00:00.123Z, 2026-11-21 15:00' }),
      answer({ text: 'at 2027-01-01T00:00:00Z, 2027-01-01 00:00' }),
    ],
    [
      answer({ text: 'id 6f9619ff-8b86-d011-b42d-00cf4fc964ff.' }),
      answer({ text: 'id 00000000-8b86-D011-b42d-00cf4fc964ff.' }),
    ],
    [
      answer({ nextCursor: 'a', requestState: 'b', taskId: 'c' }),
      answer({ nextCursor: 'x', requestState: 'y', taskId: 'z' }),
    ],
    [answer({ createdAt: 1, elapsedMs: 2, timestamp: 3 }), answer({ createdAt: 4, elapsedMs: 5, timestamp: 6 })],
    [answer({ serverInfo: { name: 'a', version: '1' } }), answer({ serverInfo: { name: 'a', version: '2' } })],
    ['{"jsonrpc":"2.0","id":1,"result":{"n":1.0,"m":1e2}}', '{"jsonrpc":"2.0","id":1,"result":{"n":1,"m":100}}'],
  ];
  for (const [recorded, now] of same) assert.deepEqual(paths(recorded, now), [], text(recorded));
});

test('everything else is, with its path', () => {
  const different: readonly (readonly [unknown, unknown, string])[] = [
    [answer({ a: 1 }), answer({ a: 2 }), 'result.a'],
    [answer({ a: 1 }), answer({ a: '1' }), 'result.a'],
    [answer({ a: null }), answer({}), 'result.a'],
    [answer({ a: [1, 2] }), answer({ a: [2, 1] }), 'result.a[0] result.a[1]'],
    [answer({ a: [1] }), answer({ a: [1, 2] }), 'result.a[1]'],
    [answer({ a: [] }), answer({ a: {} }), 'result.a'],
    [answer({ nextCursor: 'a' }), answer({}), 'result.nextCursor'],
    [answer({ ttlMs: 1 }), answer({ ttlMs: 2 }), 'result.ttlMs'],
    [answer({ version: '1' }), answer({ version: '2' }), 'result.version'],
    [answer({}), { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } }, 'result error'],
    [answer(JSON.parse('{"__proto__":1}')), answer(JSON.parse('{"__proto__":2}')), 'result.__proto__'],
    ['{"result":{"n":9007199254740993}}', '{"result":{"n":9007199254740992}}', 'result.n'],
    ['{"result":{"n":0.10000000000000000001}}', '{"result":{"n":0.1}}', 'result.n'],
  ];
  for (const [recorded, now, expected] of different)
    assert.equal(paths(recorded, now).join(' '), expected, `${text(recorded)} ${text(now)}`);
});

test('entries of a list are compared by name, in any order', () => {
  const list = (...names: string[]): object => answer({ tools: names.map((name) => ({ name, description: name })) });
  assert.deepEqual(paths(list('a', 'b'), list('b', 'a'), 'tools/list'), []);
  assert.deepEqual(paths(list('a', 'b'), list('b', 'c'), 'tools/list'), ['result.tools["a"]', 'result.tools["c"]']);
  assert.deepEqual(paths(list('a', 'a'), list('a'), 'tools/list'), ['result.tools[1]']);
  assert.deepEqual(paths(list('a', 'b'), list('b', 'a'), 'tools/call').length, 4);
});

test('a number is shown with all its digits, a long value is cut, and there are at most twenty differences', () => {
  const compare = (a: string, b: string) => compareAnswers(a, b, 'x', createTranslation());
  const [number] = compare('{"result":{"n":[9007199254740993]}}', '{"result":{"n":"x"}}');
  assert.deepEqual(number, { path: 'result.n', recorded: '[9007199254740993]', now: '"x"' });
  const [long] = compare(text(answer('x'.repeat(1_000))), text(answer('y')));
  assert.equal(long!.recorded.length, 201);
  const many = (value: number): string => text(answer(Array.from({ length: 50 }, () => value)));
  assert.equal(compare(many(1), many(2)).length, 20);
});

test('of two long values, the part with the first difference is shown', () => {
  const long = (end: string): string => text(answer(`${'x'.repeat(300)}${end}${'y'.repeat(300)}`));
  const [found] = compareAnswers(long('one'), long('two'), 'x', createTranslation());
  assert.match(found!.recorded, /^…x{60}oney+…$/);
  assert.match(found!.now, /^…x{60}twoy+…$/);
});

test('what was redacted in the trace is no difference', () => {
  const said = (description: unknown): object => answer({ description });
  for (const now of ['--env TOKEN=abc and more', '--env TOKEN= and more'])
    assert.deepEqual(paths(said('--env TOKEN=[redacted] and more'), said(now)), []);
  assert.deepEqual(paths(said('[redacted]'), said(12_345_678)), []);
  for (const now of [undefined, null, {}]) assert.equal(paths(said('[redacted]'), said(now)).length, 1);
  assert.deepEqual(paths(said('--env TOKEN=[redacted] and more'), said('--env TOKEN=abc and less')), [
    'result.description',
  ]);
});

test('JSON of the maximum depth is compared without an exception', () => {
  const deep = (inner: string): string => `{"result":${'['.repeat(100_000)}${inner}${']'.repeat(100_000)}}`;
  assert.equal(compareAnswers(deep('1'), deep('1'), 'x', createTranslation()).length, 1);
});

test('values that a server generated are translated when the client returns them, and nothing else is', () => {
  const translation = createTranslation();
  compareAnswers(
    text(answer({ nextCursor: 'old', taskId: 't' })),
    text(answer({ nextCursor: 'new', taskId: 't' })),
    'x',
    translation,
  );
  assert.equal(
    translation.translate('{"params":{"cursor":"old", "n":9007199254740993,"message":"old","taskId":"old"}}'),
    '{"params":{"cursor":"new", "n":9007199254740993,"message":"old","taskId":"old"}}',
  );
});
