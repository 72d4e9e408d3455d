import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { test } from 'node:test';
import { createParser } from 'eventsource-parser';
import * as fc from 'fast-check';
import { assertLinear } from '../../../../scripts/lib/cpu-time.ts';
import { SseError, type SseEvent, SseParser } from './sse-parser.ts';

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

interface Outcome {
  readonly events: readonly SseEvent[];
  readonly lastId: string;
  readonly retry: number | undefined;
  /** Parsing ended with an error. */
  readonly broken: boolean;
}

/** The result for a stream that arrives in these chunks. */
function outcome(chunks: readonly (string | Uint8Array)[], maxBytes?: number): Outcome {
  const events: SseEvent[] = [];
  const parser = new SseParser((event) => events.push(event), maxBytes === undefined ? {} : { maxBytes });
  let broken = false;
  try {
    for (const chunk of chunks) parser.push(chunk);
  } catch (error) {
    assert.ok(error instanceof SseError);
    broken = true;
  }
  return { events, lastId: parser.lastId, retry: parser.retry, broken };
}

function parse(...chunks: (string | Uint8Array)[]): readonly SseEvent[] {
  return outcome(chunks).events;
}
function dataOf(...chunks: (string | Uint8Array)[]): readonly string[] {
  return parse(...chunks).map(({ data }) => data);
}

test('an event is emitted when its empty line has arrived', () => {
  const events: SseEvent[] = [];
  const parser = new SseParser((event) => events.push(event));
  parser.push('event: note\nid: 1\nda');
  parser.push('ta: {"a":1}\n');
  assert.deepEqual(events, []);
  parser.push('\n');
  assert.deepEqual(events, [{ kind: 'message', event: 'note', data: '{"a":1}', id: '1' }]);
  parser.push('data: 2\r\r');
  assert.deepEqual(events[1], { kind: 'message', event: 'message', data: '2', id: '1' });
});

test('fields are parsed as the HTML Standard defines', () => {
  const cases: readonly (readonly [stream: string, data: readonly string[]])[] = [
    ['data: a\n\n', ['a']],
    ['data:a\n\n', ['a']],
    ['data:  a \n\n', [' a ']],
    ['data\n\n', ['']],
    ['data\ndata\n\n', ['\n']],
    ['data: a\ndata\ndata:b\n\n', ['a\n\nb']],
    ['data: a: b\n\n', ['a: b']],
    ['Data: a\n\n', []],
    [' data: a\n\n', []],
    ['data : a\n\n', []],
    ['unknown: a\nnothing\ndata: a\n\n', ['a']],
    ['data: a', []],
    ['data: a\n', []],
    ['\n\n\ndata: a\n\n\n\n', ['a']],
    ['event: x\n\ndata: a\n\n', ['a']],
    ['data: a\u2028b\u0085c\vd\n\n', ['a\u2028b\u0085c\vd']],
  ];
  for (const [stream, data] of cases) assert.deepEqual(dataOf(stream), data, JSON.stringify(stream));
  assert.deepEqual(parse('event: x\n\ndata: a\n\n')[0]?.event, 'message');
  assert.deepEqual(parse('event: x\nevent: y\ndata: a\n\n')[0]?.event, 'y');
  assert.deepEqual(parse('event: x\nevent\ndata: a\n\n')[0]?.event, 'message');
});

test('lines end with a line feed, a carriage return, or both', () => {
  for (const end of ['\n', '\r', '\r\n']) {
    assert.deepEqual(dataOf(`data: a${end}data: b${end}${end}data: c${end}${end}`), ['a\nb', 'c']);
  }
  assert.deepEqual(dataOf('data: a\r\n\rdata: b\n\r\n'), ['a', 'b']);
  assert.deepEqual(dataOf('data: a\r', '\ndata: b\r', '\n\r', '\n'), ['a\nb']);
  assert.deepEqual(dataOf('data: a\r', '', '\ndata: b\n\n'), ['a\nb']);
});

test('[SSE-35] comments are ignored, also between the lines of an event', () => {
  assert.deepEqual(dataOf(':\n', ': keep-alive\n\n', 'data: a\n:data: x\ndata: b\n\n', ':\r\n', 'data: c\r\n\r\n'), [
    'a\nb',
    'c',
  ]);
});

