import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertLinear } from '../../../../scripts/lib/cpu-time.ts';
import type { TraceLine } from '../trace/line.ts';
import { createTraceIndex } from '../trace/trace-index.ts';
import { createDiagnosis } from './diagnosis.ts';
import type { Finding } from './finding.ts';
import {
  answer,
  ask,
  client,
  diagnose,
  exit,
  handshake,
  junk,
  line,
  rest,
  server,
  stdio,
  tell,
  trace,
} from './fixtures/traces.ts';
import type { Rule } from './rule.ts';

function run(lines: readonly TraceLine[], rules?: readonly Rule[], onFinding?: (finding: Finding) => void) {
  const index = createTraceIndex();
  const diagnosis = createDiagnosis(onFinding, { rules });
  for (const one of lines) diagnosis.see(one, index.add(one), index);
  return diagnosis;
}

function ruleOf(id: string, watch: Rule['watch']): Rule {
  return {
    id,
    title: id,
    why: id,
    blame: ['server'],
    severity: ['info'],
    page: 'messages',
    watch,
  };
}

const counting = ruleOf('counting', (report) => ({
  request: ({ n, method }) => report({ severity: 'info', blame: 'server', message: method, evidence: [n] }),
}));

describe('the diagnosis', () => {
  it('reports a finding at once, with its rule, its session and the URL of its clause', () => {
    const told: Finding[] = [];
    const diagnosis = run(trace(stdio, handshake('2025-06-18'), ask(1, 'ping')), [counting], (finding) =>
      told.push(finding),
    );
    assert.deepEqual(told, diagnosis.findings);
    assert.deepEqual(told.at(-1), {
      rule: 'counting',
      severity: 'info',
      blame: 'server',
      message: 'ping',
      evidence: [5],
      clause: 'https://modelcontextprotocol.io/specification/2025-06-18/basic',
      session: 's',
    });
  });

  it('keeps sessions apart', () => {
    const both = ['one', 'two'].map((session) =>
      line('message', '{"jsonrpc":"2.0","id":1,"method":"ping"}', { from: 'client', session }),
    );
    const found = diagnose(
      both,
      line('message', '{"jsonrpc":"2.0","id":1,"result":{}}', { from: 'server', session: 'two' }),
      rest(9_000),
      line('note', 'x', { session: 'three' }),
    );
    assert.deepEqual(
      found.map(({ rule, session }) => [rule, session]),
      [['never-answered', 'one']],
    );
  });

  it('continues when a rule throws, and reports which', () => {
    const throws = ruleOf('throws', () => {
      let count = 0;
      return {
        request() {
          if (++count === 2) throw new Error('a\u0007b');
        },
        end: () => assert.fail('it is not asked again'),
      };
    });
    const never = ruleOf('never', () => {
      throw new Error('at once');
    });
    const diagnosis = run(trace(ask(1, 'a'), ask(2, 'b'), ask(3, 'c')), [throws, never, counting]);
    diagnosis.end();
    const failed = diagnosis.findings.filter(({ rule }) => rule === 'rule-failed');
    assert.deepEqual(
      failed.map(({ message, blame, evidence, session }) => [message, blame, evidence, session]),
      [
        ['The rule never failed and says nothing more about this session: Error: at once', 'unknown', [], 's'],
        ['The rule throws failed and says nothing more about this session: Error: a\\u0007b', 'unknown', [2], 's'],
      ],
    );
    assert.equal(diagnosis.findings.filter(({ rule }) => rule === 'counting').length, 3);
  });

  it('does not mistake an exception of a listener for one of a rule', () => {
    const fails = (): void => {
      throw new Error('mine');
    };
    assert.throws(() => run(trace(ask(1, 'a')), [counting], fails), /mine/);
  });

  it('keeps 50 findings of each kind, and counts the others', () => {
    const told: Finding[] = [];
    const asks = Array.from({ length: 80 }, (_, index) => ask(index, `m${index}`));
    const diagnosis = run(trace(asks), [counting], (finding) => told.push(finding));
    assert.equal(told.length, 50);
    assert.equal(diagnosis.findings.length, 51);
    diagnosis.end();
    diagnosis.end();
    assert.equal(told.length, 51);
    assert.equal(told.at(-1)?.message, '30 more cases like this: m0');
    assert.deepEqual(told.at(-1)?.evidence, [80]);
  });

  it('has a limit of findings for any number of sessions', () => {
    const sessions = Array.from({ length: 300 }, (_, index) =>
      Array.from({ length: 40 }, () =>
        line('message', '{"jsonrpc":"2.0","id":1,"method":"x"}', { from: 'client', session: `s${index}` }),
      ),
    );
    const kept = run(trace(sessions), [counting]).findings.filter(({ message }) => message === 'x');
    assert.equal(kept.length, 10_000);
  });

  it('forgets the oldest of very many sessions, and ignores its later lines', () => {
    const one = (session: string) =>
      line('message', '{"jsonrpc":"2.0","id":1,"method":"ping"}', { from: 'client', session });
    const many = Array.from({ length: 1_001 }, (_, index) => one(`s${index}`));
    const late = line('message', '{"jsonrpc":"2.0","id":1,"result":{}}', { from: 'server', session: 's0' });
    const lines = trace(many, late).length;
    const found = diagnose(many, late).filter(({ evidence }) => evidence.includes(lines));
    assert.deepEqual(found, []);
    const told = diagnose(many.slice(1), late).filter(({ evidence }) => evidence.includes(lines - 1));
    assert.equal(told.length, 1);
  });

  it('processes messages in linear time', () => {
    const logs = Array.from({ length: 20_000 }, (_, index) =>
      tell('notifications/message', { level: 'info', data: `line ${index}` }),
    );
    const lines = trace(stdio, handshake(), logs);
    const index = createTraceIndex();
    const facts = lines.map((one) => index.add(one));
    assertLinear(5_000, (count) => {
      const diagnosis = createDiagnosis();
      for (const [at, one] of lines.slice(0, count).entries()) diagnosis.see(one, facts[at]!, index);
    });
  });

  it('accepts invalid messages of any kind', () => {
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    const strange = [
      client(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${deep}}`),
      server(`{"jsonrpc":"2.0","id":1,"result":{"tools":${deep}}}`),
      client(`{"jsonrpc":"2.0","id":${deep},"method":"ping"}`),
      server('{"jsonrpc":"2.0","id":1,"error":null}'),
      server('{"jsonrpc":"2.0","method":"__proto__","params":{"__proto__":{"a":1}}}'),
      client('{"jsonrpc":"2.0","id":"__proto__","method":"constructor","params":{"name":"toString"}}'),
      server('{"jsonrpc":"2.0","id":"__proto__","result":{"resultType":"__proto__","_meta":null}}'),
      server('[[],null,[[]],{}]'),
      ask(2, 'tools/call', { name: 5, arguments: 7, _meta: 'x' }),
      answer(2, { content: [null, 1, {}, { type: {} }], structuredContent: 1 }),
      line('http', 'x'),
      line('http', 'x', { http: { exchange: 1, part: 'answer' } }),
      line('auth', 'x', { http: { exchange: 1, part: 'answer', body: deep } }),
      line('exit', ''),
      line('session', ''),
      line('timer', ''),
      junk(''),
    ];
    for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const)
      diagnose(stdio, handshake(revision), strange, exit('exited'));
    diagnose(strange);
  });
});
