import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { EVERYTHING, folder } from './chat-terminal.ts';
import { failureIn, type Outcome, tenon } from './run-tenon.ts';

const SERVER = ['--', process.execPath, EVERYTHING];
const NO_KEYS = { ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '', OPENAI_BASE_URL: '' };

type Event = Readonly<Record<string, unknown>>;
function eventsIn({ stdout }: Outcome): Event[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Event);
}

function run(args: readonly string[], cwd: string, input?: string): Promise<Outcome> {
  return tenon(['chat', ...args], {
    cwd,
    env: { ...NO_KEYS, XDG_STATE_HOME: join(cwd, 'state') },
    input,
  });
}

test('without a terminal it sends the given messages and prints one event per line', async () => {
  const cwd = folder({ 'answers.json': { approve: { 'server/echo': 'once' } } });
  const outcome = await run(
    ['--model', 'demo', '--json', '--answers', 'answers.json', 'call echo {"message":"Hi"}', ...SERVER],
    cwd,
  );
  assert.equal(outcome.code, 0, outcome.stderr);
  const events = eventsIn(outcome);
  const found = (type: string): Event => events.find((event) => event['type'] === type)!;
  assert.deepEqual([found('chat')['model'], found('chat')['script']], ['demo', true]);
  assert.equal(found('called')['revision'], '2026-07-28');
  assert.match(JSON.stringify(found('result')), /Echo: Hi/);
  assert.equal(found('end')['end'], 'done');
  assert.match(
    JSON.stringify(events.filter(({ type }) => type === 'decided')),
    /allowed by the person: by the file of --answers/,
  );
});

test('requests without an answer are denied, and stderr says what to add', async () => {
  const outcome = await run(['--model', 'demo', '--text', 'call echo {"message":"Hi"}', ...SERVER], folder());
  assert.equal(outcome.code, 0);
  assert.match(outcome.stdout, /^The tool returned:\nserver__echo was not called/);
  assert.ok(outcome.stderr.includes('{"approve":{"server/echo":"once"}}'), outcome.stderr);
});

test('lines of stdin are sent one after the other, questions are answered from the file, and the conversation continues', async () => {
  const cwd = folder({
    'answers.json': {
      approve: { 'server/*': 'session', 'sample:server': 'once' },
      questions: { form: { name: 'Ann' } },
    },
  });
  const said = 'call trigger-elicitation-request {}\n\ncall trigger-sampling-request {"prompt":"x"}\n';
  const first = await run(['--model', 'demo', '--text', '--answers', 'answers.json', ...SERVER], cwd, said);
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stdout, /"name": "Ann"/);
  assert.match(first.stdout, /I am a script/);
  const second = await run(['--model', 'demo', '--json', '--resume', 'last', 'tools', ...SERVER], cwd);
  const sessions = [first, second].map(({ stdout }) => stdout);
  assert.match(sessions[1]!, /There are 22 tools|tools/);
  const id = String(eventsIn(second)[1]!['session'] ?? eventsIn(second)[0]!['session']);
  const kept = JSON.parse(readFileSync(join(cwd, 'state/tenon/sessions', `${id}.json`), 'utf8')) as {
    messages: unknown[];
  };
  assert.ok(kept.messages.length > 4, String(kept.messages.length));
  const named = await run(['--model', 'demo', '--json', '--resume', id, 'again', ...SERVER], cwd);
  assert.equal(named.code, 0);
  assert.ok(named.stdout.includes(id));
});

test('without a key it ends with code 2 and says what to set', async () => {
  const outcome = await run(['hello', ...SERVER], folder());
  assert.equal(outcome.code, 2);
  const { code, message, fix } = failureIn(outcome);
  assert.deepEqual([code, message], ['no_model', 'There is no key for a language model']);
  assert.match(String(fix), /ANTHROPIC_API_KEY[^]*--model demo[^]*a script/);
});

