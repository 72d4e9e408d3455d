import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { withinCpuMs } from '../../../../scripts/lib/cpu-time.ts';
import type { Facts } from './facts.ts';
import { FILTER_KEYS, matchFacts, matchText, parseFilter } from './filter.ts';
import type { TraceLine } from './line.ts';
import { createTraceIndex } from './trace-index.ts';

type Given = Partial<TraceLine> & Pick<TraceLine, 'text'>;

function linesOf(...given: Given[]): TraceLine[] {
  return given.map((line, i) => ({
    n: i + 1,
    at: i * 1_000,
    session: 's#1',
    kind: 'message',
    from: 'client',
    ...line,
  }));
}

function json(value: object): string {
  return JSON.stringify({ jsonrpc: '2.0', ...value });
}

const LINES = linesOf(
  { kind: 'session', text: 'Weather: node weather.js', about: undefined as never },
  { text: json({ id: 1, method: 'tools/call', params: { name: 'get_weather', arguments: { city: 'Bern' } } }) },
  { from: 'server', text: json({ id: 1, result: { content: [], isError: true } }) },
  { text: json({ id: 'b', method: 'resources/read', params: { uri: 'file:///a,b c.txt' } }) },
  { from: 'server', text: json({ id: 'b', error: { code: -32002, message: 'Not Found' } }), at: 3_250 },
  { text: json({ id: 3, method: 'tools/list' }) },
  { text: json({ method: 'notifications/cancelled', params: { requestId: 3 } }) },
  { from: 'server', kind: 'stderr', text: `BANNER ${'x'.repeat(2_000)}` },
  {
    kind: 'http',
    text: '401 Unauthorized',
    from: 'server',
    session: 'travel#2',
    http: {
      exchange: 1,
      part: 'answer',
      status: 401,
      headers: { 'www-authenticate': 'Bearer realm' },
      body: 'Whole body',
    },
  },
  { text: json({ id: 9, method: 'tools/call', params: { name: 'add' } }), session: 'travel#2' },
  { from: 'server', text: '[{"jsonrpc":"2.0"}]' },
);

const index = createTraceIndex();
for (const line of LINES) index.add(line);
const NAMES = new Map([
  ['s#1', 'Weather'],
  ['travel#2', 'Travel planner'],
]);
function nameOf(session: string): string | undefined {
  return NAMES.get(session);
}

/** The numbers of the lines that match. */
function matching(text: string): number[] {
  const { filter, problem } = parseFilter(text);
  assert.equal(problem, undefined);
  return LINES.filter(
    (line) => matchFacts(filter!, index.at(line.n)!, nameOf) ?? matchText(filter!, index.at(line.n)!, nameOf, line),
  ).map(({ n }) => n);
}

