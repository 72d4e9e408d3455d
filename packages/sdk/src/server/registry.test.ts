import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DefinitionError } from '../protocol/errors.ts';
import { type Compilable, createRegistry } from './registry.ts';

interface Thing extends Compilable<{ name: string; made: number }> {
  readonly kind: 'thing';
}

let made = 0;
function thing(): Thing {
  return { kind: 'thing', compile: (name) => ({ name, made: ++made }) };
}

function stage(initial?: Record<string, Thing>) {
  let changes = 0;
  const registry = createRegistry<{ name: string; made: number }, Thing>('thing', initial, () => void changes++);
  return { registry, changes: () => changes };
}

test('items are compiled once, when they are added', () => {
  const { registry } = stage({ a: thing() });
  const before = made;
  for (let time = 0; time < 3; time++) assert.equal(registry.compiled('a')?.name, 'a');
  assert.equal(made, before);
  assert.equal([...registry.allCompiled()].length, 1);
});

test('every change is announced and increases the generation, a call without an effect does not', () => {
  const { registry, changes } = stage({ a: thing() });
  const seen = new Set([registry.generation]);
  assert.equal(changes(), 0);
  registry.set('b', thing());
  seen.add(registry.generation);
  registry.set('b', thing());
  seen.add(registry.generation);
  assert.equal(registry.delete('a'), true);
  seen.add(registry.generation);
  assert.equal(registry.delete('a'), false);
  assert.deepEqual([changes(), seen.size, seen.has(registry.generation)], [3, 4, true]);
});

test('a replaced item keeps its position', () => {
  const { registry } = stage({ a: thing(), b: thing(), c: thing() });
  registry.set('b', thing());
  assert.deepEqual(
    [...registry].map(([name]) => name),
    ['a', 'b', 'c'],
  );
  registry.delete('a');
  registry.set('a', thing());
  assert.deepEqual(
    [...registry].map(([name]) => name),
    ['b', 'c', 'a'],
  );
});

test('an item that cannot be compiled changes nothing', () => {
  const { registry, changes } = stage({ a: thing() });
  const { generation } = registry;
  const broken: Thing = {
    kind: 'thing',
    compile: () => {
      throw new Error('no luck');
    },
  };
  assert.throws(
    () => registry.set('a', broken),
    (error: unknown) => error instanceof DefinitionError && /The thing 'a' cannot be used: no luck/.test(error.message),
  );
  assert.throws(() => registry.set('', thing()), /needs a name/);
  assert.deepEqual([registry.generation, changes(), registry.compiled('a')?.name], [generation, 0, 'a']);
});

test('names of the object prototype are ordinary names', () => {
  const { registry } = stage({ ['__proto__']: thing() });
  assert.deepEqual(
    [registry.has('__proto__'), registry.has('constructor'), registry.get('toString'), registry.compiled('valueOf')],
    [true, false, undefined, undefined],
  );
});
