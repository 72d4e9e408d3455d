import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFilter } from '../../../../src/trace/filter.ts';
import { filterOf } from './calls.ts';

test('whatever a tool is called, the filter of its calls can be read', () => {
  for (const subject of ['add', 'a b', 'a"b', 'a\\', '"', '*', "it's", 'file:///x?y=z', '-n', 'ü 漢']) {
    const filter = filterOf({ server: 'my "server"', method: 'tools/call', subject });
    assert.equal(parseFilter(filter).problem, undefined, filter);
  }
});
