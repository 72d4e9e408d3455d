import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { assertOneLine, createLineSplitter } from './lines.ts';
import type { LineEvent } from './lines.ts';

const NOT_UTF8 = { problem: 'A line that is not valid UTF-8 was skipped' };

function tooLong(maxBytes: number): { readonly problem: string } {
  return { problem: `A line of more than ${maxBytes} bytes was skipped` };
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** All events of a stream that arrives in these chunks. */
function split(chunks: readonly (string | Uint8Array)[], maxBytes?: number): LineEvent[] {
  const splitter = createLineSplitter(maxBytes === undefined ? {} : { maxBytes });
  const events = chunks.flatMap((chunk) => splitter.push(typeof chunk === 'string' ? bytes(chunk) : chunk));
  return [...events, ...splitter.end()];
}

/** The stream, split before each of the positions. */
function cutAt(stream: Uint8Array, positions: readonly number[]): Uint8Array[] {
  const cuts = [0, ...[...positions].sort((a, b) => a - b), stream.length];
  return cuts.slice(1).map((cut, index) => stream.slice(cuts[index], cut));
}

test('[STDIO-1] each line is one message', () => {
  assert.deepEqual(split(['{"a":1}\n{"b":2}\n']), ['{"a":1}', '{"b":2}']);
  assert.deepEqual(split(['{"a"', ':1}', '\n{"b":2}', '\n']), ['{"a":1}', '{"b":2}']);
});

test('a line is delivered as soon as its newline has arrived, the last one at the end', () => {
  const splitter = createLineSplitter();
  assert.deepEqual(splitter.push(bytes('a\nb')), ['a']);
  assert.deepEqual(splitter.push(bytes('c')), []);
  assert.deepEqual(splitter.push(bytes('\nd')), ['bc']);
  assert.deepEqual(splitter.end(), ['d']);
  assert.deepEqual(splitter.end(), []);
});

test('[BASE-2] a character that is split between chunks is one character', () => {
  const stream = bytes('"\u00e9\u20ac\u{1F600}"\n');
  for (let at = 0; at <= stream.length; at++) {
    assert.deepEqual(split(cutAt(stream, [at])), ['"\u00e9\u20ac\u{1F600}"']);
  }
});

test('one carriage return before the newline is not content', () => {
  assert.deepEqual(split(['a\r\nb\r\r\nc\rd\n']), ['a', 'b\r', 'c\rd']);
  assert.deepEqual(split(['a\r', '\nb', '\r', '\n']), ['a', 'b']);
});

test('empty lines are skipped', () => {
  assert.deepEqual(split(['\n\n\r\na\n\n', '\n', '\r\n', 'b\n\n']), ['a', 'b']);
  assert.deepEqual(split(['', '\r', '\n', '']), []);
  assert.deepEqual(split([]), []);
});

test('[STDIO-2] only a newline ends a line', () => {
  assert.deepEqual(split(['a\u2028b\u2029c\u0085d\vd\fe\n']), ['a\u2028b\u2029c\u0085d\vd\fe']);
});

test('a byte order mark is removed at the start of the stream and nowhere else', () => {
  const stream = bytes('\ufeffa\n\ufeffb\n');
  for (let at = 0; at <= stream.length; at++) assert.deepEqual(split(cutAt(stream, [at])), ['a', '\ufeffb']);
  assert.deepEqual(split(['\ufeff\n\ufeffb\n']), ['\ufeffb']);
  assert.deepEqual(split(['\n\ufeffb\n']), ['\ufeffb']);
  assert.deepEqual(split(['\ufeff']), []);
  assert.deepEqual(split(['12345\n', '\ufeffb\n'], 4), [tooLong(4), '\ufeffb']);
});

test('[BASE-2] a line that is not UTF-8 is reported, and the lines around it are delivered', () => {
  const stream = Uint8Array.of(...bytes('1\n"a'), 0xff, 0xe2, 0x82, ...bytes('"\r\n2\n'));
  for (let at = 0; at <= stream.length; at++) assert.deepEqual(split(cutAt(stream, [at])), ['1', NOT_UTF8, '2']);
  // Incomplete, surrogates, overlong, beyond the last character, and a byte order mark in an invalid line.
  for (const line of [
    [0xe2, 0x82],
    [0xed, 0xa0, 0x80],
    [0xc0, 0xaf],
    [0xf4, 0x90, 0x80, 0x80],
    [0xef, 0xbb, 0xbf, 0xff],
  ])
    assert.deepEqual(split([Uint8Array.of(...line, 0x0a), '\ufeffb\n']), [NOT_UTF8, '\ufeffb']);
  assert.deepEqual(split(['\ufffd\n']), ['\ufffd'], 'the replacement character itself is UTF-8');
});

test('a line over the limit is reported once and skipped, the next one is delivered', () => {
  assert.deepEqual(split(['1234\n12345\n1234\n'], 4), ['1234', tooLong(4), '1234']);
  assert.deepEqual(split(['12', '34', '5', '6789', '0\nok\n'], 4), [tooLong(4), 'ok']);
  assert.deepEqual(split(['12345\n12345\nok'], 4), [tooLong(4), tooLong(4), 'ok']);
  assert.deepEqual(split(['ok\n12345'], 4), ['ok', tooLong(4)]);
});

test('an oversize line is reported before it ends', () => {
  const splitter = createLineSplitter({ maxBytes: 4 });
  assert.deepEqual(splitter.push(bytes('1234')), []);
  assert.deepEqual(splitter.push(bytes('5')), [tooLong(4)]);
  assert.deepEqual(splitter.push(bytes('6\n7\n')), ['7']);
});

test('the limit counts bytes, not characters', () => {
  assert.deepEqual(split(['\u20ac\u20ac\n'], 6), ['\u20ac\u20ac']);
  assert.deepEqual(split(['\u20ac\u20ac\n'], 5), [tooLong(5)]);
});

test('a limit that is not a positive integer is refused', () => {
  for (const maxBytes of [0, -1, 1.5, NaN, Infinity]) {
    assert.throws(() => createLineSplitter({ maxBytes }), TypeError);
  }
});

test('the owner of a chunk may reuse it after push', () => {
  const splitter = createLineSplitter();
  const chunk = bytes('ab');
  splitter.push(chunk);
  chunk.fill(0x78);
  assert.deepEqual(splitter.push(bytes('c\n')), ['abc']);
});

test('a stream of 1 GiB without a newline takes no more memory than the limit allows', () => {
  const maxBytes = 10 * 1024 * 1024;
  const splitter = createLineSplitter({ maxBytes });
  const chunk = new Uint8Array(64 * 1024).fill(0x61);
  const before = process.memoryUsage();
  let most = 0;
  let events = 0;
  for (let sent = 0; sent < 1024 ** 3; sent += chunk.length) {
    events += splitter.push(chunk).length;
    if (sent % (1024 * 1024) === 0) most = Math.max(most, process.memoryUsage().arrayBuffers);
  }
  assert.equal(events, 1);
  assert.ok(most - before.arrayBuffers < 6 * maxBytes, `${most - before.arrayBuffers} bytes`);
  assert.deepEqual(splitter.push(bytes('\nok\n')), ['ok']);
});

test('a line of 10 MiB in small chunks arrives whole', () => {
  const splitter = createLineSplitter();
  const letters = 'abcdefghij';
  for (let sent = 0; sent < 10 * 1024; sent++) {
    assert.equal(splitter.push(bytes((letters[sent % 10] as string).repeat(1024))).length, 0);
  }
  const [line] = splitter.push(bytes('\n'));
  assert.ok(
    line ===
      Array.from(letters, (letter) => letter.repeat(1024))
        .join('')
        .repeat(1024),
  );
});

/** An independent implementation of a splitter, for a stream that is complete. */
function expected(stream: Uint8Array, maxBytes: number): LineEvent[] {
  const lines: number[][] = [[]];
  for (const byte of stream) {
    if (byte === 0x0a) lines.push([]);
    else lines.at(-1)?.push(byte);
  }
  return lines.flatMap((line, index): LineEvent[] => {
    if (line.length > maxBytes) return [tooLong(maxBytes)];
    if (!isUtf8(Uint8Array.from(line))) return [NOT_UTF8];
    const text = Buffer.from(line).toString().replace(/\r$/, '');
    const content = index === 0 ? text.replace(/^\ufeff/, '') : text;
    return content === '' ? [] : [content];
  });
}

const piece = fc.oneof(
  fc.string({ unit: 'binary' }).map(bytes),
  fc.constantFrom('\n', '\r\n', '\r', '\ufeff', '\u20ac', '\u{1F600}', '{"a":1}\n', '\n\n').map(bytes),
  fc.uint8Array({ maxLength: 6 }),
);
const stream = fc.array(piece, { maxLength: 20 }).map((pieces) => Uint8Array.from(pieces.flatMap((one) => [...one])));
function positions(length: number) {
  return fc.array(fc.integer({ min: 0, max: length }), { maxLength: 12 });
}

test('[STDIO-1] the events do not depend on the boundaries of chunks', () => {
  const cut = stream.chain((whole) => fc.tuple(fc.constant(whole), positions(whole.length)));
  fc.assert(
    fc.property(cut, fc.integer({ min: 1, max: 20 }), ([whole, at], maxBytes) => {
      assert.deepEqual(split(cutAt(whole, at), maxBytes), expected(whole, maxBytes));
      assert.deepEqual(split(cutAt(whole, at)), expected(whole, Infinity));
    }),
    { numRuns: 3000 },
  );
});

test('[STDIO-1] [STDIO-2] framed messages arrive as they were sent, wherever the stream is split', () => {
  const messages = fc.array(
    fc.jsonValue().map((value) => JSON.stringify(value)),
    { maxLength: 8 },
  );
  const sent = messages.chain((texts) => {
    const whole = bytes(texts.map((text) => `${text}\n`).join(''));
    return fc.tuple(fc.constant(texts), fc.constant(whole), positions(whole.length));
  });
  fc.assert(
    fc.property(sent, ([texts, whole, at]) => {
      assert.deepEqual(split(cutAt(whole, at)), texts);
    }),
    { numRuns: 1000 },
  );
});

test('[STDIO-2] a message with a raw line break is refused', () => {
  assertOneLine('{"a":"\\n\u2028"}');
  for (const text of ['{\n}', '{}\n', '{}\r', '\n']) assert.throws(() => assertOneLine(text), TypeError);
});
