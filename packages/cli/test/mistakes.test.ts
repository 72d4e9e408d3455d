// Common mistakes on the command line: the message suggests what was probably meant.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { failureIn, fixture, tenon } from './run-tenon.ts';

const cwd = await mkdtemp(join(tmpdir(), 'tenon-mistakes-'));
after(() => rm(cwd, { recursive: true, force: true }));
const server = { command: process.execPath, args: [fixture('peer.mjs'), 'ok'] };

test('for a command without -- before it, the command line with -- is suggested', async () => {
  for (const [args, meant] of [
    [['list', 'node', 'server.js'], 'tenon list -- node server.js'],
    [['list', 'tools', 'npx', 'x'], 'tenon list tools -- npx x'],
    [['call', 'add', 'a=1', 'node', 'server.js'], 'tenon call add a=1 -- node server.js'],
    [['read', 'a://b', './server'], 'tenon read a://b -- ./server'],
    [['watch', 'tools', 'server.py'], 'tenon watch tools -- python server.py'],
    [['raw', 'ping', 'uvx', 'my server'], 'tenon raw ping -- uvx "my server"'],
  ] as const) {
    const run = await tenon([...args], { cwd });
    const { message, fix } = failureIn(run);
    assert.deepEqual([run.code, message], [2, 'No server is given'], args.join(' '));
    assert.ok(String(fix).endsWith(meant), String(fix));
  }
});

test('for a script in the place of a program, the two ways to serve it are suggested', async () => {
  const script = join(cwd, 'exports.mjs');
  await writeFile(script, 'export default 1;');
  const meant = '-- node exports.mjs, or -- tenon run exports.mjs if it exports the server';
  for (const [args, fix] of [
    [['list', 'exports.mjs'], `The command that starts it goes after --: tenon list ${meant}`],
    [['list', '--', 'exports.mjs'], `Write ${meant}`],
    [['doctor', 'exports.mjs'], `Write ${meant}`],
    [['list', '--', 'exports.mjs', '--x'], 'Write -- node exports.mjs --x'],
  ] as const) {
    const run = await tenon([...args], { cwd });
    assert.deepEqual([run.code, failureIn(run)['fix']], [2, fix], args.join(' '));
  }
  for (const verb of ['list', 'doctor']) {
    const ended = await tenon([verb, '--', process.execPath, script], { cwd });
    assert.deepEqual([ended.code, /tenon run <file>/.test(String(failureIn(ended)['fix']))], [4, true], ended.stderr);
  }
  const misspelled = failureIn(await tenon(['run', 'exprots.mjs'], { cwd }));
  assert.equal(misspelled['fix'], 'Did you mean exports.mjs?');
  assert.match(
    String(failureIn(await tenon(['run', 'other/server.ts'], { cwd }))['fix']),
    /^Its path is .*server\.ts$/,
  );
});

test('for an option, a host or a verb of another name, the one of this command is suggested', async () => {
  for (const [args, fix] of [
    [['run', 'server.ts', '--port', '3000'], /^Did you mean --http\?$/],
    [['config', 'add', 'x', '--host', 'claude', '--', 'node'], /^Did you mean claude-desktop\? --host is one of /],
    [['add', 'a=1', '--', 'node', 'server.js'], /^To call the tool add: tenon call add a=1 …$/],
    [['login', 'localhost:3000/mcp'], /^Write http:\/\/localhost:3000\/mcp$/],
  ] as const)
    assert.match(String(failureIn(await tenon([...args], { cwd }))['fix']), fix);
});

test('a path in the configuration of a host that only this folder makes valid causes a warning', async () => {
  await writeFile(join(cwd, 'relative.mjs'), '');
  const add = (...words: string[]) => {
    const options = ['--host', 'cursor', '--file', join(cwd, 'hosts.json'), '--replace', '--text'];
    return tenon(['config', 'add', 'x', ...options, '--', ...words], { cwd });
  };
  assert.match((await add('node', 'relative.mjs')).stderr, /write \S+relative\.mjs instead of relative\.mjs/);
  assert.doesNotMatch((await add('node', join(cwd, 'relative.mjs'))).stderr, /instead of/);
});

