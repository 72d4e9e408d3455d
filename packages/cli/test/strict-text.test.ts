// Files and pipes that are not UTF-8 are refused with a clear error. They are never repaired and used.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { EVERYTHING } from './chat-terminal.ts';
import { failureIn, peer, tenon, TENON } from './run-tenon.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-strict-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A file in which each ÿ is a byte that is invalid in UTF-8. */
function put(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, Buffer.from(text, 'latin1'));
  return file;
}

const everything = ['--', process.execPath, EVERYTHING];
const SURFACE =
  '{"surface":1,"server":{"name":"a\xff"},"revision":"2025-11-25","capabilities":{},"tools":[],"resources":[],"templates":[],"prompts":[]}';
const TESTS =
  '{"mcptest":1,"tests":[{"name":"a\xff","tool":"echo","arguments":{"message":"\xff"},"expect":{"outcome":"ok"}}]}';

const answers = put('answers.json', '{"*":{"colour":"\xff"}}');
const surface = put('surface.json', SURFACE);
const tests = put('a.test.json', TESTS);
const config = put('mcp.json', `{"mcpServers":{"a":{"command":"node","env":{"A":"\xff"}}}}`);
const approvals = put('approvals.json', '{"approve":{"server/*":"once"},"questions":{"a\xff":"accept"}}');
const args = put('args.json', '{"message":"\xff"}');
const message = put('message.json', '"\xff"');

for (const given of [
  ['call', 'echo', 'message=a', '--answers', answers, ...everything],
  ['call', 'echo', '--args', `@${args}`, ...everything],
  ['call', 'echo', `message:=@${message}`, ...everything],
  ['check', '--lint', '--baseline', surface, ...everything],
  ['diff', surface, surface],
  ['diff', surface, ...everything],
  ['test', '--file', tests, ...everything],
  ['list', 'a', '--config', config],
  ['chat', '--model', 'demo', '--answers', approvals, 'hello', ...everything],
  ['chat', '--model', 'demo', '--config', config, 'hello'],
  ['inspect', '--no-open', '--answers', answers, ...everything],
]) {
  const name = given.slice(0, 4).join(' ').replaceAll(folder, '…');
  test(`a file that is not UTF-8 is refused, and named: ${name}`, async () => {
    const run = await tenon(given, { cwd: folder });
    assert.deepEqual([run.code, failureIn(run)['blame']], [2, 'you'], run.stderr);
    assert.match(String(failureIn(run)['message']), /UTF-8/);
    assert.doesNotMatch(run.stdout + run.stderr, /\ufffd/);
  });
}

const HEAD = '{"mcptrace":1,"began":"2026-11-21T15:00:00.000Z","by":"a test"}';
function said(n: number, from: string, text: string): string {
  return JSON.stringify({ n, at: n, session: 's', kind: 'message', from, text });
}

