// Verdicts rest on evidence. Missing evidence blames neither side, and unchecked parts do not pass.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { CheckRow, SideVerdict } from '@tenon/inspector';
import { type Outcome, peer, tenon } from './run-tenon.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-verdicts-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const here = dirname(fileURLToPath(import.meta.url));
function broken(mode: string, ...more: string[]): string[] {
  return ['--', process.execPath, join(here, '../../inspector/src/session/fixtures/broken.mjs'), mode, ...more];
}

let count = 0;
type Line = object | string;
/** A trace of these lines; a string is used unchanged. */
function traceOf(lines: readonly Line[]): string {
  const file = join(folder, `${++count}.mcptrace`);
  const head = '{"mcptrace":1,"began":"2026-11-21T15:00:00.000Z","by":"a test"}';
  const texts = lines.map((line, at) =>
    typeof line === 'string' ? line : JSON.stringify({ n: at + 1, at: at * 1_000, session: 's', ...line }),
  );
  writeFileSync(file, [head, ...texts, ''].join('\n'));
  return file;
}
function said(from: 'client' | 'server', text: object | string): object {
  return { kind: 'message', from, text: typeof text === 'string' ? text : JSON.stringify({ jsonrpc: '2.0', ...text }) };
}

const info = { name: 'x', version: '1' };
const HANDSHAKE = [
  said('client', {
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info },
  }),
  said('server', { id: 0, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: info } }),
  said('client', { method: 'notifications/initialized' }),
];
const ASK = said('client', { id: 1, method: 'tools/list' });

interface Report {
  readonly rows: readonly CheckRow[];
  readonly verdicts: readonly SideVerdict[];
}
/** The errors and warnings, with the blamed side. */
function blamed({ stdout, stderr }: Outcome): string[] {
  assert.notEqual(stdout, '', stderr);
  return (JSON.parse(stdout) as Report).rows.flatMap(({ findings }) =>
    findings.filter(({ severity }) => severity !== 'info').map(({ rule, blame }) => `${blame} ${rule}`),
  );
}

test('an answer that may be in a lost, damaged or truncated part does not count as missing', async () => {
  const damaged =
    '{"n":5,"at":4000,"session":"s","kind":"message","from":"server","text":"{\\"jsonrpc\\":\\"2.0\\",\\"id\\":1,\\"res';
  for (const [what, lines] of [
    [
      'lost',
      [
        ...HANDSHAKE,
        ASK,
        { kind: 'lost', from: 'server', text: 'a message of more than 10 MiB' },
        { kind: 'exit', from: 'server', text: 'exited with code 0' },
      ],
    ],
    ['damaged', [...HANDSHAKE, ASK, damaged, { n: 6, kind: 'exit', from: 'server', text: 'exited with code 0' }]],
    ['cut off', [...HANDSHAKE, ASK]],
    ['cut in the middle', [...HANDSHAKE, ASK, damaged]],
  ] as const)
    assert.deepEqual(
      blamed(await tenon(['check', traceOf(lines)])).filter((one) => !one.endsWith(' input-lost')),
      [],
      what,
    );
});

test('an answer whose request may be in a lost or damaged part is not a stray answer', async () => {
  const answer = said('server', { id: 7, result: { tools: [] } });
  for (const [what, lines] of [
    ['lost', [...HANDSHAKE, { kind: 'lost', from: 'client', text: 'a message of more than 10 MiB' }, answer]],
    ['damaged', [...HANDSHAKE, '{"n":4,"at":3000,"sess', answer]],
  ] as const)
    assert.deepEqual(
      blamed(await tenon(['check', traceOf(lines)])).filter((one) => one.endsWith('unknown-response')),
      [],
      what,
    );
});

test('ids that differ only in digits that JavaScript drops are not confused', async () => {
  const ids = ['9007199254740993', '9007199254740992'];
  const lines = [
    ...HANDSHAKE,
    ...ids.flatMap((id) => [
      said('client', `{"jsonrpc":"2.0","id":${id},"method":"ping"}`),
      said('server', `{"jsonrpc":"2.0","id":${id},"result":{}}`),
    ]),
  ];
  const found = blamed(await tenon(['check', traceOf(lines)]));
  assert.deepEqual(
    found.filter((one) => /reuse|duplicate|twice|stray|unknown-id|id-reused/.test(one)),
    [],
    found.join(),
  );
});

test('a trace without messages gets no verdict', async () => {
  for (const lines of [[], [{ kind: 'stderr', from: 'server', text: 'Hello' }], [{ kind: 'note', text: 'nothing' }]]) {
    const run = await tenon(['check', traceOf(lines)]);
    assert.equal(run.code, 9, JSON.stringify(lines) + run.stderr);
    assert.doesNotMatch(run.stdout, /"status":"pass","side"|"side":"(server|client)","status":"pass"/);
  }
});

test('a load test without any answers does not pass its limit', async () => {
  for (const mode of ['dies-at-call', 'silent']) {
    const run = await tenon(['load', 'a', '--seconds', '1', '--p99', '60000', '--timeout', '2000', ...broken(mode)]);
    assert.notEqual(run.code, 0, `${mode}: ${run.stdout}`);
  }
});

test('an unreadable list is neither a removal nor proof that nothing changed', async () => {
  const surface = join(folder, 'surface.json');
  const first = await tenon(['check', '--lint', '--baseline', surface, ...broken('ok')]);
  assert.equal(first.code, 0, first.stderr);
  for (const mode of ['list-error', 'dies-at-list']) {
    const run = await tenon(['diff', surface, ...broken(mode)]);
    assert.notEqual(run.code, 0, `${mode}: ${run.stdout}`);
    assert.doesNotMatch(run.stdout, /removed/i, mode);
  }
});

test('a server that ends in the middle of a check has not passed the remaining checks', async () => {
  const run = await tenon(['check', ...broken('dies-at-list')]);
  assert.notEqual(run.code, 0);
  const { rows } = JSON.parse(run.stdout || '{"rows":[]}') as Report;
  for (const { id, status } of rows) if (/lint|schema|looked/.test(id)) assert.notEqual(status, 'pass', id);
});

test('a saved test that could not be run has not passed', async () => {
  const file = join(folder, 'mcp.test.json');
  const one = (expect: object) =>
    JSON.stringify({ mcptest: 1, tests: [{ name: 'a', tool: 'a', arguments: {}, expect }] });
  for (const [expect, mode] of [
    [{ outcome: 'error' }, 'dies-at-call'],
    [{ outcome: 'tool-error' }, 'dies-at-call'],
    [{ outcome: 'ok' }, 'silent'],
  ] as const) {
    writeFileSync(file, one(expect));
    const run = await tenon(['test', '--file', file, '--timeout', '2000', ...broken(mode)]);
    assert.notEqual(run.code, 0, `${JSON.stringify(expect)} ${mode}: ${run.stdout}`);
  }
});

test('the time limit of a test must be a valid number', async () => {
  const file = join(folder, 'limits.test.json');
  for (const maxMs of ['1e400', '-1', '"500"', '0', 'null', 'true']) {
    writeFileSync(
      file,
      `{"mcptest":1,"tests":[{"name":"a","tool":"line","arguments":{},"expect":{"outcome":"ok","maxMs":${maxMs}}}]}`,
    );
    const run = await tenon(['test', '--file', file, ...peer('ok')]);
    assert.equal(run.code, maxMs === '0' ? run.code : 2, `${maxMs}: ${run.stdout} ${run.stderr}`);
    assert.notEqual(run.code, 0, maxMs);
  }
});