test('for a URL without a scheme, the URL with a scheme is suggested', async () => {
  for (const [args, meant] of [
    [['list', 'localhost:3000/mcp'], 'http://localhost:3000/mcp'],
    [['call', 'add', '127.0.0.1:3000/mcp'], 'http://127.0.0.1:3000/mcp'],
    [['list', '--', 'localhost:3000/mcp'], 'http://localhost:3000/mcp'],
    [['doctor', '[::1]:80/'], 'http://[::1]:80/'],
    [['doctor', 'mcp.example.com/mcp'], 'https://mcp.example.com/mcp'],
    [['check', '--', 'example.com:8080'], 'http://example.com:8080'],
  ] as const) {
    const run = await tenon([...args], { cwd });
    assert.deepEqual([run.code, failureIn(run)['fix']], [2, `Write ${meant}`], args.join(' '));
  }
});

test('for a server without a verb, a verb is suggested', async () => {
  for (const [args, meant] of [
    [['http://localhost:3000/mcp'], /tenon inspect http:\/\/localhost:3000\/mcp/],
    [['node', 'server.js'], /tenon inspect -- node server\.js/],
    [['npx', 'x'], /tenon inspect -- npx x/],
    [['lst'], /Did you mean list/],
  ] as const)
    assert.match(String(failureIn(await tenon([...args], { cwd }))['fix']), meant);
});

test('help is also a verb, and an empty command line prints help for a person and an error for a program', async () => {
  const all = await tenon(['--help'], { cwd });
  assert.deepEqual(await tenon(['help'], { cwd }), all);
  const call = await tenon(['call', '--help'], { cwd });
  assert.deepEqual(await tenon(['help', 'call'], { cwd }), call);
  assert.match(call.stdout, /name=text/);
  assert.match(String(failureIn(await tenon(['help', 'cal'], { cwd }))['fix']), /Did you mean call/);
  const nothing = await tenon([], { cwd });
  assert.equal(nothing.code, 2);
  assert.match(String(failureIn(nothing)['message']), /Which verb/);
});

test('an argument that the tool does not have is reported, and sent nevertheless', async () => {
  const peer = ['--', process.execPath, fixture('peer.mjs'), 'ok'];
  const { stdout } = await tenon(['list', 'tools', ...peer], { cwd });
  const { tools } = JSON.parse(stdout) as { tools: { name: string; inputSchema: { properties?: object } }[] };
  const [{ name, inputSchema }] = tools as [{ name: string; inputSchema: { properties?: object } }];
  const run = await tenon(['call', name, 'zzz=3', ...peer], { cwd });
  const known = Object.keys(inputSchema.properties ?? {});
  assert.match(
    run.stderr,
    new RegExp(`${name} has no argument zzz: it has ${known.length === 0 ? 'none' : known.join(', ')}`),
  );
  assert.notEqual(run.code, 2);
});

test('verbs that talk to a server take it from a configuration, by name or as the only one', async () => {
  const one = join(cwd, 'one.json');
  const two = join(cwd, 'two.json');
  await writeFile(one, JSON.stringify({ mcpServers: { peer: server } }));
  await writeFile(
    two,
    JSON.stringify({
      mcpServers: { peer: server, other: server, off: { ...server, disabled: true }, bad: { url: 1 } },
    }),
  );
  const expected = await tenon(['list', 'tools', '--', server.command, ...server.args], { cwd });
  for (const args of [
    ['list', 'tools', '--config', one],
    ['list', 'tools', 'peer', '--config', one],
    ['list', 'tools', '--config', two, 'other'],
  ])
    assert.equal((await tenon(args, { cwd })).stdout, expected.stdout, args.join(' '));
  await writeFile(join(cwd, '.mcp.json'), JSON.stringify({ mcpServers: { near: server } }));
  assert.equal((await tenon(['list', 'tools', 'near'], { cwd })).stdout, expected.stdout);
  await rm(join(cwd, '.mcp.json'));
  for (const [args, message] of [
    [['list', '--config', two], /Which server of --config/],
    [['list', 'off', '--config', two], /off cannot be used: it is turned off .*mcpServers\.off\.disabled/],
    [['list', 'bad', '--config', two], /bad cannot be used: .*"url" is a number/],
    [['list', '--config', join(cwd, 'missing.json')], /does not exist/],
    [['list', 'peer', '--config', one, '--env', 'A=b'], /--env is for servers of the command line/],
  ] as const) {
    const run = await tenon([...args], { cwd });
    assert.deepEqual([run.code, message.test(String(failureIn(run)['message']))], [2, true], run.stderr);
  }
  const called = await tenon(['raw', 'ping', 'peer', '--config', two], { cwd });
  assert.equal(called.code, 0, called.stderr);
});

