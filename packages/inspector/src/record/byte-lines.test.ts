import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createByteLines } from './byte-lines.ts';

/** The events for bytes that arrive in these chunks. */
function cut(
  pieces: readonly Uint8Array[],
  maxBytes = 1_000,
): { texts: string[]; inexact: number; long: string[]; open: boolean } {
  const seen = { texts: [] as string[], inexact: 0, long: [] as string[], open: false };
  const lines = createByteLines(
    {
      line(text, exact) {
        seen.texts.push(text);
        if (!exact) seen.inexact++;
      },
      tooLong: (beginning) => seen.long.push(beginning),
      endedOpen: () => (seen.open = true),
    },
    maxBytes,
  );
  for (const piece of pieces) lines.push(Buffer.from(piece));
  lines.end();
  return seen;
}

function bytes(text: string): Buffer {
  return Buffer.from(text);
}

test('the lines together equal the stream, however it is split into chunks', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom('a', 'ü', '🎉', '\r', '\n', '{', '\0') })),
      fc.infiniteStream(fc.integer({ min: 1, max: 5 })),
      (parts, sizes) => {
        const all = bytes(parts.join(''));
        const pieces: Buffer[] = [];
        for (let at = 0; at < all.length;) {
          const size = sizes.next().value as number;
          pieces.push(all.subarray(at, at + size));
          at += size;
        }
        const { texts, open, inexact } = cut(pieces);
        assert.equal(texts.join('\n') + (open || texts.length === 0 ? '' : '\n'), all.toString());
        assert.equal(inexact, 0);
        assert.deepEqual(cut([all]).texts, texts);
      },
    ),
  );
});

test('a line is reported as soon as it is too long, with its beginning, and the next one is read', () => {
  const long = 'x'.repeat(50);
  const whole = cut([bytes(`${long}\nnext\n`)], 20);
  assert.deepEqual([whole.texts, whole.long], [['next'], [long]]);
  const pieces = cut([bytes('x'.repeat(15)), bytes('x'.repeat(15)), bytes('x'.repeat(15)), bytes('\nnext\n')], 20);
  assert.deepEqual([pieces.texts, pieces.long], [['next'], ['x'.repeat(30)]]);
  const endless = cut([bytes('x'.repeat(30))], 20);
  assert.deepEqual([endless.texts, endless.long, endless.open], [[], ['x'.repeat(30)], false]);
});

test('bytes that are not UTF-8 are reported', () => {
  assert.deepEqual(cut([Buffer.from([0x61, 0xff, 0x0a, 0x62, 0x0a])]), {
    texts: ['a\ufffd', 'b'],
    inexact: 1,
    long: [],
    open: false,
  });
});
