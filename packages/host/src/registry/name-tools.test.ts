import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolEntry } from 'tenon/client';
import type { ToolChoice } from '../config/server-config.ts';
import { nameTools } from './name-tools.ts';

const entry = (name: string, description = name): ToolEntry => ({ name, description, inputSchema: { type: 'object' } });

const named = (names: readonly string[], choice: ToolChoice = {}) => {
  const { tools, problems } = nameTools(
    'x',
    names.map((name) => entry(name)),
    choice,
  );
  return { names: Object.fromEntries(tools.map((tool) => [tool.entry.name, tool.name])), problems };
};

test('a renamed tool does not take the name of another one', () => {
  for (const order of [
    ['search', 'find'],
    ['find', 'search'],
  ]) {
    const { names, problems } = named(order, { rename: { search: 'find' } });
    assert.equal(names['find'], 'x__find');
    assert.match(names['search']!, /^x__find--[0-9A-Za-z]{12}$/);
    assert.deepEqual(problems, [
      `Another tool has the name that 'search' would have: a hash is added. Choose other names in "rename".`,
    ]);
  }
  assert.deepEqual(named(['search'], { rename: { search: 'find' } }), { names: { search: 'x__find' }, problems: [] });
});

test('of several tools that are renamed to one name none gets it, and each has one of its own', () => {
  const { names } = named(['a', 'b', 'c'], { rename: { a: 'd', b: 'd' } });
  assert.equal(new Set(Object.values(names)).size, 3);
  assert.ok(!Object.values(names).includes('x__d'));
  assert.deepEqual(named(['b', 'c', 'a'], { rename: { a: 'd', b: 'd' } }).names, names);
});

test('tools that swap their names have them', () => {
  assert.deepEqual(named(['a', 'b'], { rename: { a: 'b', b: 'a' } }).names, { a: 'x__b', b: 'x__a' });
});

test('a tool named like a member of every object is no problem for "rename"', () => {
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

test('a name that is listed twice gave two tools', () => {
  const { tools, problems } = nameTools('x', [entry('a', 'first'), entry('b'), entry('a', 'second')], {});
  assert.deepEqual(
    tools.map(({ entry: { description } }) => description),
    ['first', 'b'],
  );
  assert.deepEqual(problems, [
    `It lists the tool 'a' more than once. The first is used; its author should give each a name of its own.`,
  ]);
});

test('many names and hostile ones make a short problem', () => {
  const names = Array.from({ length: 9 }, (_, index) => `${index}\u001b[2J${'x'.repeat(500)}`);
  const [problem] = named([...names, ...names]).problems;
  assert.match(problem!, /and 4 more more than once/);
  assert.ok(!problem!.includes('\u001b') && problem!.length < 500);
});

test('what is left out by the choice takes no name', () => {
  assert.deepEqual(named(['search', 'find'], { deny: ['find'], rename: { search: 'find' } }), {
    names: { search: 'x__find' },
    problems: [],
  });
});
