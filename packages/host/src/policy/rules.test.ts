import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matches } from './glob.ts';
import type { Rule } from './rule.ts';
import { checkedRules, prepareRules } from './rules.ts';
import type { Subject } from './subject.ts';

function call(more: Partial<Subject> = {}): Subject {
  return {
    act: 'call',
    server: 'travel',
    trusted: false,
    tool: 'bookTrip',
    exactly: '1',
    ...more,
  };
}

function effectOf(rules: readonly Rule[], subject: Subject) {
  return prepareRules(rules)(subject)?.effect;
}

test('a star matches any characters, and everything else is literal', () => {
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

test('a glob with many stars takes linear time', () => {
  assert.equal(matches(`${'*a'.repeat(2_000)}b`, 'a'.repeat(100_000)), false);
});

test('a path that climbs out of an allowed folder is not allowed, and one that climbs into a denied folder is denied', () => {
  const effect = (rule: object, more: Partial<Subject>) => effectOf([rule as Rule], call(more));
  for (const [glob, text, fits] of [
    ['/tmp/*', '/tmp/notes/a.txt', 'allow'],
    ['/tmp/*', '/tmp/../etc/passwd', 'deny'],
    ['/tmp/*', '/tmp/..', 'deny'],
    ['/tmp/*', '/tmp/a/../b', 'allow'],
    ['C:\\tmp\\*', 'C:\\tmp\\a', 'allow'],
    ['C:\\tmp\\*', 'C:\\tmp\\..\\a', 'deny'],
    ['*', '../x', 'allow'],
    ['go to *', 'go to Oslo. And to Rome... //', 'allow'],
  ] as const) {
    const path = { arguments: { path: text } };
    assert.equal(effect({ effect: 'allow', arguments: { path: glob } }, path) ?? 'deny', fits, `${glob} ${text}`);
  }
  for (const text of ['/etc/passwd', '/tmp/../etc/passwd', '//etc/passwd', '/./etc/passwd', '\\etc\\passwd']) {
    assert.equal(
      effect({ effect: 'deny', arguments: { path: '/etc/*' } }, { arguments: { path: text } }),
      'deny',
      text,
    );
    assert.equal(effect({ effect: 'ask', arguments: { path: '/etc/*' } }, { arguments: { path: text } }), 'ask', text);
  }
  for (const [uri, fits] of [
    ['file:///tmp/a%20b', 'allow'],
    ['file:///tmp/../etc/passwd', undefined],
    ['file:///tmp/%2e%2e/etc/passwd', undefined],
    ['file:///tmp/..%2fetc/passwd', undefined],
  ] as const) {
    const read = { act: 'read', server: 'x', trusted: false, uri, exactly: '' } as const;
    assert.equal(effectOf([{ effect: 'allow', uri: 'file:///tmp/*' }], read), fits, uri);
    const rules = [{ effect: 'deny', uri: 'file:///etc/*' }] as const;
    assert.equal(effectOf(rules, read), fits === undefined ? 'deny' : undefined, uri);
  }
  const read = { act: 'read', server: 'x', trusted: false, exactly: '' } as const;
  assert.equal(effectOf([{ effect: 'deny', uri: 'file:///etc/*' }], { ...read, uri: 'file:///%65tc/a' }), 'deny');
  assert.equal(effectOf([{ effect: 'allow', uri: 'x://a/b%20c*' }], { ...read, uri: 'x://a/b%20cd' }), 'allow');
  assert.equal(effectOf([{ effect: 'allow', uri: 'x://a//b' }], { ...read, uri: 'x://a//b' }), 'allow');
});

test('a function for arguments that returns a promise denies', () => {
  const rule = { effect: 'allow', arguments: async () => false } as unknown as Rule;
  const verdict = prepareRules([rule])(call({ arguments: {} }));
  assert.equal(verdict?.effect, 'deny');
  assert.match(verdict.why, /must return true or false/);
});

test('deny takes precedence over ask, and ask over allow, in any order', () => {
  const allow: Rule = { effect: 'allow', server: 'travel' };
  const ask: Rule = { effect: 'ask', tool: 'book*' };
  const deny: Rule = { effect: 'deny', arguments: { city: 'Paris' } };
  assert.equal(effectOf([allow], call()), 'allow');
  assert.equal(effectOf([allow, ask], call()), 'ask');
  assert.equal(effectOf([allow, ask, deny], call({ arguments: { city: 'Paris' } })), 'deny');
  assert.equal(effectOf([deny, allow], call({ arguments: { city: 'Oslo' } })), 'allow');
});

test('without a matching rule there is no decision', () => {
  assert.equal(prepareRules([{ effect: 'allow', server: 'weather' }])(call()), undefined);
});

test('an allow rule without an act applies to calls and reads, never to starts, prompts or sampling', () => {
  const rules: Rule[] = [{ effect: 'allow', server: '*' }];
  assert.equal(effectOf(rules, call({ act: 'start' })), undefined);
  assert.equal(effectOf(rules, call({ act: 'sample' })), undefined);
  assert.equal(effectOf(rules, call({ act: 'prompt' })), undefined);
  assert.equal(effectOf(rules, call({ act: 'read', uri: 'a:b' })), 'allow');
});

test('[H2] of an untrusted server, only annotations that declare a tool harmful are believed', () => {
  const allow: Rule[] = [{ effect: 'allow', annotations: { readOnlyHint: true } }];
  const annotations = { readOnlyHint: true };
  assert.equal(effectOf(allow, call({ annotations })), undefined);
  assert.equal(effectOf(allow, call({ annotations, trusted: true })), 'allow');
  const deny: Rule[] = [{ effect: 'deny', annotations: { destructiveHint: true } }];
  assert.equal(effectOf(deny, call({ annotations: { destructiveHint: true } })), 'deny');
  // Without annotations, a tool counts as destructive.
  assert.equal(effectOf(deny, call()), 'deny');
});

test('[H2] an untrusted server cannot escape a deny rule by declaring its tool harmless', () => {
  const rules: Rule[] = [
    { effect: 'allow', server: '*' },
    { effect: 'deny', annotations: { destructiveHint: true } },
  ];
  for (const destructiveHint of [false, true]) {
    assert.equal(effectOf(rules, call({ annotations: { destructiveHint } })), 'deny');
  }
  assert.equal(effectOf(rules, call({ annotations: { destructiveHint: false }, trusted: true })), 'allow');
  const ask: Rule[] = [
    { effect: 'allow', server: '*' },
    { effect: 'ask', annotations: { readOnlyHint: false, openWorldHint: true } },
  ];
  assert.equal(effectOf(ask, call({ annotations: { readOnlyHint: true, openWorldHint: false } })), 'ask');
  // A declared value also counts: a tool that is declared read-only matches a deny rule for read-only tools.
  const odd: Rule[] = [{ effect: 'deny', annotations: { readOnlyHint: true } }];
  assert.equal(effectOf(odd, call({ annotations: { readOnlyHint: true } })), 'deny');
  assert.equal(effectOf(odd, call()), undefined);
});

test('a denied server can neither provide prompts nor request sampling', () => {
  const rules: Rule[] = [{ effect: 'deny', server: 'travel' }];
  for (const act of ['call', 'read', 'prompt', 'sample'] as const) {
    assert.equal(effectOf(rules, call({ act })), 'deny', act);
    assert.equal(effectOf([{ effect: 'deny' }], call({ act })), 'deny', act);
    assert.equal(effectOf(rules, call({ act, server: 'other' })), undefined, act);
  }
  assert.equal(effectOf(rules, call({ act: 'start' })), undefined);
  for (const act of ['prompt', 'sample'] as const) {
    assert.equal(effectOf([{ effect: 'deny', tool: '*' }], call({ act })), undefined);
    assert.equal(effectOf([{ effect: 'deny', uri: '*' }], call({ act })), undefined);
    assert.equal(effectOf([{ effect: 'ask', server: '*' }], call({ act })), undefined);
    assert.equal(effectOf([{ effect: 'allow', act, server: '*' }], call({ act })), 'allow');
  }
});

test('a missing argument matches no glob', () => {
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
  assert.equal(effectOf(rules.toReversed(), call()), 'deny');
});

test('a rule that is changed later has no effect', () => {
  const rules: Rule[] = [{ effect: 'deny', tool: 'book*' }];
  const evaluate = prepareRules(rules);
  rules.pop();
  assert.equal(evaluate(call())?.effect, 'deny');
});

test('the reason names the rule that decided', () => {
  const rules: Rule[] = [{ effect: 'deny', tool: 'book*', because: 'Booking is not allowed here' }];
  assert.equal(prepareRules(rules)(call())?.why, 'rule 1: Booking is not allowed here');
});

test('the reason says which actions a rule is about, and its conditions', () => {
  const why = (rule: Rule, more: Partial<Subject> = {}) => prepareRules([rule])({ ...call(), ...more })?.why;
  assert.equal(why({ effect: 'allow', act: 'start' }, { act: 'start' }), 'rule 1: allow start');
  assert.equal(why({ effect: 'allow', act: ['start', 'call'] }), 'rule 1: allow start or call');
  assert.equal(why({ effect: 'allow', server: '*' }), 'rule 1: allow call or read, server *');
  assert.equal(why({ effect: 'deny', server: '*' }), 'rule 1: deny call or read or prompt or sample, server *');
  assert.equal(why({ effect: 'deny', tool: '*' }), 'rule 1: deny call, tool *');
  assert.equal(why({ effect: 'deny', arguments: () => true }), 'rule 1: deny call, arguments by a function');
});

test('an invalid rule is rejected', () => {
  for (const [rules, says] of [
    [{}, /list/],
    [[{ effect: 'permit' }], /Rule 1 needs an "effect"/],
    [[{ effect: 'deny', tools: 'x' }], /unknown member "tools"/],
    [[{ effect: 'deny', act: 'spawn' }], /unknown "act" 'spawn'/],
    [[{ effect: 'deny', server: 3 }], /a string as "server"/],
    [[null], /not an object/],
  ] as const) {
    assert.throws(() => checkedRules(rules), { name: 'TypeError', message: says });
  }
});

test('a rule that could never apply is rejected', () => {
  for (const [rule, says] of [
    [{ annotations: { destructivehint: true } }, /Rule 1 has an unknown annotation "destructivehint".*destructiveHint/],
    [{ annotations: 'destructiveHint' }, /needs an object as "annotations"/],
    [{ annotations: [] }, /needs an object as "annotations"/],
    [{ annotations: {} }, /has no annotation/],
    [{ annotations: { destructiveHint: 'true' } }, /needs true or false as annotation "destructiveHint"/],
    [{ annotations: { title: true } }, /needs a string as annotation "title"/],
    [{ arguments: 'rm' }, /needs an object of globs as "arguments"/],
    [{ arguments: ['rm'] }, /needs an object of globs as "arguments"/],
    [{ arguments: {} }, /has no argument/],
    [{ arguments: { price: 100 } }, /needs a glob as argument "price"/],
    [{ act: [] }, /has an empty "act"/],
    [{ act: [undefined] }, /unknown "act" 'undefined'/],
    [{ act: 'start', tool: 'x' }, /has the "act" "start" and "tool", which applies only to a call/],
    [{ act: 'sample', arguments: { a: '*' } }, /has the "act" "sample" and "arguments"/],
    [{ act: ['call', 'read'], tool: 'x' }, /has the "act" "read" and "tool"/],
    [{ act: 'prompt', annotations: { readOnlyHint: true } }, /has the "act" "prompt" and "annotations"/],
    [{ act: 'call', uri: 'file:*' }, /has the "act" "call" and "uri", which applies only to a read/],
    [{ tool: 'x', uri: 'file:*' }, /has "tool" and "uri" and would never apply/],
    [{ uri: 'file:*', arguments: () => true }, /has "arguments" and "uri" and would never apply/],
    [{ effect: 'ask', act: ['call', 'prompt'] }, /people choose prompts themselves/],
    [{ server: '' }, /has an empty "server"/],
    [{ tool: '' }, /has an empty "tool"/],
  ] as const) {
    assert.throws(() => checkedRules([{ effect: 'deny', ...rule }]), { name: 'TypeError', message: says });
  }
  assert.throws(() => checkedRules([[]]), /Rule 1 is not an object/);
});

test('valid rules are returned unchanged', () => {
  const rules: Rule[] = [
    { effect: 'allow', act: ['start', 'prompt', 'sample'], server: 'a*' },
    { effect: 'ask', act: 'call', tool: '*', annotations: { title: 'x', openWorldHint: true }, arguments: { a: '*' } },
    { effect: 'deny', act: 'read', uri: 'file:*', because: '' },
    { effect: 'deny', arguments: () => true },
    { effect: 'deny' },
  ];
  assert.equal(checkedRules(rules), rules);
});
