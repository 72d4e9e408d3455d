import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { entry, folder, run } from './fixtures/run-scripted.ts';

test('a server that crashes at its start and is restarted is reported', async () => {
  const path = folder();
  const { stderr, failure } = await run(path, ['hello', '--', process.execPath, '-e', 'process.exit(3)']);
  assert.equal(failure, undefined);
  assert.match(stderr, /The server 'server' is not available: .*Restarting it\./);
});

test('an answer without a server name is rejected if there are several servers', async () => {
  const path = folder({ 'answers.json': { questions: { seat: 'accept' } } });
  writeFileSync(join(path, 'two.json'), JSON.stringify({ mcpServers: { one: entry(path), two: entry(path) } }));
  const { failure } = await run(path, [
    '--config',
    join(path, 'two.json'),
    '--answers',
    join(path, 'answers.json'),
    'hello',
  ]);
  assert.deepEqual([failure?.exit, failure?.details.blame], [2, 'you']);
  assert.match(String(failure?.message), /"seat" names no server, and there are 2/);
  assert.match(String(failure?.details.fix), /"one\/seat" or "two\/seat"; or for all of them "\*\/seat"/);
});

test('a folder of --state that cannot be used is reported in a sentence, without a stack', async () => {
  const path = folder({ file: '' });
  const { failure } = await run(path, ['--state', join(path, 'file'), 'hello']);
  assert.deepEqual([failure?.exit, failure?.code], [2, 'bad_state']);
  assert.ok(String(failure?.message).startsWith(`The folder ${join(path, 'file')} cannot be used: E`));
  assert.match(String(failure?.details.fix), /--state/);
});

test('a conversation that cannot be saved is reported in a sentence, without a stack', async () => {
  const path = folder();
  mkdirSync(join(path, 'state'));
  writeFileSync(join(path, 'state', 'sessions'), '');
  const { failure, stdout } = await run(path, ['hello']);
  assert.match(stdout, /You said: hello/);
  assert.deepEqual([failure?.exit, failure?.code], [2, 'bad_state']);
});

test('a mentioned resource that cannot be read is reported in a sentence, without a stack', async () => {
  const path = folder();
  const { failure, stdout } = await run(path, ['see @server:small://none']);
  assert.deepEqual([failure?.exit, failure?.code, failure?.details.blame], [8, 'not_provided', 'server']);
  assert.match(String(failure?.message), /^The resource @server:small:\/\/none cannot be read: /);
  assert.equal(stdout, '');
  const gone = await run(path, ['see @server:small://one', '--', process.execPath, '-e', 'process.exit(3)']);
  assert.deepEqual([gone.failure?.exit, gone.failure?.details.blame], [4, 'server']);
  assert.match(String(gone.failure?.message), /cannot be read: The server 'server' is not running/);
});

test('a resource in brackets is attached', async () => {
  const { stdout } = await run(folder(), ['look (@server:small://one)']);
  assert.match(stdout, /Attached: the resource "small:\/\/one"/);
});

test('a prompt of a server is fetched instead of sending the text /prompt to the model', async () => {
  const path = folder();
  const { stdout, failure } = await run(path, [], ['/server__greet who=Ann', '/server__greet Ben']);
  assert.equal(failure, undefined);
  assert.equal(stdout, 'You said: Say hello to Ann.\nYou said: Say hello to Ben.\n');
  const missing = await run(path, ['/server__greet']);
  assert.deepEqual([missing.failure?.exit, missing.stdout], [2, '']);
  assert.match(String(missing.failure?.message), /needs the argument who/);
  const failed = await run(path, ['/server__fail']);
  assert.deepEqual([failed.failure?.exit, failed.failure?.details.blame], [8, 'server']);
  assert.match(String(failed.failure?.message), /^The prompt \/server__fail cannot be used: /);
});

test('an unknown command is not sent to the model', async () => {
  const path = folder();
  for (const [text, wanted] of [
    ['/nothing of the kind', /\/nothing is not a prompt of a server/],
    ['/tools', /\/tools works only in a terminal/],
  ] as const) {
    const { stdout, failure } = await run(path, [text]);
    assert.deepEqual([failure?.exit, stdout], [2, '']);
    assert.match(String(failure?.message), wanted);
    assert.match(String(failure?.details.fix), /There are \/server__greet, \/server__fail\./);
  }
});

test('an empty answer of the model is shown as one', async () => {
  const path = folder();
  const text = await run(path, ['hush']);
  assert.deepEqual([text.failure, text.stdout], [undefined, '']);
  assert.match(text.stderr, /The model gave no answer\./);
  const json = await run(path, ['--json'], ['hush', 'hello']);
  const ends = json.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; empty?: boolean })
    .filter(({ type }) => type === 'end');
  assert.deepEqual(
    ends.map(({ empty }) => empty),
    [true, undefined],
  );
});

test('a warning about a whole configuration names its file', async () => {
  const path = folder({ 'none.json': {} });
  const { stderr } = await run(path, ['--config', join(path, 'none.json'), 'hello']);
  assert.ok(stderr.includes(`tenon: warning: ${join(path, 'none.json')}: There are no servers in it.`), stderr);
});

test('a server that its configuration turns off is reported, with the member that turns it off, and is not started', async () => {
  const path = folder();
  const file = join(path, 'off.json');
  writeFileSync(
    file,
    JSON.stringify({ mcpServers: { on: entry(path), off: { ...(entry(path) as object), disabled: true } } }),
  );
  const { stderr, failure } = await run(path, ['--config', file, 'hello']);
  assert.equal(failure, undefined);
  assert.ok(stderr.includes('off is turned off, by mcpServers.off.disabled\n'), stderr);
  assert.doesNotMatch(stderr, /'off'/);
});

test('--resume with an unknown name is refused', async () => {
  const path = folder();
  await run(path, ['first']);
  const sessions = join(path, 'state', 'sessions');
  const [id] = readdirSync(sessions).map((name) => name.slice(0, -5));
  for (const wrong of ['20200101-000000-abcdef', '20200101', 'nonsense', 'and then?']) {
    const { failure, stdout } = await run(path, ['--resume', wrong]);
    assert.deepEqual([failure?.exit, stdout], [2, ''], wrong);
    assert.equal(failure?.message, `There is no conversation '${wrong}'`);
    assert.ok(String(failure?.details.fix).includes(String(id)));
    assert.ok(String(failure?.details.fix).includes(`--resume last ${JSON.stringify(wrong)}`));
  }
  const said = ['second', 'third', 'fourth'];
  await run(path, ['--resume', id!, said[0]!]);
  await run(path, ['--resume', 'last', said[1]!]);
  const { failure } = await run(path, ['--resume'], [said[2]!]);
  assert.equal(failure, undefined);
  const kept = readFileSync(join(sessions, `${id}.json`), 'utf8');
  for (const text of ['first', ...said]) assert.ok(kept.includes(`"${text}"`), text);
  assert.equal(readdirSync(sessions).length, 1);
});
