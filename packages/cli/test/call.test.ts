// The typed arguments are sent, and the response is printed, without changes.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { failureIn, fixture, peer, tenon, textIn } from './run-tenon.ts';

const oldNode = join(dirname(fileURLToPath(import.meta.url)), '../../../node_modules/node20-linux-x64/bin/node');
const noOldNode = !existsSync(oldNode) && 'npm has that Node for Linux on x64 only';

/** The arguments as they were sent. */
async function onTheWire(...words: string[]): Promise<string> {
  const run = await tenon(['call', 'line', ...words, ...peer('ok')]);
  assert.equal(run.code, 0, run.stderr);
  const found = /"arguments":(\{.*\}),"_meta"/.exec(textIn(run));
  assert.ok(found, textIn(run));
  return found[1]!;
}

test('arguments are sent with the types of the schema and their exact values', async () => {
  assert.equal(
    await onTheWire(
      's=true',
      'a=9007199254740993',
      'i=12345678901234567890',
      'b=false',
      'n=7',
      'o={"x":0.10000000000000000001}',
      'l=["1",2]',
      'other=5',
    ),
    '{"s":"true","a":9007199254740993,"i":12345678901234567890,"b":false,"n":7,"o":{"x":0.10000000000000000001},"l":["1",2],"other":"5"}',
  );
  assert.equal(
    await onTheWire('a:="x"', 'n:=null', '__proto__:={"i":9007199254740993}'),
    '{"a":"x","n":null,"__proto__":{"i":9007199254740993}}',
  );
  assert.equal(await onTheWire('--args', '{"i":9007199254740993}', 's=x=y'), '{"i":9007199254740993,"s":"x=y"}');
});

test('a number too big for JavaScript survives in every revision', async () => {
  for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
    assert.equal(await onTheWire('i=9007199254740993', '--revision', revision), '{"i":9007199254740993}');
  }
  const server = ['--', process.execPath, fixture('../../dist/tenon.js'), 'run', fixture('modern.ts')];
  const run = await tenon([
    'call',
    'add',
    'a=9007199254740993',
    'b=1',
    '--revision',
    '2026-07-28',
    '--trace',
    ...server,
  ]);
  assert.match(run.stderr, /→ .*"arguments":\{"a":9007199254740993,"b":1\}/);
});

test('a value that cannot be converted is exit code 2, and nothing is called', async () => {
  for (const word of ['a=x', 'i=1.5', 'b=yes', 'l={}']) {
    const run = await tenon(['call', 'line', word, '--trace', ...peer('ok')]);
    assert.deepEqual(
      [run.code, run.stdout, failureIn(run)['code'], failureIn(run)['blame']],
      [2, '', 'bad_argument', 'you'],
    );
    assert.doesNotMatch(run.stderr, /tools\/call/);
  }
});

test('command line errors are reported before a server is started', async () => {
  const lines: [string[], RegExp][] = [
    [['call', ...peer('ok')], /Which tool/],
    [['call', 'line', 'x', ...peer('ok')], /'x' is not an argument/],
    [['call', 'line', 'a:=x', ...peer('ok')], /a is not JSON/],
    [['call', 'line', '--args', '[]', ...peer('ok')], /--args must be a JSON object/],
    [['call', 'line'], /No server is given/],
    [['list', 'everything', ...peer('ok')], /no list of everything/],
    [['lst', ...peer('ok')], /no verb lst/],
    [[], /Which verb/],
    [['read', ...peer('ok')], /Which resource/],
    [['raw', ...peer('ok')], /Which method/],
    [['raw', 'ping', '5', ...peer('ok')], /params must be a JSON object/],
    [['list', '--revision', '2020-01-01', ...peer('ok')], /does not support revision/],
    [['list', '--json', '--text', ...peer('ok')], /cannot be combined/],
    [['list', '--frame', 'x', ...peer('ok')], /list has no option --frame/],
    [['list', '--timeout', 'soon', ...peer('ok')], /positive whole number/],
    [['list', '--log-level', 'loud', ...peer('ok')], /log level/],
    [['list', '--cwd', '/does/not/exist', ...peer('ok')], /does not exist/],
    [['list', '--env', '=x', ...peer('ok')], /has no variable name/],
    [['list', '--env', 'NO_SUCH_VARIABLE_HERE', ...peer('ok')], /is not set/],
    [['list', '--answers', '/does/not/exist.json', ...peer('ok')], /Cannot read/],
    [['raw', '--frame', 'x', '--', 'https://example.com/mcp'], /not a URL/],
  ];
  for (const [args, message] of lines) {
    const run = await tenon(args);
    assert.deepEqual([run.code, run.stdout], [2, ''], args.join(' '));
    assert.match(String(failureIn(run)['message']), message);
    assert.equal(run.stderr.trimEnd().split('\n').length, 1, 'one line');
  }
});

