import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseModel, nameOfModel, type OfferedModel } from './models.ts';

const models: [OfferedModel, ...OfferedModel[]] = [
  { model: 'acme/claude-sonnet', cost: 0.5, speed: 0.5, intelligence: 0.8 },
  { model: 'acme/mini', cost: 1, speed: 0.9, intelligence: 0.3 },
  { model: 'acme/opus', name: 'big', cost: 0, speed: 0.2, intelligence: 1 },
];

function chosen(preferences?: Parameters<typeof chooseModel>[1]): string {
  return nameOfModel(chooseModel(models, preferences));
}

test('[SAMP-25] the first matching hint takes precedence over priorities', () => {
  assert.equal(
    chosen({ hints: [{ name: 'gpt' }, { name: 'CLAUDE' }, { name: 'mini' }], costPriority: 1 }),
    'acme/claude-sonnet',
  );
});

test('without a matching hint, priorities decide', () => {
  assert.equal(chosen({ costPriority: 1 }), 'acme/mini');
  assert.equal(chosen({ intelligencePriority: 1 }), 'big');
  assert.equal(chosen({ hints: [{}], speedPriority: 0.2, intelligencePriority: 0.9 }), 'big');
});

test('without preferences, the first model is chosen', () => {
  assert.equal(chosen(), 'acme/claude-sonnet');
});
