// Every verb, with an official server and one written for these tests.

import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { failureIn, fixture, peer, TENON, tenon, textIn } from './run-tenon.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-'));
after(() => rmSync(folder, { recursive: true, force: true }));
function file(name: string, value: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
  return path;
}

const packageFile = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json');
const everything = ['--', process.execPath, join(dirname(packageFile), 'dist/index.js')];
const modern = ['--', process.execPath, TENON, 'run', fixture('modern.ts')];

type Json = Record<string, unknown>;
function json(text: string): Json {
  return JSON.parse(text) as Json;
}
function names(list: unknown): string[] {
  return (list as { name: string }[]).map(({ name }) => name);
}

test('list shows everything that an official server offers', async () => {
  const run = await tenon(['list', ...everything]);
  assert.equal(run.code, 0, run.stderr);
  const seen = json(run.stdout);
  assert.deepEqual([seen['revision'], seen['era']], ['2025-11-25', 'legacy']);
  assert.equal((seen['server'] as Json)['name'], 'mcp-servers/everything');
  assert.ok('tools' in (seen['capabilities'] as Json));
  assert.ok('tasks' in (seen['capabilities'] as Json), 'also what this client does not use');
  assert.match(String(seen['instructions']), /Everything Server/);
  assert.ok(names(seen['tools']).includes('echo'));
  for (const list of ['tools', 'resources', 'resourceTemplates', 'prompts']) {
    assert.ok((seen[list] as unknown[]).length > 0, list);
    assert.ok(Number((seen['listMs'] as Json)[list]) >= 0, list);
  }
  assert.ok(Number(seen['connectMs']) > 0);
});

test('list prints readable text', async () => {
  const { stdout } = await tenon(['list', '--text', ...modern]);
  assert.match(
    stdout,
    /^modern 1\.0\.0\nrevision {6}2026-07-28 \(modern\), connected in \d+ ms\ncapabilities {2}.*tools/,
  );
  assert.match(stdout, /instructions\n {2}Ask\./);
  assert.match(stdout, /tools \(2, \d+ ms\)\n {2}add\(a: integer, b: integer\) {2}Adds two numbers\n/);
  assert.match(stdout, /resources \(1, \d+ ms\)\n {2}clock:\/\/now {2}clock/);
});

test('list with a name shows only that list', async () => {
  assert.deepEqual(Object.keys(json((await tenon(['list', 'templates', ...everything])).stdout)), [
    'resourceTemplates',
  ]);
  const none = await tenon(['list', 'prompts', ...peer('ok')]);
  assert.deepEqual([none.code, none.stdout], [0, '{"prompts":[]}\n']);
  assert.match(none.stderr, /does not declare prompts/);
});

test('the pages of a list are joined', async () => {
  const [one, all] = [await tenon(['list', 'tools', ...peer('ok')]), await tenon(['list', 'tools', ...peer('pages')])];
  assert.equal(all.stdout, one.stdout);
});

test('a request without a matching server capability is not sent, with a message', async () => {
  for (const args of [
    ['read', 'x://y'],
    ['prompt', 'x'],
    ['complete', 'x', 'a=b'],
    ['watch', 'prompts'],
  ]) {
    const run = await tenon([...args, '--trace', ...peer('ok')]);
    assert.deepEqual([run.code, failureIn(run)['code']], [8, 'not_offered'], args.join(' '));
    assert.doesNotMatch(run.stderr, /→ .*"(resources|prompts|completion|subscriptions)\//);
  }
});

test('every revision can be pinned', async () => {
  for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']) {
    assert.equal(json((await tenon(['list', '--revision', revision, ...modern])).stdout)['revision'], revision);
  }
});

