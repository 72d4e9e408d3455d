import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionError, PeerError, ProtocolError, TimeoutError } from 'tenon/client';
import { ProcessExitError, SpawnError } from 'tenon/node';
import { EXITS } from '../failure/exit-codes.ts';
import { connectTimeout, explain } from './explain.ts';
import { Failure } from '../failure/failure.ts';
import { createObserver } from './observer.ts';

function asking(method: string, ...received: string[]) {
  const observer = createObserver();
  observer.observe({ kind: 'sent', at: 0, text: JSON.stringify({ jsonrpc: '2.0', id: 1, method }) });
  for (const text of received) observer.observe({ kind: 'received', at: 0, text });
  return observer;
}
function exit(code: number | null, signal: string | null, stderr = '') {
  return new ConnectionError('disconnected', 'broke', { cause: new ProcessExitError({ code, signal, stderr }) });
}

test('a crash is reported with exit code, last stderr and pending request', () => {
  const {
    code,
    exit: status,
    message,
    details,
  } = explain(exit(3, null, 'a\nDATABASE_URL missing\n'), asking('initialize'));
  assert.deepEqual([code, status], ['server_exited', 4]);
  assert.equal(message, 'The server exited with code 3 before it answered initialize');
  assert.match(String(details.fix), /^Is DATABASE_URL set, and right\? .* --env DATABASE_URL/);
  assert.deepEqual(JSON.parse(JSON.stringify({ ...details, fix: undefined })), {
    blame: 'server',
    exitCode: 3,
    signal: null,
    stderr: 'a\nDATABASE_URL missing',
  });
  assert.match(explain(exit(null, 'SIGKILL'), asking('ping')).message, /^The server was ended by SIGKILL/);
  assert.match(explain(exit(null, null), asking('ping')).message, /^The server closed its stdout/);
});

test('the end of a long stderr is shown', () => {
  const { details } = explain(exit(1, null, `${'x'.repeat(100_000)}\n${'line\n'.repeat(100)}last`), asking('ping'));
  assert.ok(details.stderr!.split('\n').length <= 20);
  assert.match(details.stderr!, /last$/);
});

test('a server that writes no protocol messages is reported with its own output', () => {
  const observer = asking('initialize', 'Listening on 3000');
  for (const failure of [explain(new TimeoutError('request-timeout', 'x'), observer), connectTimeout(5, observer)]) {
    assert.equal(failure.exit, 7);
    assert.equal(failure.details.blame, 'server');
    assert.match(failure.details.evidence!, /Listening on 3000/);
  }
  assert.match(explain(exit(0, null), observer).details.evidence!, /Listening on 3000/);
});

test('for an answer that was too long to be read, the advice is to return less', () => {
  const observer = asking('tools/call');
  observer.observe({ kind: 'lost', at: 0, text: 'A line of more than 10 bytes was skipped' });
  assert.match(explain(new TimeoutError('request-timeout', 'x'), observer).details.fix!, /too large. Return less/);
});

test('silence alone blames neither side', () => {
  const { details, exit: status } = explain(new TimeoutError('request-timeout', 'x'), asking('ping'));
  assert.equal(status, 7);
  assert.equal(details.blame, 'unknown');
});

test('each kind of error has its exit code and its side', () => {
  const error = (code: number): string => JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message: 'no' } });
  const observer = asking('tools/call', error(-32602), error(-32021));
  const cases: [unknown, number, string, string][] = [
    [new SpawnError('no-such-program', 'x', 'there is no such program', { code: 'ENOENT' }), 4, 'not_started', 'you'],
    [
      new ConnectionError('unreachable', 'x', {
        cause: new SpawnError('not-executable', 'x', 'y', { code: 'EACCES' }),
      }),
      4,
      'not_started',
      'you',
    ],
    [new PeerError('invalid-answer', 'content must be an array'), 6, 'protocol_violation', 'server'],
    [new ProtocolError(-32602, 'no'), 8, 'rpc_error', 'unknown'],
    [new ProtocolError(-32021, 'no'), 8, 'rpc_error', 'you'],
    [
      new ConnectionError('unsupported-revision', 'nothing in common', { cause: new ProtocolError(-32022, 'x') }),
      4,
      'not_connected',
      'unknown',
    ],
    [new ProtocolError(-32601, 'The server does not offer tools, so tools/call was not sent'), 8, 'not_offered', 'you'],
    [new TypeError('x'), 1, 'internal', 'tenon'],
    ['x', 1, 'internal', 'tenon'],
  ];
  for (const [error, status, code, blame] of cases) {
    const failure = explain(error, observer);
    assert.deepEqual([failure.exit, failure.code, failure.details.blame], [status, code, blame], String(error));
  }
});

test('a wrapped failure is recognized', () => {
  const failure = new Failure('interrupted', 'interrupted', 'x');
  assert.equal(
    explain(new DOMException('x', { name: 'AbortError', cause: failure } as never), createObserver()),
    failure,
  );
});

test('exit codes are unique, and do not use those of the shell', () => {
  const codes = EXITS.map(({ exit: code }) => code);
  assert.equal(new Set(codes).size, codes.length);
  for (const code of codes) assert.ok(code < 64 || code === 130);
});
