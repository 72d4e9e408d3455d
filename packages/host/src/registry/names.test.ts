import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { qualify, qualifyApart } from './names.ts';

/** Usual names, bad names, and names that are made to collide with others. */
const word = fc.oneof(
  fc.string({
    unit: fc.constantFrom('a', 'b', 'Z', '0', '_', '-', '__', '--', '.', '/', ' ', 'é', '日'),
    maxLength: 8,
  }),
  fc.stringMatching(/^[a-z]{2,10}(_[a-z]{2,10}){0,3}$/),
  fc.stringMatching(/^[a-z_-]{0,4}--[0-9A-Za-z]{6}(--[a-z]{0,4})?$/),
  fc.string({ unit: fc.constantFrom('a', '_', '-', '.'), minLength: 20, maxLength: 90 }),
  fc.string({ unit: 'binary' }),
);
const pair = fc.tuple(word, word);

test('a name is the alias and the name of the tool', () => {
  assert.equal(qualify('github', 'create_issue'), 'github__create_issue');
  assert.equal(qualify('my-files', 'read'), 'my-files__read');
  assert.equal(qualify('a_b', '_private'), 'a_b___private');
});

test('a name has at most 64 characters, all accepted by every provider', () => {
  fc.assert(
    fc.property(pair, ([server, tool]) => assert.match(qualify(server, tool), /^[A-Za-z0-9_-]{1,64}$/)),
    { numRuns: 2_000 },
  );
});

test('different pairs have different names', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(pair, { minLength: 2, maxLength: 80, selector: ([a, b]) => JSON.stringify([a, b]) }),
      (pairs) => assert.equal(new Set(pairs.map(([server, tool]) => qualify(server, tool))).size, pairs.length),
    ),
    { numRuns: 500 },
  );
});

test('no tool can be named so that it gets the changed name of another pair', () => {
  fc.assert(
    fc.property(pair, ([server, tool]) => {
      const name = qualify(server, tool);
      // All ways to split the name.
      for (let at = name.indexOf('__'); at !== -1; at = name.indexOf('__', at + 1)) {
        const [alias, rest] = [name.slice(0, at), name.slice(at + 2)];
        if (alias !== server || rest !== tool) assert.notEqual(qualify(alias, rest), name);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('ambiguous aliases get different names', () => {
  assert.notEqual(qualify('a', '_b'), qualify('a_', 'b'));
  assert.notEqual(qualify('a__b', 'c'), qualify('a', 'b__c'));
  assert.notEqual(qualify('a', ''), qualify('', 'a'));
});

test('a tool of a gateway server has one alias as its prefix', () => {
  assert.equal(qualify('gateway', 'github__search'), 'gateway__github__search');
});

test('invalid characters are replaced, and a hash makes the name unique', () => {
  assert.match(qualify('files', 'dir/list'), /^files__dir_list--[0-9A-Za-z]{6}$/);
  assert.notEqual(qualify('files', 'dir/list'), qualify('files', 'dir.list'));
  assert.match(qualify('日本', '検索'), /^server____--[0-9A-Za-z]{12}$/);
});

test('a long name keeps its alias, its beginning and its end', () => {
  const tool = `list_${'very_'.repeat(20)}long_names_of_users`;
  const name = qualify('directory', tool);
  assert.match(name, /^directory__list_very_[a-z_]*--[0-9A-Za-z]{6}--[a-z_]*_of_users$/);
  assert.equal(name.length, 64);
  assert.notEqual(name, qualify('directory', tool.replace('very', 'much')));
});

test('the hash is longer if the alias was changed, so that another server cannot find a colliding name', () => {
  assert.match(qualify('my files', 'read'), /^my_files__read--[0-9A-Za-z]{12}$/);
  assert.match(qualify('a'.repeat(40), 'read.it'), /^a{32}__read_it--[0-9A-Za-z]{12}$/);
  assert.equal(qualify('a'.repeat(40), 'read'), `${'a'.repeat(40)}__read`);
});

test('names are stable between releases, because approvals depend on them', () => {
  assert.equal(qualify('files', 'dir/list'), 'files__dir_list--XWrVHl');
  assert.equal(qualify('my files', 'x'.repeat(80)), 'my_files__xxxxxxxxxxxxxxxxxxxxxxxxxx--dWosw8pnpTEt--xxxxxxxxxxxx');
});

test('a tool whose new name is in use gets a unique name', () => {
  assert.equal(qualifyApart('github', 'search', 'find'), 'github__find--wF0m7M7hviYv');
  fc.assert(
    fc.property(
      fc.uniqueArray(pair, { minLength: 2, maxLength: 40, selector: (each) => JSON.stringify(each) }),
      (all) => {
        const apart = all.map(([own, wanted]) => qualifyApart('x', own, wanted));
        assert.equal(new Set(apart).size, all.length);
        for (const name of apart) {
          assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
          // A tool with that name does not get it either.
          assert.notEqual(qualify('x', name.slice(3)), name);
        }
      },
    ),
    { numRuns: 200 },
  );
});
