import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolEntry } from 'tenon/client';
import type { ToolChoice } from '../config/server-config.ts';
import { nameTools } from './name-tools.ts';

function entry(name: string, description = name): ToolEntry {
  return { name, description, inputSchema: { type: 'object' } };
}

function named(names: readonly string[], choice: ToolChoice = {}) {
  const { tools, problems } = nameTools(
    'x',
    names.map((name) => entry(name)),
    choice,
  );
  return { names: Object.fromEntries(tools.map((tool) => [tool.entry.name, tool.name])), problems };
}

test('a renamed tool does not take the name of another tool', () => {
  for (const order of [
    ['search', 'find'],
    ['find', 'search'],
  ]) {
    const { names, problems } = named(order, { rename: { search: 'find' } });
    assert.equal(names['find'], 'x__find');
    assert.match(names['search']!, /^x__find--[0-9A-Za-z]{12}$/);
    assert.deepEqual(problems, [
      `The new name of 'search' is already in use, so a hash is added. Choose other names in "rename".`,
    ]);
  }
  assert.deepEqual(named(['search'], { rename: { search: 'find' } }), { names: { search: 'x__find' }, problems: [] });
});

test('tools that are renamed to the same name get unique names instead', () => {
  const { names } = named(['a', 'b', 'c'], { rename: { a: 'd', b: 'd' } });
  assert.equal(new Set(Object.values(names)).size, 3);
  assert.ok(!Object.values(names).includes('x__d'));
  assert.deepEqual(named(['b', 'c', 'a'], { rename: { a: 'd', b: 'd' } }).names, names);
});

test('two tools can swap their names', () => {
  assert.deepEqual(named(['a', 'b'], { rename: { a: 'b', b: 'a' } }).names, { a: 'x__b', b: 'x__a' });
});

test('"rename" works with tools that are named like inherited object members', () => {
  const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty'];
  const { tools } = nameTools(
    'x',
    names.map((name) => entry(name)),
    { rename: {} },
  );
  assert.deepEqual(
    tools.map(({ name }) => name),
    names.map((name) => `x__${name}`),
  );
});

test('a tool that is listed twice is used once', () => {
  const { tools, problems } = nameTools('x', [entry('a', 'first'), entry('b'), entry('a', 'second')], {});
  assert.deepEqual(
    tools.map(({ entry: { description } }) => description),
    ['first', 'b'],
  );
  assert.deepEqual(problems, [
    `It lists the tool 'a' more than once. The first is used; its author should choose unique names.`,
  ]);
});

test('a problem with many or hostile names is short', () => {
  const names = Array.from({ length: 9 }, (_, index) => `${index}\u001b[2J${'x'.repeat(500)}`);
  const [problem] = named([...names, ...names]).problems;
  assert.match(problem!, /and 4 more more than once/);
  assert.ok(!problem!.includes('\u001b') && problem!.length < 500);
});

test('a tool that is not selected takes no name', () => {
  assert.deepEqual(named(['search', 'find'], { deny: ['find'], rename: { search: 'find' } }), {
    names: { search: 'x__find' },
    problems: [],
  });
});
