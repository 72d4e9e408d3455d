// The parts of `npm run wild` that need no program of others.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { cellText, isExpected, NONE, ok, red } from './cell.ts';
import { CLIENTS } from './clients.ts';
import { EXAMPLE, exampleOf, withExample } from './example.ts';
import { outcome } from './hosts.ts';
import { filled } from './page.ts';
import { run, withHome } from './programs.ts';
import { pythonVersion } from './python.ts';
import { SERVERS } from './servers.ts';
import { failedRows, verdict } from './verbs.ts';

function checked(code: number, rows: readonly object[], err = ''): Parameters<typeof verdict>[0] {
  return { code, out: JSON.stringify({ rows }), err };
}
const error = { rule: 'lists', severity: 'error' };

test('what is not ok has to be expected, and what is expected to be red may not be ok', () => {
  assert.equal(isExpected(ok('9 tools'), undefined), true);
  assert.equal(isExpected(NONE, undefined), true);
  assert.equal(isExpected(red('lists (server)'), undefined), false);
  assert.equal(isExpected({ mark: 'unknown', text: 'lists' }, undefined), false);
  assert.equal(isExpected(red('lists (server)'), /^red: lists/), true);
  assert.equal(isExpected(ok(), /^red: lists/), false);
});

test('a verdict names the steps that failed and the sides; it is unknown only if no step names a side', () => {
  assert.equal(cellText(verdict(checked(0, [{ id: 'lint', status: 'pass', findings: [] }]))), 'ok');
  const server = { id: 'lists', status: 'fail', findings: [{ ...error, blame: 'server' }] };
  const unknown = { id: 'era', status: 'fail', findings: [{ ...error, blame: 'unknown' }] };
  assert.equal(cellText(verdict(checked(9, [server, unknown]))), 'red: lists (server), era (unknown)');
  assert.equal(cellText(verdict(checked(9, [unknown]))), 'unknown: era (unknown)');
  assert.equal(cellText(verdict(checked(9, [{ id: 'any', status: 'fail', findings: [] }]))), 'unknown: any');
  const named = JSON.stringify({ error: { code: 'not_healthy', exit: 9, message: 'no', blame: 'server' } });
  const step = { id: 'lists', status: 'fail', findings: [] };
  assert.equal(cellText(verdict(checked(9, [step], named))), 'red: lists (server)');
  assert.deepEqual(failedRows({ code: 4, out: '', err: '' }), []);
});

test('a verb that fails is shown with its exit code, the side and the message', () => {
  const failure = { error: { code: 'server_exited', exit: 4, message: 'it exited', blame: 'server' } };
  assert.equal(
    cellText(verdict({ code: 4, out: '', err: `warning\n${JSON.stringify(failure)}\n` })),
    'red: 4 server, it exited',
  );
});

test('a matrix stands between its markers, and the others on the page stay', () => {
  const page = 'a\n<!-- wild: servers -->\nold\n<!-- /wild -->\nb\n<!-- wild: clients -->\nkept\n<!-- /wild -->\n';
  const after = filled(page, new Map([['servers', 'new']]));
  assert.equal(after, page.replace('old\n', '\nnew\n\n'));
  assert.throws(() => filled(page, new Map([['other', '']])), /no marker for other/);
});

test('a program that hangs is stopped, and its home is removed', async () => {
  const { ended, home } = await withHome(async (home) => ({
    home,
    ended: await run([process.execPath, '-e', 'console.log(process.env.HOME); setInterval(() => {}, 1000)'], {
      home,
      limit: 1500,
    }),
  }));
  assert.equal(ended.code, 'stopped');
  assert.equal(existsSync(home), false);
});

test('each server has a name of its own, and whatever is expected of it a reason', () => {
  assert.equal(new Set(SERVERS.map(({ name }) => name)).size, SERVERS.length);
  assert.deepEqual(
    SERVERS.filter(({ expected, because }) => (expected === undefined) !== (because === undefined)),
    [],
  );
});

test('each program in Python is pinned in its environment, and so are all packages there', () => {
  const programs = [...SERVERS, ...CLIENTS].filter(({ python }) => python !== undefined);
  assert.equal(programs.length, 4);
  for (const { python, package: name } of programs) assert.match(pythonVersion(python!, name), /^\d+(?:\.\d+)+$/);
  const folder = join(import.meta.dirname, 'python');
  for (const file of readdirSync(folder).filter((each) => each.endsWith('.txt')))
    for (const line of readFileSync(join(folder, file), 'utf8').trim().split('\n'))
      assert.match(line, /^[\w.-]+==[\w.]+$/);
  assert.throws(() => pythonVersion('official', 'numpy'), /official\.txt does not pin numpy/);
});

test("the clients are tried with README's first program and its call, saved in the clone for that time", async () => {
  const { name, tool, args, answer } = EXAMPLE;
  assert.deepEqual([name, tool, args, answer], ['math', 'add', { a: 1, b: 2 }, '1 + 2 = 3']);
  const path = await withExample((path) => {
    assert.match(readFileSync(path, 'utf8'), /^import \{ server, tool \} from 'tenon';/);
    return Promise.resolve(path);
  });
  assert.equal(existsSync(path), false);
  assert.throws(() => exampleOf('```ts math.ts\n```\n'), /does not begin with a server and a call/);
});

test('a host is right only if the tool was offered, its answer came back, and the host ended well and printed it', () => {
  const answer = '1 + 2 = 3';
  const ended = { code: 0, out: answer, err: '' };
  const seen = { tool: 'listed', result: answer } as const;
  assert.equal(cellText(outcome(ended, seen)), 'ok: listed, called');
  assert.match(cellText(outcome(ended, {})), /^red: the tool was not offered/);
  assert.match(cellText(outcome(ended, { tool: 'listed' })), /^red: the model got nothing/);
  assert.match(cellText(outcome(ended, { ...seen, result: 'not allowed' })), /^red: the model got not allowed/);
  assert.match(cellText(outcome({ ...ended, code: 1 }, seen)), /^red: 1, /);
  assert.match(cellText(outcome({ ...ended, out: '' }, seen)), /^red: 0, /);
});
