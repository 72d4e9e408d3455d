import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../../scripts/lib/until.ts';
import { formatLine } from '../trace/format.ts';
import type { TraceLine } from '../trace/line.ts';
import type { NewLine, TraceSink } from '../trace/node/trace-writer.ts';
import { createRecorder, type Passed } from './recorder.ts';
import { createRedactor } from './redact.ts';

/** A trace in memory. */
function kept(): TraceSink & { readonly lines: TraceLine[] } {
  const lines: TraceLine[] = [];
  return {
    lines,
    now: () => 0,
    append(line: NewLine) {
      const appended = { n: lines.length + 1, at: 0, ...line };
      lines.push(appended);
      return appended;
    },
  };
}

function recorded(side: 'client' | 'server', ...entries: readonly Passed[]) {
  const sink = kept();
  const recorder = createRecorder(
    sink,
    's',
    { name: 'x', transport: 'http', target: '', recorder: side },
    createRedactor(),
  );
  for (const entry of entries) recorder.onTrace(entry);
  return { ...sink, recorder };
}

function part(exchange: number, which: 'request' | 'answer' | 'event' | 'body' | 'end', more: object = {}): Passed {
  return {
    kind: 'http',
    text: which,
    http: { exchange, part: which, ...more },
  };
}

test('the sender of a line depends on the recording side', () => {
  const entries: Passed[] = (['sent', 'received', 'junk', 'lost'] as const).map((kind) => ({ kind, text: 'x' }));
  const from = (side: 'client' | 'server') =>
    recorded(side, ...entries)
      .lines.slice(1)
      .map((line) => line.from);
  assert.deepEqual(from('client'), ['client', 'server', 'server', 'server']);
  assert.deepEqual(from('server'), ['server', 'client', 'client', 'client']);
});

test('a request is caused by its message, the response by the request, and a received message by the part that contained it', () => {
  const { lines } = recorded(
    'client',
    { kind: 'sent', text: 'a' },
    { kind: 'sent', text: 'b', exchange: 7 },
    part(7, 'request'),
    part(1, 'request', { body: 'a' }),
    part(7, 'answer'),
    { kind: 'received', text: 'c', exchange: 7 },
    part(1, 'answer'),
    part(1, 'event'),
    { kind: 'received', text: 'd', exchange: 1 },
    { kind: 'junk', text: 'e', exchange: 1 },
    part(1, 'end'),
  );
  assert.deepEqual(
    lines.map(({ cause }) => cause),
    [undefined, undefined, undefined, 3, 2, 4, 6, 5, 5, 9, 9, 5],
  );
});

test('on a server, a message and its answer are caused by the request that contained the message', () => {
  const { lines } = recorded(
    'server',
    part(1, 'request'),
    { kind: 'received', text: 'a', exchange: 1 },
    part(1, 'answer'),
    {
      kind: 'sent',
      text: 'b',
      exchange: 1,
    },
  );
  assert.deepEqual(
    lines.map(({ cause }) => cause),
    [undefined, undefined, 2, 2, 4],
  );
});

test('a message that is sent again after a rejection causes both requests', () => {
  const { lines } = recorded(
    'client',
    { kind: 'sent', text: 'a' },
    part(1, 'request', { body: 'a' }),
    part(1, 'end'),
    part(2, 'request', { body: 'a' }),
  );
  assert.deepEqual(
    lines.map(({ cause }) => cause),
    [undefined, undefined, 2, 3, 2],
  );
});

test('the number of an ended exchange may be reused', () => {
  const { lines } = recorded(
    'client',
    { kind: 'sent', text: 'a', exchange: 1 },
    part(1, 'request'),
    part(1, 'end'),
    { kind: 'sent', text: 'b', exchange: 1 },
    part(1, 'request'),
  );
  assert.deepEqual(
    lines.map(({ cause }) => cause),
    [undefined, undefined, 2, 3, undefined, 5],
  );
});

test('headers and bodies are written without secrets, and messages only once', () => {
  const { lines } = recorded(
    'client',
    part(1, 'request', {
      url: 'https://me:pw@host/mcp?key=x#y',
      headers: { Authorization: 'Bearer x', 'Content-Type': 'a/b' },
      body: 'a message',
    }),
    { ...part(2, 'request', { body: 'client_secret=abc&a=b' }), kind: 'auth' },
    part(1, 'body', { body: '{"password":"abc"}' }),
    part(1, 'answer', { headers: { location: 'https://host/cb?code=x' } }),
  );
  assert.deepEqual(
    // In the form that the file has.
    lines.slice(1).map((line) => (JSON.parse(formatLine(line)) as TraceLine).http),
    [
      { exchange: 1, part: 'request', url: 'https://host/mcp', headers: { authorization: '…', 'content-type': 'a/b' } },
      { exchange: 2, part: 'request', body: 'client_secret=[redacted]&a=b' },
      { exchange: 1, part: 'body', body: '{"password":"[redacted]"}' },
      { exchange: 1, part: 'answer', headers: { location: 'https://host/cb?…' } },
    ],
  );
});

test('stderr is written line by line, an unfinished line after a moment, and all of it before the exit', async () => {
  const { lines, recorder } = recorded(
    'client',
    { kind: 'open', text: 'node x' },
    { kind: 'stderr', text: 'one\ntw' },
    { kind: 'stderr', text: 'o\r\nthree' },
    { kind: 'exit', text: 'exited with code 0' },
  );
  const seen = () => lines.slice(2).map(({ kind, text, cause }) => [kind, text, cause]);
  assert.deepEqual(seen(), [
    ['stderr', 'one', undefined],
    ['stderr', 'two', undefined],
    ['stderr', 'three', undefined],
    ['exit', 'exited with code 0', 2],
  ]);
  recorder.onTrace({ kind: 'stderr', text: 'Password: ' });
  await until(() => lines.length >= 7);
  assert.deepEqual(seen().at(-1), ['stderr', 'Password: ', undefined]);
  recorder.onTrace({ kind: 'stderr', text: 'x'.repeat(200_000) });
  recorder.flush();
  assert.deepEqual(
    seen()
      .slice(5)
      .map(([, text]) => String(text).length),
    [65_536, 65_536, 65_536, 3_392],
  );
});

test('a secret split over two chunks of stderr is recognized', () => {
  const sink = kept();
  const redactor = createRedactor();
  redactor.hide('a-long-secret');
  const recorder = createRecorder(sink, 's', { name: 'x', transport: 'stdio', target: '', recorder: 'tap' }, redactor);
  recorder.onTrace({ kind: 'stderr', text: 'it is a-long' });
  recorder.onTrace({ kind: 'stderr', text: '-secret!\n' });
  assert.deepEqual([sink.lines[1]!.text, sink.lines[1]!.redacted], ['it is [redacted]!', true]);
});