test('a result is printed as the server wrote it', async () => {
  const run = await tenon(['call', 'args', ...peer('numbers')]);
  assert.equal(run.stdout, '{"content":[],"structuredContent":{"id":9007199254740993,"rate":1.10}}\n');
  const list = await tenon(['list', 'tools', ...peer('numbers')]);
  assert.match(list.stdout, /"maximum":9223372036854775807/);
});

test('nothing after -- is parsed as an option', async () => {
  const run = await tenon([
    'call',
    'args',
    '--json',
    ...peer('ok', '-e', '--json', '--timeout', '--', 'A=1', '$HOME', '*'),
  ]);
  assert.equal(textIn(run), '["ok","-e","--json","--timeout","--","A=1","$HOME","*"]');
  const code = `import(${JSON.stringify(fixture('peer.mjs'))})`;
  const eval_ = await tenon(['list', 'tools', '--', process.execPath, '-e', code, 'ok']);
  assert.equal(eval_.code, 0, eval_.stderr);
  assert.equal((JSON.parse(eval_.stdout) as { tools: unknown[] }).tools.length, 4);
});

test("the server's environment is what was given plus a short list", async () => {
  const code = `process.stderr.write(JSON.stringify([process.env.ONE, process.env.TWO, process.env.SECRET_OF_MINE, process.cwd()]));process.exit(9)`;
  const run = await tenon(
    ['list', '--env', 'ONE=a=b', '--env', 'TWO', '--cwd', '/', '--', process.execPath, '-e', code],
    {
      env: { TWO: 'two', SECRET_OF_MINE: 'x' },
    },
  );
  assert.equal(failureIn(run)['stderr'], '["a=b","two",null,"/"]');
});

test('progress is shown while a call runs', async () => {
  const run = await tenon(['call', 'args', ...peer('progress')]);
  assert.equal(run.stderr, 'progress 1/3 step 1\nprogress 2/3 step 2\nprogress 3/3 step 3\n');
});

test('--text prints text', async () => {
  assert.equal(
    (await tenon(['call', 'measure', '--text', ...peer('bad-output')])).stdout,
    '{\n  "celsius": "warm"\n}\n21\n',
  );
  const list = await tenon(['list', 'tools', '--text', ...peer('escapes')]);
  assert.match(list.stdout, /line\(a\?: number, i\?: integer/);
  assert.doesNotMatch(list.stdout, /\u001b/);
});

test('on the oldest Node a number that it would change is rejected', { skip: noOldNode }, async () => {
  const refused = await tenon(['call', 'line', 'i=9007199254740993', ...peer('ok')], { node: oldNode });
  assert.deepEqual([refused.code, failureIn(refused)['code']], [2, 'inexact_number']);
  const sent = await tenon(['call', 'line', 'i=9007199254740991', 'a=1.50', ...peer('ok')], { node: oldNode });
  assert.match(textIn(sent), /"arguments":\{"i":9007199254740991,"a":1.5\}/);
  const shown = await tenon(['call', 'args', ...peer('numbers')], { node: oldNode });
  assert.match(shown.stdout, /9007199254740993/);
});
