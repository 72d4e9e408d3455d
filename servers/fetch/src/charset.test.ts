import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodePage } from './charset.ts';

const latin1 = Buffer.from('Grüße', 'latin1');
const utf8 = Buffer.from('Grüße');

function inside(head: string, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(head), bytes]);
}

test('a page is decoded by its byte order mark, its content type, or its own declaration', () => {
  for (const [bytes, type] of [
    [utf8, 'text/html; charset=utf-8'],
    [latin1, 'text/html; charset=iso-8859-1'],
    [latin1, 'text/plain; charset = "windows-1252"'],
    [inside('<html><head><meta charset="iso-8859-1">', latin1), 'text/html'],
    [inside('<meta http-equiv="Content-Type" content="text/html; charset=ISO-8859-1">', latin1), 'text/html'],
    [inside('<?xml version="1.0" encoding="iso-8859-1"?>', latin1), 'application/xml'],
    [inside('<meta charset="utf-16">', utf8), 'text/html'],
    [inside('<meta charset="iso-8859-1">', utf8), 'text/html; charset=utf-8'],
    [Buffer.from('\ufeffGrüße', 'utf16le'), 'text/html; charset=iso-8859-1'],
    [Buffer.from('\ufeffGrüße'), 'text/html; charset=iso-8859-1'],
    [utf8, ''],
  ] as const) {
    const { text, note } = decodePage(bytes, type);
    assert.ok(text.endsWith('Grüße'), text);
    assert.equal(note, undefined);
  }
});

test('a page whose charset is unknown, missing or wrong gets a note that says how it was read', () => {
  assert.deepEqual(decodePage(latin1, 'text/html'), {
    text: 'Grüße',
    note: 'The page does not say its charset, and it is not UTF-8, so it was read as windows-1252.',
  });
  assert.deepEqual(decodePage(utf8, 'text/html; charset=klingon'), {
    text: 'Grüße',
    note: "The charset 'klingon' of the page is not known, so it was read as UTF-8, which it can be.",
  });
  assert.deepEqual(decodePage(latin1, 'text/html; charset=utf-8'), {
    text: 'Gr\ufffd\ufffde',
    note: 'Some bytes of the page are not valid utf-8, and are shown as \ufffd.',
  });
});
