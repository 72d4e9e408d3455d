// The verbs that inspect servers, with real processes: an official server and one of our own.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { failureIn, fixture, peer, TENON, tenon } from './run-tenon.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-'));
after(() => rmSync(folder, { recursive: true, force: true }));
function at(name: string): string {
  return join(folder, name);
}

const packageFile = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json');
const everything = ['--', process.execPath, join(dirname(packageFile), 'dist/index.js')];
const modern = ['--', process.execPath, TENON, 'run', fixture('modern.ts')];

type Json = Record<string, unknown>;

interface Row {
  readonly group: string;
  readonly id: string;
  readonly status: string;
  readonly detail?: string;
}
function rowsIn(stdout: string): readonly Row[] {
  return (JSON.parse(stdout) as { rows: Row[] }).rows;
}
function statusOf(rows: readonly Row[], id: string): string | undefined {
  return rows.find((row) => row.id === id)?.status;
}

test('the doctor reports no problem of an official server without modern revisions', async () => {
  const run = await tenon(['doctor', ...everything]);
  assert.equal(run.code, 0, run.stderr);
  const rows = rowsIn(run.stdout);
  assert.deepEqual(
    rows.map(({ id, status }) => `${id} ${status}`),
    ['spawn pass', 'stdout pass', 'modern skip', 'legacy pass', 'lists pass'],
  );
});

test('a command needs no -- where it has no options of its own', async () => {
  const run = await tenon(['doctor', ...everything.slice(1)]);
  assert.equal(run.code, 0, run.stderr);
  assert.equal(statusOf(rowsIn(run.stdout), 'lists'), 'pass');
});

test('the doctor reports the exit code of a server and its last output', async () => {
  const run = await tenon([
    'doctor',
    '--',
    process.execPath,
    '-e',
    'console.error("DATABASE_URL missing"); process.exit(3)',
  ]);
  assert.equal(run.code, 4);
  assert.match(rowsIn(run.stdout)[0]!.detail!, /exited with code 3; on stderr: DATABASE_URL missing/);
  assert.equal(failureIn(run)['blame'], 'server');
});

function script(source: string): string[] {
  return ['--', process.execPath, '-e', source];
}

test('the doctor shows the error of a crash, not the last line of its print, and all of stderr in the JSON', async () => {
  const crash = script('console.error("starting"); undefined.url');
  const run = await tenon(['doctor', ...crash]);
  assert.equal(run.code, 4);
  assert.match(rowsIn(run.stdout)[0]!.detail!, /exited with code 1; on stderr: TypeError: Cannot read properties/);
  const { stderr } = JSON.parse(run.stdout) as { stderr: string[] };
  assert.equal(stderr[0], 'starting');
  assert.match(stderr.join('\n'), /TypeError: Cannot read[^]*\n {4}at [^]*Node\.js v/);
  const text = await tenon(['doctor', '--text', ...crash]);
  assert.match(text.stdout, /The server wrote \d+ lines to stderr; --json prints them/);
});

test('the doctor shows the stderr of a server that does not respond', async () => {
  const silent = script('console.error("DB down ECONNREFUSED"); process.stdin.resume()');
  const run = await tenon(['doctor', '--timeout', '4000', ...silent]);
  assert.equal(run.code, 7, run.stderr);
  assert.match(rowsIn(run.stdout)[0]!.detail!, /answers nothing; on stderr: DB down ECONNREFUSED/);
  const { findings } = JSON.parse(run.stdout) as { findings: { rule: string; message: string }[] };
  assert.match(findings.find(({ rule }) => rule === 'stderr-only')!.message, /DB down ECONNREFUSED/);
  assert.match(String(failureIn(run)['message']), /did not answer for 4 s\. Its stderr: "DB down ECONNREFUSED"/);
  const checked = await tenon(['check', '--timeout', '4000', ...silent]);
  assert.match(rowsIn(checked.stdout)[0]!.detail!, /DB down ECONNREFUSED/);
});

test('the doctor blames the server for text on stdout', async () => {
  const run = await tenon(['doctor', '--text', ...peer('banner')]);
  assert.match(run.stdout, /✘ stdout is for messages only/);
  assert.match(run.stdout, /error, server: /);
  assert.equal(run.code, 6);
});

