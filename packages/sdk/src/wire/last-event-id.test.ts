import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { isFieldValue } from './headers.ts';
import { lastEventIdHeader } from './last-event-id.ts';

test('an event id goes into a header as UTF-8, or not at all', () => {
  assert.equal(lastEventIdHeader('node-1:42'), 'node-1:42');
  assert.equal(lastEventIdHeader('a b\tc'), 'a b\tc');
  assert.equal(lastEventIdHeader('é'), '\u00c3\u00a9');
  for (const id of ['\u0000', 'a\u0001', '\u007f', 'a\r\nb', ' a', 'a ', '\ta'])
    assert.equal(lastEventIdHeader(id), undefined, JSON.stringify(id));
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (id) => {
      const value = lastEventIdHeader(id);
      if (value === undefined) return;
      assert.ok(isFieldValue(value) && new Headers({ 'last-event-id': value }).get('last-event-id') === value);
      assert.equal(Buffer.from(value, 'latin1').toString('utf8'), id);
    }),
  );
});