const EXAMPLES: readonly (readonly [string, readonly number[]])[] = [
  ['', LINES.map(({ n }) => n)],
  ['method:tools/call', [2, 3, 10]],
  ['METHOD:tools/call', [2, 3, 10]],
  ['method:Tools/Call', []],
  ['method:tools/*', [2, 3, 6, 10]],
  ['method:*/*a*', [2, 3, 4, 5, 7, 10]],
  ['method:tools/list,resources/read', [4, 5, 6]],
  ['-method:tools/*', [1, 4, 5, 7, 8, 9, 11]],
  ['kind:stderr,http', [8, 9]],
  ['from:client message:request', [2, 4, 6, 10]],
  ['message:batch', [11]],
  ['session:travel#2', [9, 10]],
  ['server:Weather', [1, 2, 3, 4, 5, 6, 7, 8, 11]],
  ['server:"Travel planner"', [9, 10]],
  ['server:Travel*', [9, 10]],
  ['id:1', [2, 3]],
  ['id:b', [4, 5]],
  ['id:"\\"b\\""', [4, 5]],
  ['tool:get_weather', [2, 3]],
  ['subject:*weather', [2, 3]],
  ['subject:"file:///a,b c.txt"', [4, 5]],
  ['status:tool-error', [2, 3]],
  ['status:error,tool-error', [2, 3, 4, 5]],
  ['status:pending', [10]],
  ['status:cancelled', [6]],
  ['status:401', [9]],
  ['status:4xx', [9]],
  ['status:>=400', [9]],
  ['status:400..499', [9]],
  ['status:2xx,pending', [10]],
  ['code:-32002', [5]],
  ['code:-32099..-32000', [5]],
  ['ms:250', [4, 5]],
  ['ms:>250', [2, 3, 6]],
  ['ms:>=0.25s', [2, 3, 4, 5, 6]],
  ['ms:<=250', [4, 5]],
  ['size:>1kb', [8]],
  ['size:<2kb size:>1.9k', [8]],
  ['at:>9s', [11]],
  ['at:9s..10s', [10, 11]],
  ['at:<1', [1]],
  ['n:3..5', [3, 4, 5]],
  ['n:..2', [1, 2]],
  ['n:10..', [10, 11]],
  ['n:=4', [4]],
  ['n:1,3,9..10', [1, 3, 9, 10]],
  ['text:"not found"', [5]],
  ['text:Bern', [2]],
  ['text:\'"city":"Bern"\'', [2]],
  ['text:not*found', [5]],
  ['text:"not*found"', []],
  ['text:"whole body"', [9]],
  ['text:www-authenticate', [9]],
  ['-text:a', [3, 6, 11]],
  ['banner', [8]],
  ['GET_weather', [2, 3]],
  ['"get_weather"', [2, 3]],
  ['-"tools/" kind:message', [4, 5, 11]],
  ['bern get_weather', [2]],
  ['-kind:stderr text:x -n:9', [4]],
  ['"-32002"', [5]],
  ['  method:tools/call   status:pending  ', [10]],
];

for (const [text, numbers] of EXAMPLES)
  test(`the filter ${text || '(empty)'} matches the expected lines`, () => {
    assert.deepEqual(matching(text), numbers);
  });

const PROBLEMS: readonly (readonly [string, RegExp])[] = [
  ['metod:x', /^Character 1: there is no key metod\. Keys: method, .*Quoted/],
  ['method:x http://a', /^Character 10: there is no key http/],
  ['a method:', /^Character 10: method: needs a value/],
  ['method:a,', /^Character 10: method: needs a value/],
  ['text:"abc', /^Character 6: the quote " is not closed/],
  ['text:"a"b', /^Character 9: a space is missing/],
  ['kind:strerr', /^Character 6: kind: is one of session, open, message/],
  ['kind:stderr,x', /^Character 13: kind: is one of/],
  ['from:me', /^Character 6: from: is one of client, server/],
  ['status:bad', /^Character 8: status: is one of ok, error, tool-error/],
  ['-ms:fast', /^Character 5: ms: needs a number, for example >500/],
  ['size:>1tb', /^Character 6: size: needs a number/],
  ['n:..', /^Character 3: n: needs a number/],
  ['n:1..2..3', /^Character 3: n: needs a number/],
  ['a - b', /^Character 4: a word is missing after -/],
  ['x'.repeat(1_001), /^Character 1001: a filter may have 1000 characters/],
  ['x '.repeat(51), /^Character 101: a filter may have 50 terms/],
];

test('a class of statuses includes both its ends', () => {
  const statuses = [399, 400, 404, 499, 500];
  const answers = linesOf(
    ...statuses.map((status, at): Given => ({
      kind: 'http',
      from: 'server',
      text: String(status),
      http: { exchange: at + 1, part: 'answer', status },
    })),
  );
  const own = createTraceIndex();
  for (const line of answers) own.add(line);
  const { filter } = parseFilter('status:4xx');
  const found = statuses.filter((_, at) => matchFacts(filter!, own.at(at + 1)!, nameOf));
  assert.deepEqual(found, [400, 404, 499]);
});

for (const [text, problem] of PROBLEMS)
  test(`the filter ${text.slice(0, 30)} has a problem that says what is wrong, and where`, () => {
    assert.match(parseFilter(text).problem ?? '', problem);
  });

const keyed = fc
  .tuple(
    fc.constantFrom(...FILTER_KEYS, 'word', 'constructor', '__proto__'),
    fc.constantFrom('a', '*', '1', '>1', '1..2', 'ok', '4xx', 'request', 'client', 'tools/*', '"x y"', '', ',', '-1'),
    fc.boolean(),
  )
  .map(([key, value, negated]) => `${negated ? '-' : ''}${key === 'word' ? value : `${key}:${value}`}`);
const anyFilter = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: fc.constantFrom(...'ab:*-"\'\\ ,.>=123'), maxLength: 30 }),
  fc.array(keyed, { maxLength: 4 }).map((terms) => terms.join(' ')),
);

