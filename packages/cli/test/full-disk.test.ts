// Output that cannot be written is a failure: on stdout, in a trace, in a report. /dev/full acts like a full disk; a limit for the
// size of files acts like a disk that becomes full during a write.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { EVERYTHING } from './chat-terminal.ts';
import { fixture, peer, TENON } from './run-tenon.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-full-'));
after(() => rmSync(folder, { recursive: true, force: true }));
function at(name: string): string {
  return join(folder, name);
}

const here = dirname(fileURLToPath(import.meta.url));
function broken(mode: string): string[] {
  return ['--', process.execPath, join(here, '../../inspector/src/session/fixtures/broken.mjs'), mode];
}
const everything = ['--', process.execPath, EVERYTHING];
const skip = process.platform !== 'linux' && 'there is no /dev/full';

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

/** Runs a command with stdout in a file, or in a pipe that is closed after the first bytes. */
function run(command: readonly string[], stdout: string | 'closed early', input = ''): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const out = stdout === 'closed early' ? 'pipe' : openSync(stdout, 'w');
    const child = spawn(command[0]!, command.slice(1), {
      cwd: folder,
      env: { ...process.env, XDG_STATE_HOME: folder },
      stdio: ['pipe', out, 'pipe'],
    });
    if (typeof out === 'number') closeSync(out);
    let stderr = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.stdout?.once('data', () => child.stdout!.destroy());
    child.stdin!.on('error', () => {});
    child.stdin!.end(input);
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stderr }));
  });
}

function tenon(args: readonly string[]): string[] {
  return [process.execPath, TENON, ...args];
}
/** The same with a maximum file size, in blocks of 512 bytes. */
function limited(blocks: number, args: readonly string[]): string[] {
  return ['sh', '-c', `ulimit -f ${blocks}; exec "$@"`, 'sh', ...tenon(args)];
}

/** The last line on stderr. */
function toldBy({ stderr }: Ended): string {
  return stderr.trimEnd().split('\n').at(-1) ?? '';
}
function codeIn(ended: Ended): unknown {
  return (JSON.parse(toldBy(ended)) as { error: { code: unknown } }).error.code;
}

const surface = at('surface.json');
writeFileSync(
  surface,
  '{"surface":1,"server":{},"revision":"2025-11-25","capabilities":{},"tools":[],"resources":[],"templates":[],"prompts":[]}',
);
writeFileSync(
  at('mcp.test.json'),
  '{"mcptest":1,"tests":[{"name":"a","tool":"a","arguments":{},"expect":{"outcome":"ok"}}]}',
);

writeFileSync(at('audit.jsonl'), '');
writeFileSync(at('mcp.json'), '{"mcpServers":{"kept":{"command":"node"}}}');

before(async () => {
  const kept = await run(tenon(['list', 'tools', '-o', at('kept.mcptrace'), ...broken('ok')]), '/dev/null');
  assert.equal(kept.code, 0, kept.stderr);
});

/** Every verb that prints a result. */
const VERBS: readonly (readonly string[])[] = [
  ['--help'],
  ['--version'],
  ['list', '--help'],
  ['list', ...everything],
  ['list', 'tools', ...everything],
  ['list', 'tools', '--text', ...everything],
  ['call', 'echo', 'message=Hi', ...everything],
  ['read', 'demo://resource/static/document/features.md', ...everything],
  ['prompt', 'simple-prompt', ...everything],
  ['complete', 'completable-prompt', 'department=E', ...everything],
  ['raw', 'tools/list', ...everything],
  ['doctor', ...broken('ok')],
  ['check', '--lint', ...broken('ok')],
  ['diff', surface, surface],
  ['test', ...broken('ok')],
  ['load', '--seconds', '1', ...broken('ok')],
  ['watch', 'tools', '--count', '1', ...broken('announces')],
  ['proxy', '-o', at('proxy.mcptrace'), 'http://127.0.0.1:9/mcp'],
  ['replay', at('kept.mcptrace'), ...broken('ok')],
  ['config', 'list'],
  ['export', '--to', 'cursor', ...broken('ok')],
  ['inspect', '--no-open', ...broken('ok')],
  ['chat', '--model', 'demo', 'hello', ...everything],
  ['chat', '--model', 'demo', '--json', 'hello', ...everything],
  ['help', 'call'],
  ['check', at('kept.mcptrace')],
  ['audit', 'verify', at('audit.jsonl')],
  ['config', 'list', '--json'],
  ['config', 'export', 'kept', '--host', 'cursor', '--file', at('mcp.json'), '--to', 'goose'],
  ['doctor', '--json', ...broken('ok')],
];

for (const args of VERBS) {
  const name = args.slice(0, 2).join(' ').replace(folder, '…');
  test(`output that cannot be written is reported as a failure: ${name}`, { skip }, async () => {
    const ended = await run(tenon(args), '/dev/full');
    assert.deepEqual([ended.code, codeIn(ended)], [10, 'write_failed'], ended.stderr);
    assert.match(toldBy(ended), /The output could not be written: the disk is full/);
  });
}

test('server messages that cannot be written are a failure, and reported', { skip }, async () => {
  const request = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';
  for (const args of [
    ['run', fixture('modern.ts')],
    ['run', 'time'],
    ['serve', at('kept.mcptrace')],
    ['record', '-o', at('messages.mcptrace'), ...everything],
  ]) {
    const ended = await run(tenon(args), '/dev/full', request);
    assert.equal(ended.code, 10, `${args.join(' ')}: ${ended.stderr}`);
    assert.match(ended.stderr, /could not be written: the disk is full/, args.join(' '));
  }
});

