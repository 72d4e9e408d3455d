// Tests which small changes `npm run mutate` makes, and which tests it runs for them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findMutants } from './mutate/mutants.ts';
import { nearestTests } from './mutate/nearest-tests.ts';

function changesOf(text: string): readonly string[] {
  return findMutants('some.ts', text).map(({ start, end, text: by }) => text.slice(0, start) + by + text.slice(end));
}

test('comparisons, connectives, conditions, truth values and calls are changed, one at a time', () => {
  assert.deepEqual(changesOf('const same = a === b;'), ['const same = a !== b;']);
  assert.deepEqual(changesOf('const both = a && b < 1;'), ['const both = a || b < 1;', 'const both = a && b <= 1;']);
  assert.deepEqual(changesOf('if (ready) stop();'), ['if (!(ready)) stop();', 'if (ready) ;']);
  assert.deepEqual(changesOf('const open = true;'), ['const open = false;']);
});

test('types, imports and concatenated strings are not changed', () => {
  assert.deepEqual(changesOf("import { a } from './a.ts';\ninterface B { readonly c: true }\nlet d: false | E;"), []);
  assert.deepEqual(changesOf("const text = 'a' + b;"), []);
});

test('the test that imports a file comes first, then those that speak of the same', () => {
  const [first] = nearestTests('packages/sdk/src/wire/sse-parser.ts');
  assert.match(first!, /^packages\/sdk\/src\/wire\/sse/);
  assert.ok(nearestTests('servers/git/src/git.ts').includes('servers/git/src/git.test.ts'));
  const about = 'if (use === undefined && engine.of.middleware.length === 0) raw = await run();';
  assert.ok(
    nearestTests('packages/sdk/src/server/tasks/run-tool.ts', about).includes(
      'packages/sdk/test/middleware/order.test.ts',
    ),
  );
});