test('a byte order mark is removed at the start of the stream and nowhere else', () => {
  const stream = '\ufeffdata: a\n\n\ufeffdata: b\n\ndata: \ufeffc\n\n';
  for (let at = 0; at <= bytes(stream).length; at++) {
    assert.deepEqual(dataOf(bytes(stream).slice(0, at), bytes(stream).slice(at)), ['a', '\ufeffc']);
  }
  assert.deepEqual(dataOf(stream), ['a', '\ufeffc']);
  assert.deepEqual(dataOf('\ufeff\ufeffdata: a\n\n'), []);
});

test('the last id stays until another one comes, and an id with NUL is ignored', () => {
  const { events, lastId } = outcome(['id: 1\ndata: a\n\ndata: b\n\nid: 2\0\ndata: c\n\nid\ndata: d\n\nid: 3\n']);
  assert.deepEqual(
    events.map(({ id }) => id),
    ['1', '1', '1', ''],
  );
  // The event with this id never ended.
  assert.equal(lastId, '');
  assert.equal(outcome(['id: 1\ndata: a\n\n']).lastId, '1');
});

test('an event without data is reported as empty, one without an id either is ignored', () => {
  assert.deepEqual(outcome(['id: s1_0\ndata: \n\n']), {
    events: [{ kind: 'empty', event: 'message', data: '', id: 's1_0' }],
    lastId: 's1_0',
    retry: undefined,
    broken: false,
  });
  assert.deepEqual(parse('id: 5\n\n'), [{ kind: 'empty', event: 'message', data: '', id: '5' }]);
  assert.deepEqual(parse('data:\n\n'), [{ kind: 'empty', event: 'message', data: '', id: '' }]);
  assert.deepEqual(parse('event: x\n\nretry: 1\n\nid: a\0\n\n:\n\n'), []);
});

test('retry consists of digits, and is limited to the maximum of a timer', () => {
  const retryOf = (value: string): number | undefined => outcome([`retry${value}\n`]).retry;
  assert.equal(retryOf(': 500'), 500);
  assert.equal(retryOf(':0'), 0);
  assert.equal(retryOf(`: ${'9'.repeat(400)}`), 2 ** 31 - 1);
  for (const value of ['', ':', ': -1', ': 1.5', ': 1e3', ': 0x10', ':  5', ': 5 ', ': ٥', ': 5s'])
    assert.equal(retryOf(value), undefined, value);
  assert.equal(outcome(['retry: 1\n\nretry: x\n\nretry: 2\n']).retry, 2);
});

test('a character that is split between chunks is one character', () => {
  const stream = bytes('data: \u00e9\u20ac\u{1F600}\n\n');
  for (let at = 0; at <= stream.length; at++) {
    assert.deepEqual(dataOf(stream.slice(0, at), stream.slice(at)), ['\u00e9\u20ac\u{1F600}']);
  }
  assert.deepEqual(dataOf('data: \ud83d', '\ude00\n\n'), ['\u{1F600}']);
});

test('[BASE-2] an event that is not UTF-8 is invalid and has no data, and the events around it arrive', () => {
  const invalid = Uint8Array.of(
    ...bytes('\ufeffdata: 1\n\nid: 7\ndata: '),
    ...[0xff, 0xe2, 0x82],
    ...bytes('\r\n\r\n: a comment '),
    0xff,
    ...bytes('\ndata: \ufffd2\n\nid: '),
    0xff,
    ...bytes('\ndata: 3\n\n'),
  );
  for (let at = 0; at <= invalid.length; at++) {
    assert.deepEqual(parse(invalid.slice(0, at), invalid.slice(at)), [
      { kind: 'message', event: 'message', data: '1', id: '' },
      { kind: 'invalid', event: 'message', data: '', id: '7' },
      { kind: 'message', event: 'message', data: '\ufffd2', id: '7' },
      { kind: 'invalid', event: 'message', data: '', id: '7' },
    ]);
  }
});