test('output that can be written only in part is a failure', { skip }, async () => {
  const file = at('part.txt');
  const ended = await run(limited(2, ['--help']), file);
  assert.equal(ended.code, 10, ended.stderr);
  assert.equal(statSync(file).size, 1024, 'what fits is written');
});

test('a failing verb keeps its exit code even if its output is lost', { skip }, async () => {
  const ended = await run(tenon(['call', 'fail', ...peer('ok')]), '/dev/full');
  assert.deepEqual([ended.code, codeIn(ended)], [5, 'tool_error']);
  assert.match(ended.stderr, /The output could not be written/);
});

test('a reader that closes the pipe is not a failure, and ends a verb that would continue', { skip }, async () => {
  for (const args of [
    ['--help'],
    ['list', ...everything],
    ['check', '--lint', ...broken('ok')],
    ['watch', 'tools', ...broken('announces')],
  ]) {
    const ended = await run(tenon(args), 'closed early');
    assert.deepEqual([ended.code, ended.signal, ended.stderr], [0, null, ''], args.join(' '));
  }
});

test('a trace that cannot be created on a full disk is reported, and no server is started', { skip }, async () => {
  for (const verb of ['list', 'doctor', 'check', 'record']) {
    const file = at(`begun-${verb}.mcptrace`);
    const ended = await run(limited(0, [verb, '-o', file, ...everything]), '/dev/null');
    assert.deepEqual([ended.code, codeIn(ended)], [10, 'write_failed'], `${verb}: ${ended.stderr}`);
    assert.equal(existsSync(file), false);
  }
});

test('a trace that cannot be written completely is a failure, and the result is still printed', { skip }, async () => {
  for (const args of [
    ['list', 'tools'],
    ['call', 'echo', 'message=Hi'],
  ]) {
    const out = at(`${args[0]}.json`);
    const file = at(`${args[0]}.mcptrace`);
    const ended = await run(limited(4, [...args, '-o', file, ...broken('ok')]), out);
    if (args[0] === 'list') assert.match(readFileSync(out, 'utf8'), /"tools":\[/);
    assert.match(ended.stderr, /The rest of the trace [^"]*could not be written/, args.join(' '));
    if (args[0] === 'list') assert.deepEqual([ended.code, codeIn(ended)], [10, 'write_failed'], ended.stderr);
  }
});

test('a server whose trace could not be written is not judged', { skip }, async () => {
  for (const verb of ['doctor', 'check', 'test']) {
    const out = at(`${verb}.out`);
    const ended = await run(limited(4, [verb, '-o', at(`${verb}-part.mcptrace`), ...broken('ok')]), out);
    assert.deepEqual([ended.code, codeIn(ended)], [10, 'write_failed'], `${verb}: ${ended.stderr}`);
    assert.equal(readFileSync(out, 'utf8'), '', verb);
  }
});

test('a report that cannot be written completely is a failure, and no part of it is left', { skip }, async () => {
  const device = await run(tenon(['check', '--lint', '--junit', '/dev/full', ...broken('ok')]), '/dev/null');
  assert.deepEqual([device.code, codeIn(device)], [10, 'write_failed'], device.stderr);
  assert.ok(existsSync('/dev/full'));
  const report = at('report.xml');
  const files = new URL('../src/failure/file-failures.ts', import.meta.url).href;
  const source = `import { writeReport } from '${files}'; console.error(writeReport('${report}', 'x'.repeat(4096))?.code)`;
  const command = ['sh', '-c', 'ulimit -f 2; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', source];
  assert.equal(toldBy(await run(command, '/dev/null')), 'write_failed');
  assert.equal(existsSync(report), false);
});

test('a file that cannot be written is a failure, and the existing file is not changed', { skip }, async () => {
  const tests = at('update.test.json');
  const config = at('config.json');
  writeFileSync(
    tests,
    '{"mcptest":1,"tests":[{"name":"a","tool":"a","arguments":{},"expect":{"outcome":"ok","checks":[{"at":"/content/0/text","equals":"old"}]}}]}',
  );
  writeFileSync(config, '{"mcpServers":{}}');
  for (const [args, file] of [
    [['test', '--update', '--file', tests, ...broken('ok')], tests],
    [['config', 'add', 'time', '--host', 'cursor', '--file', config], config],
    [['check', '--lint', '--baseline', at('new-baseline.json'), ...broken('ok')], at('new-baseline.json')],
  ] as const) {
    const was = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    const ended = await run(limited(0, args), '/dev/null');
    assert.deepEqual([ended.code, codeIn(ended)], [10, 'write_failed'], `${args[0]}: ${ended.stderr}`);
    assert.equal(existsSync(file) ? readFileSync(file, 'utf8') : undefined, was, args[0]);
  }
});

test('a server that comes with the project fails if its output is lost', { skip }, async () => {
  const bin = join(here, '../../../servers/time/bin/server-time.js');
  const request = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';
  for (const [args, input] of [
    [['--help'], ''],
    [[], request],
  ] as const) {
    const ended = await run([process.execPath, bin, ...args], '/dev/full', input);
    assert.notEqual(ended.code, 0, `${args.join()}: ${ended.stderr}`);
    assert.match(ended.stderr, /could not be written|ENOSPC|no space|full/, args.join());
  }
});
