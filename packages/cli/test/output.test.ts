// Every verb that connects to a server writes a trace to the file of --output.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { openTrace } from '@tenon/inspector/trace';
import { server, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { EVERYTHING } from './chat-terminal.ts';
import { failureIn, tenon } from './run-tenon.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-output-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const SERVER = ['--', process.execPath, EVERYTHING];

/** The messages of a trace in order: sender and method. */
async function saidIn(file: string) {
  const trace = await openTrace(file);
  await trace.indexed;
  const all = trace.index.all.map(({ session, kind, from, method }) => ({ session, kind, from, method }));
  await trace.close();
  return all;
}

test('a call is recorded unchanged with the end of the process, in a file that only its owner can read', async () => {
  const file = join(folder, 'call.mcptrace');
  const { code, stderr } = await tenon(['call', 'echo', 'message=Hi', '-o', file, ...SERVER]);
  assert.equal(code, 0, stderr);
  const said = await saidIn(file);
  assert.deepEqual(
    said.filter(({ from, method }) => from === 'client' && method !== undefined).map(({ method }) => method),
    ['server/discover', 'tools/list', 'tools/call'],
  );
  assert.deepEqual([said[0]?.session, said.at(-1)?.kind], ['server-everything', 'exit']);
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('secrets for a server at a URL are not in the trace', async (t) => {
  const app = server({ name: 'far', version: '1.0.0', tools: { key: tool({}, () => 'you said hunter2hunter2') } });
  const served = await serveHttp(app, { port: 0, signals: false });
  t.after(() => served.close());
  const file = join(folder, 'far.mcptrace');
  const headers = ['--header', 'X-Whatever: hunter2hunter2'];
  const { code, stderr } = await tenon(['call', 'key', '-o', file, ...headers, `${served.url}?k=s3cr3ts3cr3t`]);
  assert.equal(code, 0, stderr);
  const text = readFileSync(file, 'utf8');
  assert.match(text, /"transport":"http"/);
  assert.match(text, /tools\/call/);
  assert.doesNotMatch(text, /hunter2|s3cr3t/);
});

test('a trace is never overwritten, and the server is not started', async () => {
  const file = join(folder, 'there.mcptrace');
  writeFileSync(file, 'mine');
  const outcome = await tenon(['list', 'tools', '-o', file, ...SERVER]);
  assert.equal(outcome.code, 2);
  assert.match(String(failureIn(outcome)['message']), /already exists/);
  assert.equal(readFileSync(file, 'utf8'), 'mine');
});

test('the traffic with all servers of a chat is recorded', async () => {
  const file = join(folder, 'chat.mcptrace');
  const launch = { command: process.execPath, args: [EVERYTHING] };
  writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { one: launch, two: launch } }));
  writeFileSync(join(folder, 'answers.json'), '{"approve":{"start:*":"once","two/echo":"once"}}');
  const { code, stderr } = await tenon(
    [
      'chat',
      ...['--model', 'demo', '--config', 'mcp.json', '--answers', 'answers.json', '-o', file],
      'call two__echo {"message":"Hi"}',
    ],
    { cwd: folder, env: { ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '', OPENAI_BASE_URL: '', XDG_STATE_HOME: folder } },
  );
  assert.equal(code, 0, stderr);
  const said = await saidIn(file);
  assert.deepEqual([...new Set(said.map(({ session }) => session))].toSorted(), ['one', 'two']);
  const calls = said.filter(({ from, method }) => from === 'client' && method === 'tools/call');
  assert.deepEqual(
    calls.map(({ session }) => session),
    ['two'],
  );
});
