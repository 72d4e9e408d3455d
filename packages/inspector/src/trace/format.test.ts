import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatHead, formatLine, isHead, parseHead, parseLine } from './format.ts';
import { AUTH_STEPS, LINE_KINDS, type TraceLine } from './line.ts';

const LINE = { n: 3, at: 1.5, session: 's', kind: 'message', from: 'client', text: '{"jsonrpc":"2.0"}' };

function problemOf(value: unknown): string | undefined {
  const parsed = parseLine(typeof value === 'string' ? value : JSON.stringify(value));
  return 'problem' in parsed ? parsed.problem : undefined;
}

test('any line is read back as it was written', () => {
  const text = fc.string({ unit: 'binary' });
  const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
  const http = fc.record(
    {
      exchange: fc.integer({ min: 1 }),
      part: fc.constantFrom('request', 'answer', 'event', 'body', 'end'),
      method: text,
      url: text,
      status: fc.integer({ min: 100, max: 599 }),
      headers: fc.dictionary(text, text),
      event: fc.record({ name: text, id: text }),
      step: fc.constantFrom(...AUTH_STEPS),
      body: text,
    },
    { requiredKeys: ['exchange', 'part'] },
  );
  const about = fc.record({
    name: text,
    transport: fc.constantFrom('stdio', 'http', 'sse', 'memory', 'channel'),
    target: text,
    recorder: fc.constantFrom('client', 'server', 'tap'),
  });
  const line = fc.record({
    n: fc.integer({ min: 1 }),
    at: fc.double({ min: 0, max: 1e9, noNaN: true }).map((at) => at + 0),
    session: text,
    kind: fc.constantFrom(...LINE_KINDS),
    from: maybe(fc.constantFrom('client', 'server')),
    text,
    cause: maybe(fc.integer({ min: 1 })),
    http: maybe(http),
    about: maybe(about),
    redacted: maybe(fc.constant(true)),
  });
  fc.assert(
    fc.property(line, (value) => {
      const written = formatLine(value as TraceLine);
      assert.equal(written.includes('\n'), false);
      assert.deepEqual(parseLine(written), { line: JSON.parse(JSON.stringify(value)) as unknown });
    }),
  );
});

test('members have a fixed order, and undefined members are left out', () => {
  assert.equal(
    formatLine({ text: 'x', kind: 'note', session: 's', at: 0, n: 1, redacted: true }),
    '{"n":1,"at":0,"session":"s","kind":"note","text":"x","redacted":true}',
  );
});

test('members of a later version are kept and ignored', () => {
  const parsed = parseLine(JSON.stringify({ ...LINE, hash: 'abc', http: { exchange: 1, part: 'end', took: 5 } }));
  assert.equal('line' in parsed && (parsed.line as { hash?: string }).hash, 'abc');
});

test('a line that violates the format is reported with the reason', () => {
  assert.equal(problemOf('{"n":1'), 'is not JSON');
  assert.equal(problemOf('[]'), 'is not an object');
  assert.equal(problemOf('null'), 'is not an object');
  assert.equal(problemOf({ ...LINE, text: undefined }), 'has no text');
  assert.equal(problemOf({ ...LINE, text: 1 }), 'has a text that is not a string');
  assert.equal(problemOf({ ...LINE, n: 0 }), 'has a n that is not a whole number from 1 on');
  assert.equal(problemOf({ ...LINE, n: 1.5 }), 'has a n that is not a whole number from 1 on');
  assert.equal(problemOf({ ...LINE, at: -1 }), 'has a at that is not a number of milliseconds');
  assert.match(problemOf({ ...LINE, kind: 'thought' })!, /^has a kind that is not one of session, open/);
  assert.equal(problemOf({ ...LINE, from: 'me' }), 'has a from that is not client or server');
  assert.equal(problemOf({ ...LINE, cause: 'x' }), 'has a cause that is not the number of a line');
  assert.equal(problemOf({ ...LINE, redacted: false }), 'has a redacted that is not true');
  assert.equal(problemOf({ ...LINE, http: { part: 'end' } }), 'has an http that has no exchange');
  assert.equal(
    problemOf({ ...LINE, http: { exchange: 1, part: 'end', headers: { a: 1 } } }),
    'has an http that has a headers that is not an object of strings',
  );
  assert.equal(
    problemOf({ ...LINE, about: { name: 'x', transport: 'pigeon', target: '', recorder: 'tap' } }),
    'has an about that has a transport that is not stdio, http, sse, memory or channel',
  );
});

test('a head is read, and anything else is rejected with the reason', () => {
  const head = { mcptrace: 1, began: '2026-11-21T15:00:00.000Z', by: 'tenon 0.1.0' };
  assert.deepEqual(parseHead(formatHead(head)), head);
  assert.equal(isHead(formatHead(head)), true);
  assert.equal(isHead(JSON.stringify(LINE)), false);
  const refused = (text: string): string => {
    try {
      parseHead(text);
    } catch (error) {
      const { code, message } = error as { code: string; message: string };
      return `${code}: ${message}`;
    }
    return 'read';
  };
  assert.match(refused('hello'), /^not-a-trace: This is not a trace: the first line should be/);
  assert.match(refused(JSON.stringify(LINE)), /^not-a-trace/);
  assert.match(refused('{"mcptrace":"1"}'), /^not-a-trace.*not a version/);
  assert.match(refused('{"mcptrace":1,"began":"yesterday","by":""}'), /^not-a-trace.*not a time/);
  assert.match(
    refused('{"mcptrace":2,"by":"tenon 9.0.0"}'),
    /^newer: This trace was written by tenon 9.0.0 in version 2 .* up to 1\. Use a newer tenon/,
  );
});