test('a server is checked in every revision, message by message', async () => {
  const file = at('check.mcptrace');
  const run = await tenon(['check', '-o', file, ...modern]);
  const rows = rowsIn(run.stdout);
  for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'])
    assert.equal(statusOf(rows, revision), 'pass', run.stdout);
  assert.ok(rows.some(({ group }) => group === 'lint') && rows.some(({ group }) => group === 'wire'));
  assert.equal(run.code, 0, run.stderr);
  assert.match(readFileSync(file, 'utf8'), /^\{"mcptrace":1,/);
});

test('reports are written for CI systems and code hosts', async () => {
  const [junit, sarif] = [at('r.xml'), at('r.sarif')];
  await tenon(['check', '--lint', '--junit', junit, '--sarif', sarif, ...everything]);
  assert.match(readFileSync(junit, 'utf8'), /<testsuite name="[^"]* lint" tests="\d+" failures="0"/);
  assert.equal((JSON.parse(readFileSync(sarif, 'utf8')) as { version: string }).version, '2.1.0');
});

test('something removed since the baseline is a failure', async () => {
  const file = at('base.json');
  const first = await tenon(['check', '--lint', '--baseline', file, ...everything]);
  assert.equal(first.code, 0, first.stderr);
  assert.ok(existsSync(file));
  const surface = JSON.parse(readFileSync(file, 'utf8')) as { tools: { name: string }[] };
  const same = await tenon(['check', '--lint', '--baseline', file, ...everything]);
  assert.equal(statusOf(rowsIn(same.stdout), 'same'), 'pass');
  writeFileSync(
    file,
    JSON.stringify({ ...surface, tools: [...surface.tools, { ...surface.tools[0], name: 'was-here' }] }),
  );
  const less = await tenon(['check', '--lint', '--baseline', file, ...everything]);
  assert.deepEqual([less.code, statusOf(rowsIn(less.stdout), 'breaking')], [9, 'fail']);
  const diff = await tenon(['diff', file, '--fail-on', 'breaking', ...everything]);
  assert.equal(diff.code, 9);
  assert.match(diff.stdout, /was-here/);
  assert.equal((await tenon(['diff', file, ...everything])).code, 0, 'without --fail-on a difference is no failure');
  assert.equal((await tenon(['diff', file, file, '--fail-on', 'any'])).stdout.trim(), '{"changes":[]}');
});

test('an invalid baseline is a usage failure', async () => {
  const file = at('none.json');
  writeFileSync(file, '{"tools":[]}');
  const run = await tenon(['check', '--baseline', file, ...everything]);
  assert.deepEqual([run.code, failureIn(run)['code']], [2, 'bad_baseline']);
});

test('saved calls are run, and differences are reported', async () => {
  const file = at('mcp.test.json');
  const echo = (expected: string): string =>
    JSON.stringify({
      mcptest: 1,
      tests: [
        {
          name: 'echo',
          tool: 'echo',
          arguments: { message: 'hi' },
          expect: { checks: [{ at: '/content/0/text', equals: expected }] },
        },
      ],
    });
  writeFileSync(file, echo('Echo: hi'));
  assert.equal((await tenon(['test', '--file', file, ...everything])).code, 0);
  writeFileSync(file, echo('other'));
  const wrong = await tenon(['test', '--file', file, ...everything]);
  assert.deepEqual([wrong.code, failureIn(wrong)['code']], [9, 'tests_failed']);
  assert.match(wrong.stdout, /is \\"Echo: hi\\", expected \\"other\\"/);
  assert.equal((await tenon(['test', '--update', '--file', file, ...everything])).code, 0);
  assert.equal((await tenon(['test', '--file', file, ...everything])).code, 0);
  writeFileSync(file, '{"mcptest":1,"tests":[{"name":"x"}]}');
  const bad = await tenon(['test', '--file', file, ...everything]);
  assert.deepEqual([bad.code, failureIn(bad)['code']], [2, 'bad_tests']);
});

test('a file of tests can name its server', async () => {
  const file = at('own.test.json');
  const [, command, ...args] = everything;
  writeFileSync(
    file,
    JSON.stringify({ mcptest: 1, server: { command, args }, tests: [{ name: 'pings', method: 'ping' }] }),
  );
  const run = await tenon(['test', '--file', file]);
  assert.equal(run.code, 0, run.stderr);
});

test('an unset variable in a test file is a usage failure', async () => {
  const file = at('variable.test.json');
  const [, command, ...args] = everything;
  const server = { command, args, env: { API_TOKEN: '${TEST_OF_A_TOKEN}' } };
  writeFileSync(file, JSON.stringify({ mcptest: 1, server, tests: [{ name: 'pings', method: 'ping' }] }));
  const without = await tenon(['test', '--file', file]);
  assert.deepEqual([without.code, failureIn(without)['code']], [2, 'bad_tests']);
  assert.match(String(failureIn(without)['message']), /There is no value for \$\{TEST_OF_A_TOKEN\}/);
  const run = await tenon(['test', '--file', file], { env: { TEST_OF_A_TOKEN: 'x' } });
  assert.equal(run.code, 0, run.stderr);
});

test('load measures response times, and fails above the limit', async () => {
  const run = await tenon(['load', 'echo', 'message=hi', '--seconds', '1', ...everything]);
  assert.equal(run.code, 0, run.stderr);
  const { requests, failures, p50, p99 } = JSON.parse(run.stdout) as Record<string, number>;
  assert.ok(requests! > 10 && failures === 0 && p50! <= p99!, run.stdout);
  const failing = await tenon(['load', 'no-such-tool', '--seconds', '1', ...everything]);
  assert.equal(failureIn(failing)['code'], 'no_tool');
});

test('a server is found by its name in a configuration', async () => {
  const file = at('mcp.json');
  const [, command, ...args] = everything;
  writeFileSync(file, JSON.stringify({ mcpServers: { mine: { command, args, env: { GREETING: '${WORD:-hello}' } } } }));
  const run = await tenon(['check', 'mine', '--lint', '--config', file]);
  assert.equal(run.code, 0, run.stderr);
  const none = await tenon(['doctor', 'other', '--config', file, '--', 'x']);
  assert.match(String(failureIn(none)['message']), /no server called other/);
});

test('inspect prints one URL with a code, opens the page only with it, and stops its servers on Ctrl-C', async () => {
  let url = '';
  const run = await tenon(['inspect', '--port', '6391', ...everything], {
    onStderr(stderr, kill) {
      if (stderr.includes('Ctrl-C stops') && url === '') {
        url = 'seen';
        kill('SIGINT');
      }
    },
  });
  const said = JSON.parse(run.stdout) as { url: string; trace: string };
  assert.match(said.url, /^http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{22,}$/);
  assert.ok(!existsSync(said.trace), 'a trace without -o is deleted with the inspector');
  assert.ok([0, 130].includes(run.code ?? -1), `${run.code} ${run.stderr}`);
});

test('inspect without a server opens an empty page', async () => {
  let seen = false;
  const run = await tenon(['inspect', '--no-open', '--port', '0'], {
    onStderr(stderr, kill) {
      if (seen || !stderr.includes('Ctrl-C stops')) return;
      seen = true;
      kill('SIGINT');
    },
  });
  assert.match((JSON.parse(run.stdout) as { url: string }).url, /^http:\/\/127\.0\.0\.1:\d+\/#code=/);
  assert.ok([0, 130].includes(run.code ?? -1), `${run.code} ${run.stderr}`);
});

test('an unset configuration variable is a usage failure, and a file without tests does not pass', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'tenon-config-'));
  after(() => rmSync(cwd, { recursive: true, force: true }));
  const launch = { command: 'node', args: ['x.js'], env: { K: '${NOT_SET_ANYWHERE}' } };
  writeFileSync(join(cwd, 'c.json'), JSON.stringify({ mcpServers: { a: launch } }));
  for (const verb of ['doctor', 'check', 'export']) {
    const outcome = await tenon([verb, 'a', '--config', 'c.json'], { cwd });
    assert.deepEqual([outcome.code, failureIn(outcome)['code']], [2, 'bad_config'], verb);
    assert.match(String(failureIn(outcome)['message']), /NOT_SET_ANYWHERE/);
  }
  writeFileSync(join(cwd, 'mcp.test.json'), '{"mcptest":1,"tests":[]}');
  const outcome = await tenon(['test', '--', 'node', 'x.js'], { cwd });
  assert.deepEqual([outcome.code, failureIn(outcome)['code']], [2, 'bad_tests'], outcome.stderr);
});