test('read, prompt and complete work against an official server', async () => {
  const read = await tenon(['read', 'demo://resource/static/document/features.md', '--text', ...everything]);
  assert.match(read.stdout, /^# /);
  const prompt = await tenon(['prompt', 'args-prompt', 'city=Oslo', '--text', ...everything]);
  assert.equal(prompt.stdout, "user: What's weather in Oslo?\n");
  const complete = await tenon(['complete', 'completable-prompt', 'department=E', '--text', ...everything]);
  assert.equal(complete.stdout, 'Engineering\n');
  const known = await tenon(['complete', 'completable-prompt', 'name=', 'department=Engineering', ...everything]);
  assert.ok((json(known.stdout)['completion'] as { values: string[] }).values.length > 0);
  const template = await tenon([
    'complete',
    'demo://resource/dynamic/text/{resourceId}',
    'resourceId=1',
    '--text',
    ...everything,
  ]);
  assert.equal(template.stdout, '1\n');
});

test('raw sends any method, and prints the response', async () => {
  assert.equal((await tenon(['raw', 'ping', ...peer('ok')])).stdout, '{}\n');
  const call = await tenon(['raw', 'tools/call', '{"name":"line","arguments":{"x":9007199254740993}}', ...peer('ok')]);
  assert.match(textIn(call), /"x":9007199254740993/);
  const unknown = await tenon(['raw', 'no/such', ...peer('ok')]);
  assert.deepEqual([unknown.code, (failureIn(unknown)['rpc'] as Json)['code']], [8, -32601]);
});

test('raw --frame sends any text, with or without a handshake', async () => {
  const ping = '{"jsonrpc":"2.0","id":"x","method":"ping"}';
  const after = await tenon(['raw', '--frame', ping, '--trace', ...peer('ok')]);
  assert.equal(after.stdout, '{"jsonrpc":"2.0","id":"x","result":{}}\n');
  assert.match(after.stderr, /initialize/);
  const bare = await tenon(['raw', '--bare', '--frame', ping, '--trace', ...peer('ok')]);
  assert.equal(bare.stdout, after.stdout);
  assert.doesNotMatch(bare.stderr, /initialize/);
  // The response to the ping is awaited, however long the server takes to start.
  const garbage = await tenon(['raw', '--bare', '--frame', 'garbage', '--frame', ping, ...modern]);
  const [refusal, pong] = garbage.stdout.trimEnd().split('\n').map(json);
  assert.equal((refusal!['error'] as Json)['code'], -32700);
  assert.equal(pong!['id'], 'x');
  const crash = await tenon(['raw', '--frame', 'garbage', ...peer('ok')]);
  assert.deepEqual([crash.code, failureIn(crash)['code']], [4, 'server_exited']);
  const silent = await tenon(['raw', '--bare', '--frame', ping, '--timeout', '300', ...peer('silent')]);
  assert.deepEqual([silent.code, silent.stdout], [7, '']);
});

test('watch prints a line for each change, in both eras', async () => {
  for (const revision of ['2025-11-25', '2026-07-28']) {
    const run = await tenon(['watch', 'clock://now', '--count', '2', '--revision', revision, ...modern]);
    assert.equal(run.code, 0, run.stderr);
    assert.equal(run.stdout, '{"uri":"clock://now","missed":false}\n'.repeat(2));
  }
});

test('a question is answered from a file, by name, by message or by *', async () => {
  const good = { reason: 'because' };
  for (const [revision, keys] of [
    ['2026-07-28', ['reason', 'Why?', '*']],
    ['2025-11-25', ['reason', 'Why?', '*']],
  ] as const) {
    for (const key of keys) {
      const run = await tenon([
        'call',
        'deploy',
        '--answers',
        file('a.json', { [key]: good }),
        '--revision',
        revision,
        ...modern,
      ]);
      assert.equal(run.code, 0, run.stderr);
      assert.equal(textIn(run), 'Deployed: because');
    }
  }
  const declined = await tenon(['call', 'deploy', '--answers', file('a.json', { '*': 'decline' }), ...modern]);
  assert.equal(declined.code, 5);
});

test('a question without a valid answer is exit code 2', async () => {
  for (const revision of ['2026-07-28', '2025-11-25']) {
    const none = await tenon([
      'call',
      'deploy',
      '--answers',
      file('a.json', { other: {} }),
      '--revision',
      revision,
      ...modern,
    ]);
    assert.deepEqual([none.code, none.stdout, failureIn(none)['code']], [2, '', 'no_answer']);
    const { name, message, schema } = failureIn(none)['question'] as Json;
    assert.deepEqual([name, message, (schema as Json)['type']], ['reason', 'Why?', 'object']);
    const wrong = await tenon([
      'call',
      'deploy',
      '--answers',
      file('b.json', { '*': { reason: 7 } }),
      '--revision',
      revision,
      ...modern,
    ]);
    assert.deepEqual([wrong.code, wrong.stdout, failureIn(wrong)['code']], [2, '', 'bad_answer']);
  }
});

test('features that cannot be answered are not offered, and the failure names what is needed', async () => {
  const run = await tenon(['call', 'deploy', '--trace', ...modern]);
  assert.equal(run.code, 8);
  assert.match(run.stderr, /"io\.modelcontextprotocol\/clientCapabilities":\{\}/);
  assert.match(String(failureIn(run)['fix']), /--answers/);
});

test('tools that need client features are listed once these are offered', async () => {
  const plain = names(json((await tenon(['list', 'tools', ...everything])).stdout)['tools']);
  const offered = ['--answers', file('a.json', { '*': 'decline' }), '--sample', 'Hello', '--roots', folder];
  const all = names(json((await tenon(['list', 'tools', ...offered, ...everything])).stdout)['tools']);
  for (const gated of ['trigger-elicitation-request', 'trigger-sampling-request', 'get-roots-list']) {
    assert.equal(plain.includes(gated), false, gated);
    assert.equal(all.includes(gated), true, gated);
  }
  const sampled = await tenon(['call', 'trigger-sampling-request', 'prompt=x', '--sample', 'Hello', ...everything]);
  assert.match(textIn(sampled), /"text": "Hello"/);
  const roots = await tenon(['call', 'get-roots-list', '--roots', folder, ...everything]);
  assert.ok(textIn(roots).includes(pathToFileURL(folder).href));
});

test('the answer of a scripted form reaches an older server', async () => {
  const answers = file('colour.json', { 'Which colour?': { colour: 'red' } });
  const run = await tenon(['call', 'args', '--answers', answers, ...peer('elicit')]);
  assert.deepEqual(JSON.parse(textIn(run)), { action: 'accept', content: { colour: 'red' } });
});

test('run serves a TypeScript file, and its output goes to stderr', async () => {
  const request =
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\n';
  const run = await tenon(['run', fixture('modern.ts')], { input: request });
  assert.equal(run.code, 0, run.stderr);
  assert.equal((json(run.stdout)['result'] as Json)['protocolVersion'], '2025-11-25');
  assert.match(run.stderr, /printed while the module is loaded/);
});

test('run serves a file with the SDK that the file itself uses', async () => {
  const own = join(folder, 'node_modules/tenon');
  const sdk = dirname(createRequire(TENON).resolve('tenon/package.json'));
  cpSync(join(sdk, 'package.json'), join(own, 'package.json'), { recursive: true });
  cpSync(join(sdk, 'dist'), join(own, 'dist'), { recursive: true });
  const path = file(
    'own.mjs',
    `import { server, tool } from 'tenon';
     export default server({ name: 'own', tools: { where: tool({ input: { type: 'object' } }, () => import.meta.resolve('tenon')) } });`,
  );
  const run = await tenon(['call', 'where', '--', process.execPath, TENON, 'run', path]);
  assert.equal(run.code, 0, run.stderr);
  assert.ok(textIn(run).startsWith(pathToFileURL(realpathSync(own)).href), textIn(run));
});

test('run explains how to fix a file that it cannot serve', async () => {
  const cases: [string, RegExp, RegExp][] = [
    [fixture('no-default.mjs'), /has no default export/, /export default server/],
    [fixture('not-a-server.mjs'), /is not a server/, /export default server/],
    [fixture('throws.mjs'), /The configuration is missing/, /^$/],
    [file('enum.ts', 'enum Colour { Red }\nexport default Colour;\n'), /could not be loaded/, /only removes types/],
    [file('typo.mjs', 'export default server({'), /could not be loaded/, /^$/],
    [join(folder, 'missing.ts'), /There is neither a file/, /^Its path is /],
    [folder, /is not a file/, /^$/],
  ];
  for (const [path, message, fix] of cases) {
    const run = await tenon(['run', path], { input: '' });
    assert.deepEqual([run.code, run.stdout], [2, ''], path);
    assert.match(String(failureIn(run)['message']), message);
    assert.match(String(failureIn(run)['fix'] ?? ''), fix);
  }
  assert.equal((await tenon(['run', '--', 'x'])).code, 2);
});

test('a Node that does not run TypeScript serves a TypeScript file, too, and reports what cannot be removed', async () => {
  // As in Node 20.
  const env = { NODE_OPTIONS: '--no-experimental-strip-types' };
  const run = ['--', process.execPath, TENON, 'run', fixture('modern.ts')];
  const listed = await tenon(['list', 'tools', '--env', 'NODE_OPTIONS', ...run], { env });
  assert.deepEqual([listed.code, listed.stderr], [0, '']);
  const failed = failureIn(await tenon(['run', file('enum.ts', 'enum Colour { Red }\n')], { env, input: '' }));
  assert.match(String(failed['message']), /enum is not supported in strip-only mode at .*enum\.ts:1/);
  assert.match(String(failed['fix']), /only removes types/);
  const broken = failureIn(await tenon(['run', file('broken.ts', '\nlet a =;\n')], { env, input: '' }));
  assert.match(String(broken['message']), /Expression expected at .*broken\.ts:2/);
});

test('help and version are printed on stdout, also of a verb', async () => {
  const help = await tenon(['--help']);
  assert.deepEqual([help.code, help.stderr], [0, '']);
  assert.match(help.stdout, /Exit codes\n {4}0 {2}/);
  assert.match((await tenon(['call', '-h'])).stdout, /^tenon call \[options\] <tool>/);
  assert.match((await tenon(['--version'])).stdout, /^\d+\.\d+\.\d+\n$/);
});
