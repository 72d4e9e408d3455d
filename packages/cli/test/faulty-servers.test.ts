// What the command says about servers with the faults that their authors make most often.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { failureIn, fixture, tenon } from './run-tenon.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon-faulty-'));
after(() => rmSync(folder, { recursive: true }));

/** The command line of the server with this fault. */
function faulty(fault: string): string[] {
  return ['--', process.execPath, fixture('faulty.mjs'), fault];
}

test('an answer whose id is text, not a number, fails the call at once and blames the server', async () => {
  const run = await tenon(['call', 'scale', 'servings=4', ...faulty('text-id')]);
  const { code, blame, message, fix } = failureIn(run);
  assert.deepEqual([run.code, code, blame], [6, 'protocol_violation', 'server'], run.stderr);
  assert.match(
    String(message),
    /^The server answered tools\/call with the id "(\d+)", but the request has \1: it must send back the number$/,
  );
  assert.equal(fix, 'Keep the id as it came: do not turn numbers into text.');
});

test('of two tools with one name the first counts: for arguments, for results, and in the check of a trace', async () => {
  const trace = join(folder, 'same-name.mcptrace');
  const run = await tenon(['call', 'scale', 'servings=4', '-o', trace, ...faulty('same-name')]);
  assert.deepEqual([run.code, failureIn(run)['blame']], [6, 'server'], run.stderr);
  assert.match(String(failureIn(run)['message']), /does not fit its output schema: servings/);
  const checked = await tenon(['check', trace, '--text']);
  assert.equal(checked.code, 9);
  assert.match(checked.stdout, /violates its own outputSchema: servings/);
  assert.doesNotMatch(checked.stdout, /violate its inputSchema/);
});

test('a call that times out after an answer to a question names the question and the answer, and so does the check of its trace', async () => {
  const trace = join(folder, 'hang.mcptrace');
  const answers = join(folder, 'answers.json');
  writeFileSync(answers, JSON.stringify({ '*': 'decline' }));
  const options = ['--timeout', '1000', '--answers', answers, '-o', trace];
  const run = await tenon(['call', 'scale', 'servings=4', ...options, ...faulty('asks')]);
  assert.equal(run.code, 7, run.stderr);
  assert.match(
    String(failureIn(run)['fix']),
    /^The server asked "Overwrite dinner\?", got decline, and sent nothing since .* continue after decline, cancel/,
  );
  const checked = await tenon(['check', trace, '--text']);
  assert.match(
    checked.stdout,
    /The client waited \d.* for the server to answer tools\/call scale, then its time was up; the server asked "Overwrite dinner\?", got decline, and sent nothing for \d/,
  );
});

test('the check of a trace reports a call that timed out', async () => {
  const trace = join(folder, 'silent.mcptrace');
  const run = await tenon(['call', 'scale', 'servings=4', '--timeout', '1000', '-o', trace, ...faulty('silent')]);
  assert.equal(run.code, 7, run.stderr);
  const checked = await tenon(['check', trace, '--text']);
  assert.equal(checked.code, 0);
  assert.match(checked.stdout, /^! A request timed out/m);
  assert.match(checked.stdout, / 1 with warnings,/);
});

test('the answers that a tool got are shown, without texts and numbers', async () => {
  const answers = join(folder, 'accept.json');
  writeFileSync(answers, JSON.stringify({ 'Overwrite dinner?': { sure: false } }));
  const run = await tenon(['call', 'scale', 'servings=4', '--answers', answers, ...faulty('asks')]);
  assert.match(run.stderr, /^question: Overwrite dinner\?\nanswer: accept \(sure: false\)\n/);
});

test('a tool that asks the user fails without --answers, and the option is named', async () => {
  const run = await tenon(['call', 'scale', 'servings=4', ...faulty('asks')]);
  const { blame, fix } = failureIn(run);
  assert.deepEqual([run.code, blame], [5, 'you'], run.stderr);
  assert.match(String(fix), /did not declare elicitation here: use a terminal, or give the answers with --answers\.$/);
});

test('each different line that a tool logs to stdout is shown once', async () => {
  const run = await tenon(['call', 'scale', 'servings=4', ...faulty('logs')]);
  assert.equal(run.code, 0);
  const lines = run.stderr.match(/^tenon: warning: .*$/gm) ?? [];
  const said = 'tenon: warning: the server wrote something that is not protocol to stdout:';
  assert.deepEqual(lines, [
    `${said} scaling (stdout is for messages only; log to stderr)`,
    `${said} for 4 people`,
    `${said} done`,
    'tenon: warning: 4 lines on stdout were not protocol; --trace shows all of them',
  ]);
});