test('a line of a trace that is not UTF-8 is damaged, and does not count as a message', async () => {
  const file = put(
    'bytes.mcptrace',
    [
      HEAD,
      said(1, 'client', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a\xff"}}'),
      said(2, 'server', '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}'),
      '',
    ].join('\n'),
  );
  const checked = await tenon(['check', file]);
  assert.match(checked.stdout + checked.stderr, /line 2|#1|UTF-8/);
  assert.doesNotMatch(checked.stdout, /\ufffd/);
  const replayed = await tenon(['replay', file, ...peer('ok')]);
  assert.doesNotMatch(replayed.stdout, /\ufffd/);
  assert.notEqual(replayed.code, 0, replayed.stdout);
});

test('a log of decisions that is not UTF-8 does not verify', async () => {
  const file = put('audit.jsonl', '{"a":"\xff"}\n');
  const run = await tenon(['audit', 'verify', file]);
  assert.equal(run.code, 5, run.stderr);
});

test('a file of logins that is not UTF-8 is named, and not changed', async () => {
  const text = '{"https://mcp.example.com/mcp":{"issuer":"https://as.example","accessToken":"SECRET\xff"}}';
  const file = put('tokens.json', text);
  for (const verb of ['whoami', 'logout']) {
    const run = await tenon([verb, 'https://mcp.example.com/mcp'], { env: { TENON_TOKENS: file } });
    assert.ok(run.code !== 0 && run.code !== 1, `${verb}: ${run.code} ${run.stderr}`);
    assert.doesNotMatch(run.stdout + run.stderr, /SECRET|\ufffd/, verb);
    assert.equal(readFileSync(file, 'latin1'), text, verb);
  }
});

test('a conversation that is not UTF-8 is not resumed', async () => {
  const state = join(folder, 'state');
  mkdirSync(join(state, 'sessions'), { recursive: true });
  const id = '20260728-101500-abc123';
  const text = `{"id":"${id}","began":1,"changed":2,"model":"demo","messages":[{"role":"user","content":"pay \xff"}]}`;
  writeFileSync(join(state, 'sessions', `${id}.json`), Buffer.from(text, 'latin1'));
  const run = await tenon(['chat', '--model', 'demo', '--state', state, '--resume', id, 'hello', ...everything]);
  assert.equal(run.code, 2, run.stderr);
  assert.doesNotMatch(run.stdout + run.stderr, /\ufffd/);
});

/** Runs `tenon` with these bytes as its stdin. */
function runWithStdin(
  given: readonly string[],
  bytes: Buffer,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [TENON, ...given], {
      env: { ...process.env, XDG_STATE_HOME: folder },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.on('error', () => {});
    child.stdin.end(bytes);
  });
}

test('a line of stdin that is not UTF-8 is not sent to the model', async () => {
  const run = await runWithStdin(
    ['chat', '--model', 'demo', '--json', ...everything],
    Buffer.from('pay \xff to ann\n', 'latin1'),
  );
  assert.equal(run.code, 2, run.stdout + run.stderr);
  assert.doesNotMatch(run.stdout, /\ufffd/);
  assert.match(run.stderr, /UTF-8/);
});

test('data that is not UTF-8 is forwarded unchanged, and does not appear as a message in the trace', async () => {
  const script = `
    process.stdout.write(Buffer.from('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"\\u00ff"}}\\n', 'latin1'));
    process.stdin.resume();`;
  const file = join(folder, 'recorded.mcptrace');
  await runWithStdin(['record', '-o', file, '--', process.execPath, '-e', script], Buffer.alloc(0));
  const lines = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as { kind: string; from?: string; text: string });
  assert.deepEqual(
    lines.filter(({ kind }) => kind === 'message'),
    [],
  );
  assert.ok(
    lines.some(
      ({ kind, from, text }) => ['junk', 'lost'].includes(kind) && from === 'server' && /UTF-8|\ufffd/.test(text),
    ),
  );
});

test('names and commands in the configuration of a project do not act on the terminal', async () => {
  const evil = '\u001b[2J\u202e\u0007';
  const file = join(folder, 'evil.json');
  writeFileSync(
    file,
    JSON.stringify({
      mcpServers: {
        [`a${evil}`]: { command: 'node' },
        b: { command: `no-such-program${evil}`, args: [evil] },
        c: { command: 7, [evil]: true },
        d: { url: `https://127.0.0.1:1/${evil}` },
      },
    }),
  );
  const approve = join(folder, 'approve.json');
  writeFileSync(approve, '{"approve":{"start:*":"once"}}');
  for (const given of [
    ['list', 'b', '--config', file],
    ['list', 'd', '--config', file],
    ['list', 'none', '--config', file],
    ['check', 'b', '--config', file],
    ['doctor', 'b', '--config', file, '--text'],
    ['config', 'list', '--host', 'cursor', '--file', file],
    ['config', 'list', '--host', 'cursor', '--file', file, '--text'],
    ['chat', '--model', 'demo', '--config', file, '--answers', approve, 'hello'],
  ]) {
    const run = await tenon(given);
    assert.doesNotMatch(run.stderr, /[\u001b\u0007\u202e]/, given.join(' '));
  }
});
