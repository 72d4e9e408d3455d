// A wrong diagnosis is worse than none: the failure names the side that broke a rule, with the evidence.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failureIn, peer, tenon } from './run-tenon.ts';

test('structured content that violates the tool’s own schema is the server’s fault, and is shown', async () => {
  const run = await tenon(['call', 'measure', ...peer('bad-output')]);
  assert.equal(run.code, 6);
  assert.deepEqual(JSON.parse(run.stdout), {
    content: [{ type: 'text', text: '21' }],
    structuredContent: { celsius: 'warm' },
  });
  const { message, blame, evidence } = failureIn(run);
  assert.equal(blame, 'server');
  assert.match(String(message), /^The server broke the protocol: .*output schema.*celsius/);
  assert.equal(evidence, 'structuredContent: {"celsius":"warm"}');
});

for (const [mode, reason] of [
  ['no-result', /either "result" or "error"/],
  ['bad-result', /content/],
] as const) {
  test(`an invalid response (${mode}) is the server’s fault, with the message as evidence`, async () => {
    const run = await tenon(['call', 'args', ...peer(mode)]);
    assert.equal(run.code, 6);
    const { message, blame, evidence } = failureIn(run);
    assert.equal(blame, 'server');
    assert.match(String(message), reason);
    assert.match(String(evidence), /^\{"jsonrpc":"2.0","id":\d+/);
  });
}

test('a banner on stdout is reported with its text, and the call works', async () => {
  const run = await tenon(['call', 'measure', ...peer('banner')]);
  assert.equal(run.code, 0);
  assert.match(
    run.stderr,
    /^tenon: warning: the server wrote something that is not protocol to stdout: Server listening on port 3000 /,
  );
  assert.match(run.stderr, /^tenon: warning: the server wrote something that is not protocol to stdout: Ready /m);
  assert.doesNotMatch(run.stderr, /\u001b/);
});

test('structured logs on stdout are not protocol messages either', async () => {
  const run = await tenon(['list', 'tools', ...peer('logs')]);
  assert.equal(run.code, 0);
  assert.equal(run.stderr.match(/warning/g)?.length, 1);
  assert.match(run.stderr, /not protocol to stdout: \{"level":30,"msg":"listening"\}/);
});

test('--quiet does not mention a banner', async () => {
  const run = await tenon(['call', 'measure', '--quiet', ...peer('banner')]);
  assert.deepEqual([run.code, run.stderr], [0, '']);
});

test('a child that dies at its start is reported with exit code and stderr', async () => {
  const run = await tenon(['list', ...peer('dies')]);
  assert.equal(run.code, 4);
  assert.equal(run.stdout, '');
  const { code, exit, exitCode, signal, stderr, blame } = failureIn(run);
  assert.deepEqual(
    { code, exit, exitCode, signal, blame },
    { code: 'server_exited', exit: 4, exitCode: 3, signal: null, blame: 'server' },
  );
  assert.equal(stderr, 'Reading configuration\nDATABASE_URL missing');
});

test('a child that dies during a call is reported with the pending request', async () => {
  const crash = await tenon(['call', 'args', ...peer('crash')]);
  assert.equal(crash.code, 4);
  assert.deepEqual(
    [failureIn(crash)['message'], failureIn(crash)['exitCode'], failureIn(crash)['stderr']],
    ['The server exited with code 7 before it answered tools/call', 7, 'out of cheese'],
  );
  const killed = await tenon(['call', 'args', ...peer('killed')]);
  assert.deepEqual([killed.code, failureIn(killed)['signal'], failureIn(killed)['exitCode']], [4, 'SIGKILL', null]);
});

test('a server that exits after a response is not silently restarted', async () => {
  const call = await tenon(['call', 'args', ...peer('ends-after-list')]);
  assert.deepEqual([call.code, failureIn(call)['code'], failureIn(call)['exitCode']], [4, 'server_exited', 0]);
});

test('a program that does not exist is reported at once', async () => {
  const run = await tenon(['list', '--', 'no-such-program-anywhere', 'x']);
  assert.equal(run.code, 4);
  const { code, message, blame } = failureIn(run);
  assert.deepEqual([code, blame], ['not_started', 'you']);
  assert.match(String(message), /'no-such-program-anywhere'.*ENOENT/);
});

test('a failing tool prints its result and has its own exit code', async () => {
  const run = await tenon(['call', 'fail', ...peer('ok')]);
  assert.equal(run.code, 5);
  assert.equal((JSON.parse(run.stdout) as { isError: boolean }).isError, true);
  assert.deepEqual(
    [failureIn(run)['blame'], failureIn(run)['message']],
    ['tool', 'The tool fail failed: It did not work'],
  );
});

test('an error of the server is shown unchanged, and a misspelled tool name is recognized', async () => {
  const run = await tenon(['call', 'mesure', ...peer('ok')]);
  assert.equal(run.code, 8);
  const { rpc, blame, fix } = failureIn(run);
  assert.deepEqual(rpc, { code: -32602, message: 'No such tool' });
  assert.deepEqual([blame, fix], ['you', 'Did you mean measure?']);
});

test('a revision that the server does not support blames neither side', async () => {
  const run = await tenon(['list', '--revision', '2026-07-28', ...peer('ok')]);
  assert.equal(run.code, 4);
  assert.match(String(failureIn(run)['message']), /does not support 2026-07-28/);
});

// Concurrently, because each waits for its timeout.
describe('a server that does not answer', { concurrency: true }, () => {
  test('a server that writes only a banner is reported with the banner', async () => {
    const run = await tenon(['list', '--timeout', '3000', ...peer('only-banner')]);
    assert.equal(run.code, 7);
    const { blame, evidence, fix } = failureIn(run);
    assert.equal(blame, 'server');
    assert.match(String(evidence), /Server listening on port 3000/);
    assert.match(String(fix), /log to stderr/);
  });

  test('an incomplete response is blamed as soon as it arrives', async () => {
    const run = await tenon(['call', 'args', '--timeout', '3000', ...peer('not-json')]);
    assert.equal(run.code, 6);
    const { blame, evidence } = failureIn(run);
    assert.equal(blame, 'server');
    assert.match(String(evidence), /"result":$/);
  });

  test('a silent server is a timeout that names the pending request', async () => {
    // A busy machine may not send the request within a short timeout.
    for (let timeout = 400; ; timeout *= 4) {
      const run = await tenon(['list', '--timeout', String(timeout), ...peer('silent')]);
      assert.equal(run.code, 7);
      const { message } = failureIn(run);
      if (message === `No answer for ${timeout} ms` && timeout < 30_000) continue;
      assert.match(String(message), new RegExp(`No answer to (server/discover|initialize) for ${timeout} ms`));
      break;
    }
  });

  test('a call without an answer is a timeout', async () => {
    const run = await tenon(['call', 'args', '--timeout', '3000', ...peer('slow')]);
    assert.deepEqual([run.code, failureIn(run)['code']], [7, 'timeout']);
    assert.match(String(failureIn(run)['message']), /tools\/call/);
  });
});
