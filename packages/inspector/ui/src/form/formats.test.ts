import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldText, type FormatType, formatType, localOffset, textOfField } from './formats.ts';

test('a text that the field of its format can represent stays unchanged', () => {
  for (const [format, text] of [
    ['date', '2026-02-28'],
    ['date-time', '2026-02-28T23:59:00+02:00'],
    ['date-time', '2026-02-28T23:59:30.25Z'],
    ['time', '08:00:00-11:30'],
    ['email', 'ann@example.com'],
    ['uri', 'https://example.com/a?b#c'],
    ['uri', 'urn:isbn:1'],
  ] as const) {
    const type = formatType(format)!;
    const { value, offset } = fieldText(type, text)!;
    assert.equal(textOfField(type, value, offset), text);
  }
});

test('a text that a field would change is edited as text', () => {
  for (const [format, text] of [
    ['date', '2026-02-30'],
    ['date', '26-02-28'],
    ['date', 'tomorrow'],
    ['date', ''],
    ['date-time', '2026-02-28T23:59:00'],
    ['date-time', '2026-02-28t23:59:00z'],
    ['date-time', '2026-02-28T23:59:60Z'],
    ['date-time', '2026-02-28T23:59:00.1234Z'],
    ['time', '24:00:00Z'],
    ['email', ' ann@example.com'],
    ['uri', 'https://example.com/a '],
    ['uri', 'https://example.com/\na'],
  ] as const)
    assert.equal(fieldText(formatType(format)!, text), undefined, text);
  assert.equal(formatType('uuid'), undefined);
  assert.equal(formatType(undefined), undefined);
});

test('a time without an offset gets the one of this machine, and seconds', () => {
  const both: readonly (readonly [FormatType, string])[] = [
    ['datetime-local', '2026-07-01T10:00'],
    ['time', '10:00'],
  ];
  for (const [type, value] of both)
    assert.equal(textOfField(type, value, ''), `${value}:00${localOffset(`${value}:00`)}`);
  assert.match(localOffset('2026-07-01T10:00:00'), /^(?:Z|[+-]\d\d:\d\d)$/);
  assert.equal(textOfField('datetime-local', '2026-07-01T10:00', '+09:00'), '2026-07-01T10:00:00+09:00');
});
