import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matches } from './glob.ts';
import { checkedRules, type Rule, ruledBy } from './rules.ts';
import type { Subject } from './subject.ts';

const call = (more: Partial<Subject> = {}): Subject => ({
  act: 'call',
  server: 'travel',
  trusted: false,
  tool: 'bookTrip',
  exactly: '1',
  ...more,
});

const effectOf = (rules: readonly Rule[], subject: Subject) => ruledBy(rules, subject)?.effect;

test('a star stands for any characters, and the rest for itself', () => {
  for (const [glob, text, fits] of [
    ['*', '', true],
    ['search*', 'searchFlights', true],
    ['search*', 'research', false],
    ['*Flights', 'searchFlights', true],
    ['a*b*c', 'a--b--c', true],
    ['a*b*c', 'a--c--b', false],
    ['a*a', 'a', false],
    ['a.c', 'abc', false],
    ['', '', true],
    ['x', '', false],
  ] as const) {
    assert.equal(matches(glob, text), fits, `${glob} ${text}`);
  }
});

test('a glob with many stars takes no longer than its text', () => {
  assert.equal(matches(`${'*a'.repeat(2_000)}b`, 'a'.repeat(100_000)), false);
});

test('deny beats ask beats allow, whatever the order', () => {
  const allow: Rule = { effect: 'allow', server: 'travel' };
  const ask: Rule = { effect: 'ask', tool: 'book*' };
  const deny: Rule = { effect: 'deny', arguments: { city: 'Paris' } };
  assert.equal(effectOf([allow], call()), 'allow');
  assert.equal(effectOf([allow, ask], call()), 'ask');
  assert.equal(effectOf([allow, ask, deny], call({ arguments: { city: 'Paris' } })), 'deny');
  assert.equal(effectOf([deny, allow], call({ arguments: { city: 'Oslo' } })), 'allow');
});

test('no rule says nothing', () => {
  assert.equal(ruledBy([{ effect: 'allow', server: 'weather' }], call()), undefined);
});

test('a rule without an act is about calls and reads, never about starting or sampling', () => {
  const rules: Rule[] = [{ effect: 'allow', server: '*' }];
  assert.equal(effectOf(rules, call({ act: 'start' })), undefined);
  assert.equal(effectOf(rules, call({ act: 'sample' })), undefined);
  assert.equal(effectOf(rules, call({ act: 'read', uri: 'a:b' })), 'allow');
});

test('[H2] a server that is not trusted cannot call its tool harmless, but may call it harmful', () => {
  const allow: Rule[] = [{ effect: 'allow', annotations: { readOnlyHint: true } }];
  const annotations = { readOnlyHint: true };
  assert.equal(effectOf(allow, call({ annotations })), undefined);
  assert.equal(effectOf(allow, call({ annotations, trusted: true })), 'allow');
  const deny: Rule[] = [{ effect: 'deny', annotations: { destructiveHint: true } }];
  assert.equal(effectOf(deny, call({ annotations: { destructiveHint: true } })), 'deny');
  // Nothing said means destructive.
  assert.equal(effectOf(deny, call()), 'deny');
});

test('an argument that is not given matches no glob', () => {
  const rules: Rule[] = [{ effect: 'allow', arguments: { city: '*' } }];
  assert.equal(effectOf(rules, call({ arguments: {} })), undefined);
  assert.equal(effectOf(rules, call({ arguments: JSON.parse('{"__proto__":{"city":"x"}}') as {} })), undefined);
  assert.equal(effectOf(rules, call({ arguments: { city: ['Oslo'] } })), 'allow');
});

test('a rule whose function throws denies', () => {
  const rules: Rule[] = [
    { effect: 'allow', arguments: (args) => (args['deep'] as { a: { b: boolean } }).a.b },
    { effect: 'allow', server: '*' },
  ];
  assert.equal(effectOf(rules, call()), 'deny');
});

test('the rule that decides says why', () => {
  const rules: Rule[] = [{ effect: 'deny', tool: 'book*', because: 'Nobody books from here' }];
  assert.equal(ruledBy(rules, call())?.why, 'rule 1: Nobody books from here');
});

test('a rule that is misunderstood is refused', () => {
  for (const [rules, says] of [
    [{}, /list/],
    [[{ effect: 'permit' }], /Rule 1 needs an "effect"/],
    [[{ effect: 'deny', tools: 'x' }], /unknown member "tools"/],
    [[{ effect: 'deny', act: 'spawn' }], /about 'spawn'/],
    [[{ effect: 'deny', server: 3 }], /a text as "server"/],
    [[null], /no object/],
  ] as const) {
    assert.throws(() => checkedRules(rules), { name: 'TypeError', message: says });
  }
});
