import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addObservations,
  createEntities,
  createRelations,
  dataOf,
  deleteEntities,
  emptyGraph,
  openNodes,
} from './graph.ts';
import { graphIn, linesOf } from './lines.ts';

function entity(name: string, observations: string[] = []) {
  return { name, entityType: 'thing', observations };
}

test('[A-97] names like __proto__ are ordinary names, and relations to missing entities are rejected together', () => {
  const graph = emptyGraph();
  createEntities(graph, [entity('__proto__', ['constructor']), entity('toString')]);
  assert.equal(openNodes(graph, ['__proto__']).entities.length, 1);
  assert.equal(({} as Record<string, unknown>)['entityType'], undefined);
  const relation = { from: '__proto__', to: 'toString', relationType: 'is near' };
  assert.throws(() => createRelations(graph, [relation, { ...relation, to: 'missing' }]), /no entity 'missing'/);
  assert.equal(dataOf(graph).relations.length, 0);
  assert.equal(createRelations(graph, [relation, relation]).length, 1);
  deleteEntities(graph, ['toString']);
  assert.equal(dataOf(graph).relations.length, 0);
});

test('duplicates within a call are stored once', () => {
  const graph = emptyGraph();
  assert.equal(createEntities(graph, [entity('a', ['x', 'x']), entity('a')]).length, 1);
  assert.deepEqual(graph.entities.get('a')?.observations, ['x']);
  assert.deepEqual(addObservations(graph, [{ entityName: 'a', contents: ['y', 'y', 'x'] }]), [
    { entityName: 'a', addedObservations: ['y'] },
  ]);
});

test('writing and reading a graph preserves it', () => {
  const text = fc.string({ unit: 'binary' });
  const entities = fc.array(fc.record({ name: text, entityType: text, observations: fc.array(text) }));
  fc.assert(
    fc.property(entities, fc.array(fc.tuple(fc.nat(), fc.nat(), text)), (made, pairs) => {
      const graph = emptyGraph();
      createEntities(graph, made);
      const names = [...graph.entities.keys()];
      if (names.length > 0)
        createRelations(
          graph,
          pairs.map(([from, to, relationType]) => ({
            from: names[from % names.length]!,
            to: names[to % names.length]!,
            relationType,
          })),
        );
      assert.deepEqual(dataOf(graphIn(linesOf(graph))), dataOf(graph));
    }),
  );
});