test('an event over the limit ends the stream with an error, after the events before it', () => {
  const fits = 'data: 0123456789\n\n';
  assert.equal(outcome([fits], 16).broken, false);
  assert.deepEqual(outcome([fits + fits + fits.repeat(3)], 16).events.length, 5);
  assert.deepEqual(outcome(['data: 1\n\n', fits, 'data: 2\n\n'], 15), {
    events: [{ kind: 'message', event: 'message', data: '1', id: '' }],
    lastId: '',
    retry: undefined,
    broken: true,
  });
  // Every line counts, including its end, until the event has ended.
  assert.equal(outcome(['data: 1\n'.repeat(3)], 24).broken, false);
  assert.equal(outcome(['data: 1\n'.repeat(4)], 24).broken, true);
  assert.equal(outcome(['id: 5\n'.repeat(5)], 24).broken, true);
  assert.equal(outcome(['event: 5\n'.repeat(5)], 24).broken, true);
  assert.equal(outcome([`:${'x'.repeat(24)}`], 24).broken, true);
  assert.equal(outcome([':\n'.repeat(1000)], 24).broken, false);
  assert.equal(outcome(['data: 1\n\n'.repeat(1000)], 24).events.length, 1000);
});

test('the limit counts bytes, not characters', () => {
  assert.equal(outcome(['data: \u20ac\u20ac\n\n'], 12).broken, false);
  assert.equal(outcome(['data: \u20ac\u20ac\n\n'], 11).broken, true);
  assert.equal(outcome(['data: \u{1F600}\n\n'], 10).broken, false);
  assert.equal(outcome(['data: \u{1F600}\n\n'], 9).broken, true);
});

test('a parser that failed stays failed', () => {
  const parser = new SseParser(() => assert.fail('nothing is handed out'), { maxBytes: 8 });
  for (let time = 0; time < 3; time++) {
    assert.throws(() => parser.push('data: too long\n\ndata: 1\n\n'), {
      name: 'SseError',
      limit: 8,
      message: /8 bytes/,
    });
  }
  assert.throws(() => parser.push(''), SseError);
});

test('a limit that is not a positive integer is refused', () => {
  for (const maxBytes of [0, -1, 1.5, NaN, Infinity])
    assert.throws(() => new SseParser(() => {}, { maxBytes }), TypeError);
});

test('an endless event takes no more memory than the limit allows', () => {
  const maxBytes = 10 * 1024 * 1024;
  for (const filler of ['a'.repeat(64 * 1024), 'data: a\n'.repeat(8 * 1024), ':\r'.repeat(32 * 1024)]) {
    const endless = !filler.startsWith(':');
    const parser = new SseParser(() => {}, { maxBytes });
    const chunk = bytes(filler);
    let sent = 0;
    const feed = (): void => {
      parser.push('data: ');
      for (; sent < 24 * 1024 * 1024; sent += chunk.length) parser.push(chunk);
    };
    if (endless) assert.throws(feed, SseError);
    else feed();
    assert.ok(!endless || sent <= maxBytes, `${sent} bytes`);
  }
});

test('an event of a megabyte arrives whole, in pieces of any size', () => {
  const data = '0123456789abcdef'.repeat(64 * 1024);
  const stream = bytes(`id: 1\ndata: ${data}\n\n`);
  const pieces = Array.from({ length: Math.ceil(stream.length / 7) }, (_, index) =>
    stream.subarray(7 * index, 7 * index + 7),
  );
  const [event] = outcome(pieces).events;
  assert.ok(event?.data === data);
});

test('a chunk of many short lines takes time in proportion to its length', () => {
  assertLinear(2 ** 15, (lines) => {
    const short = 'x\n'.repeat(lines);
    assert.deepEqual(dataOf(short, `${short}data: a\n\n`, 'y\r'.repeat(lines)), ['a']);
  });
});

/** An independent implementation of a parser, for a stream that is complete. */
function expected(stream: Uint8Array): Omit<Outcome, 'broken'> {
  const events: SseEvent[] = [];
  let fields: { readonly name: string; readonly value: string; readonly valid: boolean }[] = [];
  let lastId = '';
  let retry: number | undefined;
  // One character for each byte: any bytes have lines, and each line is UTF-8 or not.
  const lines = Buffer.from(stream)
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .split(/\r\n|\r|\n/);
  for (const line of lines.slice(0, -1)) {
    if (line !== '') {
      const [, name = line, value = ''] = /^([^:]*): ?(.*)$/s.exec(line) ?? [];
      const known = ['data', 'event', 'retry'].includes(name) || (name === 'id' && !value.includes('\0'));
      if (known) fields.push({ name, value: latin1(value).toString(), valid: isUtf8(latin1(line)) });
      if (name === 'retry' && /^[0-9]+$/.test(value)) retry = Math.min(Number(value), 2 ** 31 - 1);
      continue;
    }
    const named = (wanted: string) => fields.filter(({ name }) => name === wanted);
    lastId = named('id').findLast(({ valid }) => valid)?.value ?? lastId;
    const valid = fields.every((field) => field.valid);
    const data = valid
      ? named('data')
          .map(({ value }) => value)
          .join('\n')
      : '';
    const event = named('event').at(-1)?.value || 'message';
    if (named('data').length + named('id').length > 0)
      events.push({ kind: !valid ? 'invalid' : data === '' ? 'empty' : 'message', event, data, id: lastId });
    fields = [];
  }
  return { events: events.map(nameless), lastId, retry };
}

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}
/** The name of an invalid event does not matter. */
function nameless(event: SseEvent): SseEvent {
  return event.kind === 'invalid' ? { ...event, event: '' } : event;
}