/** An MCP server at /api/mcp, and a page anywhere else. */
async function serveTyped(type: string, use: (origin: string) => Promise<void>): Promise<void> {
  const server = createServer((request, response) => {
    if (request.url !== '/api/mcp')
      return void response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Nothing</h1>');
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const { id, method, params } = JSON.parse(body || '{}') as Record<string, any>;
      if (id === undefined) return void response.writeHead(request.method === 'POST' ? 202 : 405).end();
      const serverInfo = { name: 'menu', version: '1.0.0' };
      const outcome =
        method === 'initialize'
          ? { result: { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo } }
          : { error: { code: -32601, message: `No ${method}` } };
      response.writeHead(200, { 'content-type': type }).end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  server.closeAllConnections();
  server.close();
}

test('for a wrong path, list, doctor and check name the path of the server', async () => {
  await serveTyped('application/json', async (origin) => {
    for (const verb of ['list', 'doctor', 'check']) {
      const run = await tenon([verb, `${origin}/mcp`]);
      const { exit, fix } = failureIn(run);
      assert.deepEqual([exit, fix], [4, `An MCP server answers at ${origin}/api/mcp`], `${verb}: ${run.stderr}`);
      assert.doesNotMatch(run.stdout + run.stderr, /are at \/mcp/, verb);
    }
  });
});

test('an answer of MCP with the wrong content type is the fault of the server, for list, doctor and check', async () => {
  await serveTyped('text/plain', async (origin) => {
    for (const verb of ['list', 'doctor', 'check']) {
      const run = await tenon([verb, `${origin}/api/mcp`]);
      const { exit, blame, message, fix } = failureIn(run);
      assert.deepEqual([exit, blame], [6, 'server'], `${verb}: ${run.stderr}`);
      assert.match(String(message), /status 200 and text\/plain: an MCP answer needs application\/json$/);
      assert.equal(fix, 'Send the header Content-Type: application/json with each answer.');
      if (verb !== 'list') assert.match(run.stdout, /initialize was answered with 200 and content of the type/);
    }
  });
});

test('for a server that does not run, the transport is to blame, for list, doctor and check', async () => {
  for (const verb of ['list', 'doctor', 'check']) {
    const run = await tenon([verb, 'http://127.0.0.1:1/mcp']);
    assert.deepEqual([failureIn(run)['exit'], failureIn(run)['blame']], [4, 'transport'], `${verb}: ${run.stderr}`);
    assert.doesNotMatch(run.stdout, /ECONNREFUSED[^"]*: connect ECONNREFUSED/);
  }
});

test('a server that lacks an environment variable ends, and --env is named, by list, doctor and check', async () => {
  for (const verb of ['list', 'doctor', 'check']) {
    const run = await tenon([verb, ...faulty('no-key')], { env: { RECIPE_KEY: 'test-key' } });
    const { exit, blame, fix } = failureIn(run);
    assert.deepEqual([exit, blame], [4, 'server'], `${verb}: ${run.stderr}`);
    assert.match(String(fix), /^Is RECIPE_KEY set, and right\? .*: add --env RECIPE_KEY, and "env" in the host\.$/);
    assert.doesNotMatch(run.stdout, /in a shell/);
  }
  const run = await tenon(['list', '--env', 'RECIPE_KEY', ...faulty('no-key')], { env: { RECIPE_KEY: 'test-key' } });
  assert.equal(run.code, 0, run.stderr);
});

test('doctor and check say that they call no tool, and how to check a call', async () => {
  for (const verb of ['doctor', 'check']) {
    const run = await tenon([verb, '--text', ...faulty('none')]);
    const last = run.stdout.trimEnd().split('\n').at(-1);
    const command = 'tenon call scale servings=… -o call.mcptrace -- …';
    assert.equal(
      last,
      `No tool was called, and a fault may concern only some arguments. Try: ${command}, then: tenon check call.mcptrace`,
      verb,
    );
  }
  const run = await tenon(['check', '--lint', '--text', ...faulty('none')]);
  assert.doesNotMatch(run.stdout, /No tool was called/, 'a check of names and schemas says nothing about calls');
});
