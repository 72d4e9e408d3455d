import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findAll } from './find-all.ts';

test('all occurrences are found, also overlapping ones', () => {
  assert.deepEqual(findAll('aaaa', 'aa'), [0, 1, 2]);
  assert.deepEqual(findAll(['a', 'b', 'a'], ['a']), [0, 2]);
  assert.deepEqual(findAll('a', 'aa'), []);
  const some = fc.array(fc.constantFrom('a', 'b'), { maxLength: 40 });
  fc.assert(
    fc.property(some, fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 6 }), (all, run) => {
      const expected = all.map((_, at) => at).filter((at) => run.every((one, index) => one === all[at + index]));
      assert.deepEqual(findAll(all, run), expected);
      assert.deepEqual(findAll(all.join(''), run.join('')), expected);
    }),
  );
});