test('for a misspelled word, the probable one is suggested', async () => {
  await writeFile(join(cwd, '.mcp.json'), JSON.stringify({ mcpServers: { weather: server } }));
  for (const [args, message, fix] of [
    [['helpp'], /no verb helpp/, /^Did you mean help\?$/],
    [['ls', '--', 'node'], /no verb ls/, /^Did you mean list\?$/],
    [['tools', '--', 'node'], /no verb tools/, /^Did you mean list tools\?$/],
    [['version'], /no verb version/, /^Did you mean --version\?$/],
    [['-v'], /no option -v/, /^Did you mean --version\?$/],
    [['list', 'prompt', '--', 'node'], /no list of prompt/, /^Did you mean prompts\?$/],
    [['list', 'wether'], /neither a list nor a server called wether/, /^Did you mean weather\?$/],
    [['list', 'xyzzy'], /neither a list nor a server/, /Servers of the configuration are weather\.$/],
    [['run', 'evrything'], /neither a file nor a server/, /^Did you mean everything\?$/],
    [['replay'], /Which trace/, /tenon replay \S+ --/],
    [['config', 'add'], /name of the server is missing/, /^tenon config add /],
    [['call', 'echo'], /No server is given/, /tenon call echo -- node server\.js$/],
  ] as const) {
    const run = await tenon([...args], { cwd });
    const { message: said, fix: mended } = failureIn(run);
    assert.equal(run.code, 2, run.stderr);
    assert.match(String(said), message);
    assert.match(String(mended), fix);
  }
  await rm(join(cwd, '.mcp.json'));
});

test('a command in one word is shown as several words, and another kind of URL is explained', async () => {
  for (const args of [
    ['list', 'node server.js'],
    ['list', '--', 'node server.js'],
    ['doctor', 'node server.js'],
    ['inspect', 'node server.js'],
  ]) {
    const run = await tenon(args, { cwd });
    assert.equal(run.code, 2, run.stderr);
    assert.match(String(failureIn(run)['fix']), /-- node server\.js$/);
  }
  for (const args of [
    ['list', 'htp://x/mcp'],
    ['doctor', 'ws://x/mcp'],
    ['call', 'a', '--', 'ftp://x'],
  ]) {
    const run = await tenon(args, { cwd });
    assert.match(String(failureIn(run)['message']), /is not the URL of a server$/);
    assert.match(String(failureIn(run)['fix']), /http:\/\/ or https:\/\//);
  }
});

test('arguments in another form are shown in the form of this command', async () => {
  const peer = ['--', process.execPath, fixture('peer.mjs'), 'ok'];
  const json = failureIn(await tenon(['call', 'echo', '{"message":"hi"}', ...peer], { cwd }));
  assert.match(String(json['fix']), /--args '\{"message":"hi"\}'$/);
  const dashed = failureIn(await tenon(['call', 'echo', '--message', 'hi', ...peer], { cwd }));
  assert.match(String(dashed['fix']), /no dashes: message=text/);
});

test('for an unreachable server and a missing item, the next step is suggested', async () => {
  const run = await tenon(['list', 'http://127.0.0.1:1/mcp'], { cwd });
  assert.equal(run.code, 4);
  assert.match(String(failureIn(run)['fix']), /^Nothing listens there/);
  const peer = ['--', process.execPath, fixture('peer.mjs'), 'ok'];
  for (const [args, list] of [
    [['read', 'nope://x'], /tenon list resources/],
    [['prompt', 'nope'], /tenon list prompts/],
  ] as const) {
    const failure = failureIn(await tenon([...args, ...peer], { cwd }));
    if (failure['code'] === 'rpc_error') assert.match(String(failure['fix']), list);
  }
});