function verdict(text: string, line: TraceLine): boolean | undefined {
  const { filter } = parseFilter(text);
  const facts = index.at(line.n) as Facts;
  return filter && (matchFacts(filter, facts, nameOf) ?? matchText(filter, facts, nameOf, line));
}

test('any text is a filter or gets a problem with a place within it', () => {
  fc.assert(
    fc.property(anyFilter, (text) => {
      const { filter, problem } = parseFilter(text);
      assert.ok((filter === undefined) !== (problem === undefined));
      if (problem === undefined) return LINES.every((line) => typeof verdict(text, line) === 'boolean');
      const place = Number(/^Character (\d+): /.exec(problem)?.[1]);
      return place >= 1 && place <= text.length + 1;
    }),
    { numRuns: 2_000 },
  );
});

test('a minus before a term inverts its matches', () => {
  fc.assert(
    fc.property(keyed, fc.constantFrom(...LINES), (term, line) => {
      fc.pre(term !== '' && !term.startsWith('-'));
      const holds = verdict(term, line);
      assert.equal(verdict(`-${term}`, line), holds === undefined ? undefined : !holds);
    }),
    { numRuns: 2_000 },
  );
});

test('two filters separated by a space match the lines that both match', () => {
  fc.assert(
    fc.property(keyed, keyed, fc.constantFrom(...LINES), (one, other, line) => {
      const [a, b] = [verdict(one, line), verdict(other, line)];
      assert.equal(verdict(`${one} ${other}`, line), a === undefined || b === undefined ? undefined : a && b);
    }),
    { numRuns: 2_000 },
  );
});

test('any quoted text is found anywhere in a line', () => {
  const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 40 }), fc.string(), fc.string(), (needle, before, after) => {
      const [line] = linesOf({ kind: 'stderr', text: before + needle + after });
      const { filter } = parseFilter(`text:${quoted(needle)}`);
      // The whole text is put in lower case, in which a sigma at the end of a word becomes another letter.
      fc.pre((before + needle + after).toLowerCase().includes(needle.toLowerCase()));
      assert.equal(matchText(filter!, index.at(8)!, nameOf, line!), true);
    }),
  );
});

test('a star matches like `.*` in a regular expression, in linear time', () => {
  const alphabet = fc.constantFrom('a', 'b', '*');
  fc.assert(
    fc.property(
      fc.string({ unit: alphabet, minLength: 1, maxLength: 8 }),
      fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 }),
      (pattern, method) => {
        const { filter } = parseFilter(`method:${pattern}`);
        const expected = new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(method);
        assert.equal(matchFacts(filter!, { ...index.at(2)!, method }, nameOf), expected);
      },
    ),
    { numRuns: 5_000 },
  );
  const { filter } = parseFilter(`text:${'a*'.repeat(200)}b`);
  const [line] = linesOf({ kind: 'stderr', text: 'a'.repeat(1_000_000) });
  assert.equal(
    withinCpuMs(1_000, () => matchText(filter!, index.at(8)!, nameOf, line!)),
    false,
  );
});