test('a server is printed in the format of a host', async () => {
  const cursor = await tenon(['export', '--to', 'cursor', '--env', 'A=b', '--', 'node', 'notes.js', '-x']);
  assert.deepEqual(JSON.parse(cursor.stdout), {
    mcpServers: { notes: { command: 'node', args: ['notes.js', '-x'], env: { A: 'b' } } },
  });
  const passed = await tenon(['export', '--to', 'cursor', '--env', 'MINE', '--env', 'A=b', '--', 'node', 'x.js'], {
    env: { MINE: 'is passed on' },
  });
  assert.deepEqual(JSON.parse(passed.stdout), {
    mcpServers: { x: { command: 'node', args: ['x.js'], env: { MINE: 'is passed on', A: 'b' } } },
  });
  const vscode = JSON.parse((await tenon(['export', '--to', 'vscode', 'https://example.com/mcp'])).stdout) as Json;
  assert.equal(((vscode['servers'] as Json)['example-com'] as Json)['url'], 'https://example.com/mcp');
  for (const to of ['claude', 'mcp.json', 'goose'])
    assert.match((await tenon(['export', '--to', to, '--', 'node', 'notes.js'])).stdout, /notes\.js/, to);
  const unknown = await tenon(['export', '--to', 'emacs', '--', 'node', 'x.js']);
  assert.deepEqual([unknown.code, unknown.stdout], [2, '']);
});

test('the valid part of a configuration on the command line is used, and the rest is reported', async () => {
  const good = { command: process.execPath, args: ['-e', 'process.stdin.resume()'] };
  const text = JSON.stringify({ mcpServers: { good, 'bad one': { command: 7 }, worse: 'npx' } });
  const run = await tenon(['inspect', '--no-open', text], {
    onStderr: (stderr, kill) => {
      if (stderr.includes('Ctrl-C')) kill('SIGINT');
    },
  });
  assert.match(run.stderr + run.stdout, /bad one/);
  assert.match(run.stderr + run.stdout, /worse/);
  const nothing = await tenon(['inspect', '--no-open', JSON.stringify({ mcpServers: { worse: 'npx' } })]);
  assert.equal(nothing.code, 2);
  assert.match(nothing.stderr, /worse/);
});