const snippet = fc.oneof(
  fc.constantFrom('\n', '\r', '\r\n', '\n\n', '\r\r', '\ufeff', '\0', ' ', ':', '\u20ac', '\u{1F600}'),
  fc.constantFrom(
    'data: {"a":1}\n',
    'data:\n',
    'data\n',
    'id: 7\n',
    'id\n',
    'id: \0\r',
    'event: x\r\n',
    'retry: 30\n',
    ': c\n',
  ),
  fc.constantFrom('data', 'id', 'event', 'retry', '5'),
  fc.string({ unit: 'binary', maxLength: 4 }),
);
const text = fc.array(snippet, { maxLength: 24 }).map((snippets) => snippets.join(''));
const stream = fc.oneof(
  text.map(bytes),
  fc
    .array(fc.oneof(snippet.map(bytes), fc.uint8Array({ maxLength: 3 })), { maxLength: 24 })
    .map((pieces) => Uint8Array.from(pieces.flatMap((piece) => [...piece]))),
);
function positions(length: number) {
  return fc.array(fc.integer({ min: 0, max: length }), { maxLength: 12 });
}
/** The stream, split before each of the positions. */
function cutAt<T extends string | Uint8Array>(whole: T, at: readonly number[]): T[] {
  const cuts = [0, ...[...at].sort((a, b) => a - b), whole.length];
  return cuts.slice(1).map((cut, index) => whole.slice(cuts[index], cut) as T);
}

test('the events do not depend on where the bytes are split', () => {
  const cut = stream.chain((whole) => fc.tuple(fc.constant(whole), positions(whole.length)));
  fc.assert(
    fc.property(cut, fc.integer({ min: 1, max: 40 }), ([whole, at], maxBytes) => {
      const { events, ...rest } = outcome(cutAt(whole, at));
      assert.deepEqual({ ...rest, events: events.map(nameless) }, { ...expected(whole), broken: false });
      const [cut, uncut] = [outcome(cutAt(whole, at), maxBytes), outcome([whole], maxBytes)];
      assert.deepEqual({ ...cut, events: cut.events.map(nameless) }, { ...uncut, events: uncut.events.map(nameless) });
    }),
    { numRuns: 4000 },
  );
});

test('the events do not depend on where a text is split, nor on whether it comes as text or as bytes', () => {
  const cut = text.chain((whole) => fc.tuple(fc.constant(whole), positions(whole.length)));
  fc.assert(
    fc.property(cut, fc.integer({ min: 1, max: 40 }), ([whole, at], maxBytes) => {
      assert.deepEqual(outcome(cutAt(whole, at)), outcome([bytes(whole)]));
      assert.deepEqual(outcome(cutAt(whole, at), maxBytes), outcome([bytes(whole)], maxBytes));
    }),
    { numRuns: 4000 },
  );
});

test('another parser finds the same events', () => {
  const ordinary = text.filter((whole) => !whole.includes('\ufeff'));
  fc.assert(
    fc.property(ordinary, (whole) => {
      const theirs: { event: string; data: string }[] = [];
      // The other parser waits for what follows a carriage return at the end; the comment is ignored by both.
      createParser({ onEvent: ({ event = 'message', data }) => theirs.push({ event, data }) }).feed(`${whole}:`);
      const ours = parse(whole).filter(({ data }) => data !== '');
      assert.deepEqual(
        ours.map(({ event, data }) => ({ event, data })),
        theirs.filter(({ data }) => data !== ''),
      );
    }),
    { numRuns: 4000 },
  );
});
