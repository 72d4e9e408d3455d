import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesKept, MOST_KEPT } from '../../../../scripts/lib/bytes-kept.ts';
import { seededRandom } from '../../../../scripts/lib/seeded-random.ts';
import { BlockText, TextBlocks } from './text-blocks.ts';

const BLOCK = 64 * 1024;

function read(text: string | BlockText): string {
  return typeof text === 'string' ? text : text.read();
}

test('texts of every kind of character are read as they were added, also when blocks are used again', () => {
  const random = seededRandom(7);
  const blocks = new TextBlocks(20 * BLOCK);
  const kept: { readonly text: string; readonly added: string | BlockText }[] = [];
  let inBlocks = 0;
  for (let round = 0; round < 2_000; round++) {
    const part = ['a', 'é', '\u2028', '\ufeff', '😀', '\ud800', 'abc {"x":1}\n'][Math.floor(random() * 7)]!;
    const text = `${part.repeat(Math.floor((random() * 40_000) / part.length))}${round}`;
    const added = blocks.add(text);
    if (added instanceof BlockText) inBlocks++;
    kept.push({ text, added });
    assert.equal(added.length, text.length);
    while (kept.length > random() * 40) {
      const [oldest] = kept.splice(Math.floor(random() * kept.length), 1);
      assert.ok(read(oldest!.added) === oldest!.text, `${oldest!.text.slice(0, 20)} … of round ${round}`);
      if (oldest!.added instanceof BlockText) blocks.remove(oldest!.added);
    }
  }
  assert.ok(inBlocks > 1_000, `${inBlocks} were in blocks`);
});

test('short texts, texts without a UTF-8 form and those without room stay strings', () => {
  const blocks = new TextBlocks(BLOCK);
  for (const text of ['short', `${'x'.repeat(2_000)}\ud800`, 'x'.repeat(BLOCK + 1), 'é'.repeat(BLOCK)])
    assert.ok(blocks.add(text) === text, text.slice(0, 20));
  const first = blocks.add('x'.repeat(BLOCK - 2_000));
  assert.ok(first instanceof BlockText);
  assert.equal(typeof blocks.add('y'.repeat(3_000)), 'string', 'the only block is full');
  const second = blocks.add('z'.repeat(2_000));
  assert.ok(read(second) === 'z'.repeat(2_000));
  assert.equal(typeof blocks.add('y'.repeat(3_000)), 'string');
});

test('a block whose texts were removed is used again, and no other', () => {
  const blocks = new TextBlocks(3 * BLOCK);
  const texts = Array.from({ length: 3 }, (_, index) => blocks.add(String(index).repeat(BLOCK)));
  assert.equal(typeof blocks.add('3'.repeat(BLOCK)), 'string');
  const [first] = texts;
  assert.ok(first instanceof BlockText);
  blocks.remove(first);
  const next = blocks.add('4'.repeat(BLOCK));
  assert.ok(next instanceof BlockText);
  assert.equal(next.block, first.block);
  for (const [index, digit] of ['1', '2', '4'].entries())
    assert.ok(read([...texts.slice(1), next][index]!) === digit.repeat(BLOCK), `the text of ${digit}`);
});

test('removed texts do not wait for a full garbage collection', () => {
  const blocks = new TextBlocks(64 * BLOCK);
  const kept = bytesKept((id) => {
    const added = blocks.add(`${id}`.padEnd(8_000, '.'));
    assert.ok(added instanceof BlockText);
    return () => blocks.remove(added);
  });
  assert.ok(kept < MOST_KEPT, `${kept} bytes became old`);
});

test('a text that fits into no block leaves the others their room', () => {
  const blocks = new TextBlocks(2 * BLOCK);
  for (let at = 0; at < 100; at++) {
    // It has fewer characters than a block has bytes, but more bytes.
    assert.equal(typeof blocks.add('\u6587'.repeat(30_000)), 'string');
    assert.ok(at >= 62 || blocks.add('x'.repeat(2_000)) instanceof BlockText, `text ${at}`);
  }
});

test('the only block is used again and again', () => {
  const blocks = new TextBlocks(BLOCK);
  for (let at = 0; at < 100; at++) {
    const added = blocks.add(`${at}`.padEnd(3_000, '.'));
    assert.ok(added instanceof BlockText, `text ${at}`);
    blocks.remove(added);
  }
});
