import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Decision, Item } from '../pending/item.ts';
import { createMemoryStore } from '../state/memory-store.ts';
import { createGate } from './gate.ts';
import { loadGrants } from './grants.ts';
import type { Rule } from './rule.ts';
import type { Subject } from './subject.ts';

const subject: Subject = { act: 'call', server: 'a', trusted: false, tool: 't', exactly: '1' };

/** A gate with a person who makes these decisions in order. All gates on a store share earlier decisions. */
async function gateOf(
  store: ReturnType<typeof createMemoryStore>,
  says: readonly Decision[],
  rules: readonly Rule[] = [],
) {
  const left = [...says];
  const gate = createGate(rules, await loadGrants(store), async () => {
    const decision = left.shift();
    assert.ok(decision !== undefined, 'the person is asked once more than expected');
    return decision;
  });
  return { pass: () => gate.decide(subject, () => ({}) as Item, {}), left };
}

test('a permanent approval of something that an `ask` rule covers holds only once', async () => {
  const store = createMemoryStore();
  const yes = { allow: true, scope: 'always' } as const;
  const asking = await gateOf(store, [yes, yes], [{ effect: 'ask', tool: 't' }]);
  for (let round = 0; round < 2; round++) {
    const { allow, why, standing } = await asking.pass();
    assert.deepEqual([allow, why, standing], [true, 'allowed by the person', false]);
  }
  assert.deepEqual(asking.left, []);
  // Without the rule, it is not remembered either.
  const later = await gateOf(store, [yes]);
  assert.equal((await later.pass()).why, 'allowed by the person, from now on');
  assert.match((await later.pass()).why, /^allowed always, on /);
});

test('an automatic denial does not count as a decision of the person, and is not remembered', async () => {
  const store = createMemoryStore();
  const automatic = { allow: false, scope: 'always', automatic: true } as const;
  const no = { allow: false, scope: 'always', reason: 'never' } as const;
  const { pass, left } = await gateOf(store, [{ ...automatic, reason: 'the function failed' }, automatic, no]);
  assert.deepEqual(await pass(), { allow: false, why: 'the function failed', standing: false, decision: undefined });
  assert.deepEqual(await pass(), {
    allow: false,
    why: 'no decision could be made',
    standing: false,
    decision: undefined,
  });
  assert.deepEqual(await pass(), {
    allow: false,
    why: 'denied by the person, from now on: never',
    standing: true,
    decision: no,
  });
  assert.deepEqual(left, []);
});
