import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CheckRow } from '../rules/finding.ts';
import { junitReport } from './junit.ts';
import { sarifReport } from './sarif.ts';

const rows: readonly CheckRow[] = [
  { group: 'lint', id: 'looked', title: 'Every entry', status: 'pass', ms: 12, findings: [] },
  {
    group: 'wire',
    id: 'output-schema',
    title: 'Results fit <their> "schema"',
    status: 'fail',
    findings: [
      {
        rule: 'output-schema',
        severity: 'error',
        blame: 'server',
        message: 'It is & was <wrong>\u0007',
        subject: 'tool add',
        fix: 'Mend it.',
        clause: 'https://example.com/spec',
        evidence: [7, 9],
      },
    ],
  },
  { group: 'era', id: '2024-11-05', title: 'Revision', status: 'skip', detail: 'not spoken', findings: [] },
];

test('JUnit has a suite for each group, a failure where one is, and no character that XML cannot hold', () => {
  const xml = junitReport('srv', rows);
  assert.match(xml, /<testsuite name="srv lint" tests="1" failures="0" skipped="0" time="0.012">/);
  assert.match(xml, /<failure message="It is &amp; was &lt;wrong&gt;\ufffd">/);
  assert.match(xml, /lines 7, 9 of the trace/);
  assert.match(xml, /<skipped message="not spoken"\/>/);
  assert.doesNotMatch(xml, /[\u0000-\u0008]/);
});

test('SARIF names the rule, the thing and the line of the trace', () => {
  const log = JSON.parse(sarifReport({ server: 'srv', version: '1', trace: 'a.mcptrace' }, rows)) as {
    version: string;
    runs: { tool: { driver: { rules: unknown[] } }; results: Record<string, never>[] }[];
  };
  assert.equal(log.version, '2.1.0');
  const [run] = log.runs;
  assert.deepEqual(run?.tool.driver.rules, [{ id: 'output-schema', helpUri: 'https://example.com/spec' }]);
  const [result] = run?.results ?? [];
  assert.equal(result?.['ruleId'], 'output-schema');
  assert.deepEqual(result?.['locations'], [
    {
      logicalLocations: [{ fullyQualifiedName: 'srv/tool add', kind: 'object' }],
      physicalLocation: { artifactLocation: { uri: 'a.mcptrace' }, region: { startLine: 8 } },
    },
  ]);
});

test('reports are valid XML and JSON, whatever names a server uses', () => {
  const names = [
    '\u0000',
    '\ufffe\uffff',
    '\ud800',
    ']]>',
    '<!--',
    '\u0085\u2028',
    '&#0;',
    '\u007f',
    '"\'',
    '\u{1f600}',
  ];
  const odd = names.map((name): CheckRow => ({
    ...rows[1]!,
    title: name,
    findings: [{ ...rows[1]!.findings[0]!, message: name, subject: `tool ${name}`, fix: name }],
  }));
  const xml = junitReport(`srv ${names.join('')}`, odd);
  assert.doesNotMatch(xml, /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u);
  assert.ok(xml.isWellFormed());
  assert.doesNotMatch(xml, /\]\]>|<!--/);
  const sarif = sarifReport({ server: names.join(''), version: '1', trace: 'a.mcptrace' }, odd);
  assert.ok(sarif.isWellFormed());
  JSON.parse(sarif);
});
