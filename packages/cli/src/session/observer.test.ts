import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createObserver, type Passed } from './observer.ts';
import { createTraceLines } from './trace-lines.ts';

function observer() {
  const seen = createObserver();
  const pass = (kind: Passed['kind'], text: string): boolean => seen.observe({ kind, at: 0, text });
  return { seen, pass };
}
function request(id: unknown, method: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method });
}

test('a result is stored as the server wrote it', () => {
  const { seen, pass } = observer();
  pass('sent', request(1, 'tools/call'));
  assert.equal(seen.waitingFor, 'tools/call');
  pass('received', '{"id":1, "result" : {"n":9007199254740993, "x": 1.10},"jsonrpc":"2.0"}');
  assert.equal(seen.resultOf('tools/call'), '{"n":9007199254740993, "x": 1.10}');
  assert.equal(seen.waitingFor, undefined);
});

test('all pages of a list are stored, and the last result of other methods', () => {
  const { seen, pass } = observer();
  for (const [id, method] of [
    [1, 'tools/list'],
    [2, 'tools/list'],
    [3, 'tools/call'],
    [4, 'tools/call'],
  ] as const) {
    pass('sent', request(id, method));
    pass('received', `{"jsonrpc":"2.0","id":${id},"result":{"page":${id}}}`);
  }
  assert.deepEqual(seen.pagesOf('tools/list'), ['{"page":1}', '{"page":2}']);
  assert.deepEqual(seen.pagesOf('tools/call'), ['{"page":4}']);
});

test('input requests, errors and responses to other requests are not mistaken for the result', () => {
  const { seen, pass } = observer();
  pass('sent', request('a', 'tools/call'));
  pass('received', '{"jsonrpc":"2.0","id":"b","result":{}}');
  pass('received', '{"jsonrpc":"2.0","id":"a","result":{"resultType":"input_required"}}');
  pass('sent', request('c', 'tools/call'));
  pass('received', '{"jsonrpc":"2.0","id":"c","error":{"code":-32602,"message":"no"}}');
  assert.equal(seen.resultOf('tools/call'), undefined);
});

test('responses in a batch are found', () => {
  const { seen, pass } = observer();
  pass('sent', request(1, 'ping'));
  assert.equal(pass('received', '[{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":1,"result":{"a":1}}]'), false);
  assert.equal(seen.resultOf('ping'), '{"a":1}');
});

test('everything that is not a JSON-RPC message is junk, JSON or not', () => {
  const { seen, pass } = observer();
  for (const text of ['Listening', '{"level":30}', '[]', '{"jsonrpc":"1.0"}', '"x"', 'null', '{'])
    assert.equal(pass('received', text), true, text);
  assert.equal(seen.junk, 7);
  assert.equal(seen.endsWithJunk, true);
  assert.equal(seen.mainJunk, '{');
  pass('received', '{"jsonrpc":"2.0","method":"x"}');
  assert.equal(seen.endsWithJunk, false);
  assert.equal(seen.mainJunk, 'Listening');
  // The client itself reports lines that are not messages.
  assert.equal(pass('junk', 'Ready'), true);
  assert.equal(seen.junk, 8);
});

test('a restarted process has no pending requests', () => {
  const { seen, pass } = observer();
  pass('sent', request(1, 'server/discover'));
  pass('open', 'node x');
  pass('sent', request(2, 'initialize'));
  assert.equal(seen.waitingFor, 'initialize');
});

test('the end of stderr is kept', () => {
  const { seen, pass } = observer();
  for (let i = 0; i < 2_000; i++) pass('stderr', `line ${i}\n`);
  assert.ok(seen.stderr.length <= 4_000);
  assert.match(seen.stderr, /line 1999$/);
});

test('a trace line has its time, its direction, and no characters that a terminal acts on', () => {
  const trace = createTraceLines();
  assert.deepEqual(trace.lines({ kind: 'open', at: 100, text: 'node x' }, false), ['      0.0 ms  start  node x']);
  assert.deepEqual(trace.lines({ kind: 'sent', at: 101.25, text: '{}' }, false), ['      1.3 ms  → {}']);
  assert.deepEqual(trace.lines({ kind: 'received', at: 112, text: '{"a":"\u001b[2J"}' }, false), [
    '     12.0 ms  ← {"a":"\\u001b[2J"}',
  ]);
  assert.deepEqual(trace.lines({ kind: 'received', at: 113, text: 'Ready' }, true), [
    '     13.0 ms  not protocol, on stdout: Ready',
  ]);
  assert.deepEqual(trace.lines({ kind: 'junk', at: 113, text: 'Ready' }, true), [
    '     13.0 ms  not protocol, on stdout: Ready',
  ]);
  assert.deepEqual(trace.lines({ kind: 'exit', at: 114, text: 'exited with code 3' }, false), [
    '     14.0 ms  exit   exited with code 3',
  ]);
});

test('a lost line is reported as lost', () => {
  const trace = createTraceLines();
  assert.deepEqual(trace.lines({ kind: 'lost', at: 0, text: 'A line of more than 10 bytes was skipped' }, true), [
    '      0.0 ms  lost, on stdout: A line of more than 10 bytes was skipped',
  ]);
});

test('stderr is split into lines, wherever the chunks end', () => {
  const trace = createTraceLines();
  const stderr = (at: number, text: string): string[] => trace.lines({ kind: 'stderr', at, text }, false);
  assert.deepEqual(stderr(0, 'one\ntw'), ['      0.0 ms  stderr | one']);
  assert.deepEqual(stderr(5, 'o\r\nthree'), ['      0.0 ms  stderr | two']);
  assert.deepEqual(trace.lines({ kind: 'exit', at: 9, text: 'exited with code 0' }, false), [
    '      5.0 ms  stderr | three',
    '      9.0 ms  exit   exited with code 0',
  ]);
  assert.deepEqual(trace.rest(), []);
});

test('a line that was discarded is distinguished from one that is not a message', () => {
  const { seen, pass } = observer();
  assert.equal(pass('lost', 'A line of more than 10 bytes was skipped'), true);
  assert.deepEqual([seen.endsWithJunk, seen.endsWithLost], [true, true]);
  pass('junk', 'Ready');
  assert.deepEqual([seen.endsWithJunk, seen.endsWithLost], [true, false]);
  pass('lost', 'A line of more than 10 bytes was skipped');
  pass('received', '{"jsonrpc":"2.0","method":"x"}');
  assert.deepEqual([seen.endsWithJunk, seen.endsWithLost], [false, false]);
});