test('.mcp.json is found, and its servers need approval; --config is read instead of it', async () => {
  const entry = { command: process.execPath, args: [EVERYTHING] };
  const cwd = folder({
    '.mcp.json': { mcpServers: { found: entry } },
    'mine.json': { mcpServers: { mine: entry, broken: { command: 1 } } },
    'answers.json': { approve: { 'start:mine': 'once' } },
  });
  const found = await run(['--model', 'demo', '--json', 'tools'], cwd);
  assert.match(found.stderr, /start:found was denied/);
  assert.match(found.stdout, /There are no|"tools\./);
  const mine = await run(
    ['--model', 'demo', '--json', '--config', 'mine.json', '--answers', 'answers.json', 'tools'],
    cwd,
  );
  assert.match(mine.stdout, /"alias":"mine","state":"ready"/);
  assert.match(mine.stderr, /broken/);
  assert.doesNotMatch(mine.stdout, /"alias":"found"/);
});

test('invalid arguments are usage failures', async () => {
  const cwd = folder({ 'bad.json': '{', 'answers.json': { approve: { x: 'perhaps' } } });
  for (const [args, wanted] of [
    [['--config', 'missing.json', 'x'], /does not exist/],
    [['--config', 'bad.json', 'x'], /bad\.json/],
    [['--answers', 'answers.json', 'x'], /must be "once"/],
    [['--resume', 'x'], /no conversation to resume/],
    [['--model', 'nothing', 'x'], /is not a model/],
    [['--env', 'A=b', 'x'], /none/],
    [[], /no message to send/],
  ] as const) {
    const outcome = await run(['--model', 'demo', ...args].slice(args[0] === '--model' ? 2 : 0), cwd, '');
    assert.equal(outcome.code, 2, outcome.stderr);
    assert.match(String(failureIn(outcome)['message']), wanted);
  }
});

test('the audit log of a chat is verified, and a change in it is detected', async () => {
  const cwd = folder();
  await run(['--model', 'demo', 'call echo {"message":"x"}', ...SERVER], cwd);
  const log = join(cwd, 'state/tenon/audit.jsonl');
  const good = await tenon(['audit', 'verify', log, '--json']);
  assert.equal(good.code, 0, good.stderr);
  const { ok, entries, head } = JSON.parse(good.stdout) as { ok: boolean; entries: number; head: string };
  assert.ok(ok && entries >= 2);
  assert.equal((await tenon(['audit', 'verify', log, '--head', head])).code, 0);
  const lines = readFileSync(log, 'utf8');
  const denied = lines.split('\n').findIndex((line) => line.includes('ask→deny')) + 1;
  writeFileSync(log, lines.replace('ask→deny', 'ask→allow'));
  const bad = await tenon(['audit', 'verify', log]);
  assert.equal(bad.code, 5);
  assert.deepEqual([failureIn(bad)['code'], failureIn(bad)['evidence']], ['audit_broken', `line ${denied}`]);
  writeFileSync(log, lines.slice(0, -20));
  const cut = failureIn(await tenon(['audit', 'verify', log]));
  assert.deepEqual([cut['code'], cut['evidence']], ['audit_cut_off', `line ${entries}`]);
  assert.match(JSON.stringify(cut), /Nothing before that line was changed.*audit\.jsonl\.torn/);
  assert.doesNotMatch(JSON.stringify(cut), /Find out who/);
  writeFileSync(log, lines.split('\n').slice(0, 1).join('\n') + '\n');
  assert.equal((await tenon(['audit', 'verify', log])).code, 0);
  assert.equal((await tenon(['audit', 'verify', log, '--head', head])).code, 5);
  appendFileSync(log, 'junk');
  assert.equal((await tenon(['audit', 'verify', log])).code, 5);
  for (const args of [['verify'], ['check', log], ['verify', join(cwd, 'none')]])
    assert.equal((await tenon(['audit', ...args])).code, 2);
});

test('a server that is turned off in the configuration is named once, and is not among the servers', async () => {
  const mcpServers = { off: { disabled: true }, on: { command: process.execPath, args: [EVERYTHING] } };
  const cwd = folder({ '.mcp.json': { mcpServers }, 'answers.json': { approve: { 'start:on': 'once' } } });
  const outcome = await run(['--model', 'demo', '--answers', 'answers.json', 'tools'], cwd);
  assert.equal(outcome.code, 0, outcome.stderr);
  assert.equal(outcome.stderr.split('mcpServers.off').length - 1, 1, outcome.stderr);
  assert.match(outcome.stderr, /^off is turned off, by mcpServers\.off\.disabled$/m);
});
