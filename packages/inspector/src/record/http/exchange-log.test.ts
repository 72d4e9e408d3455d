import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { turns, until } from '../../../../../scripts/lib/until.ts';
import type { TraceLine } from '../../trace/line.ts';
import { createRedactor } from '../redact.ts';
import { createSafely } from '../safely.ts';
import { createExchangeLog } from './exchange-log.ts';
import { createTapSessions } from './tap-sessions.ts';
import type { Field } from './wire-headers.ts';

function logging(method: string, fields: readonly Field[] = []) {
  const lines: TraceLine[] = [];
  const failures: unknown[] = [];
  const sink = {
    now: () => 0,
    append(line: Omit<TraceLine, 'n' | 'at'>) {
      const appended = { n: lines.length + 1, at: 0, ...line };
      lines.push(appended);
      return appended;
    },
  };
  const about = { name: 'x', transport: 'http', target: '', recorder: 'tap' } as const;
  const log = createExchangeLog(
    { method, url: '/mcp', fields, origin: 'http://host', path: '/mcp' },
    createTapSessions(sink, about, createRedactor()),
    createSafely((error) => failures.push(error)),
  );
  return { log, failures, seen: () => lines.slice(1).map(({ kind, from, http }) => `${from} ${http?.part ?? kind}`) };
}

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const PONG = '{"jsonrpc":"2.0","id":1,"result":{}}';

test('a message is written before its answer, even if it takes a while to decode', async () => {
  const { log, seen, failures } = logging('POST', [['Content-Encoding', 'gzip']]);
  log.requestBody(gzipSync(PING));
  log.requestEnd();
  log.answer(200, [['content-type', 'application/json']]);
  log.answerBody(Buffer.from(PONG));
  log.end();
  await until(() => seen().length >= 5);
  assert.deepEqual(seen(), ['client message', 'client request', 'server answer', 'server message', 'server end']);
  assert.deepEqual(failures, []);
});

test('an answer that comes before the request is complete is written immediately', async () => {
  const { log, seen } = logging('POST');
  log.requestBody(Buffer.from(PING.slice(0, 10)));
  log.answer(200, [['content-type', 'text/event-stream']]);
  log.answerBody(Buffer.from('data: {"jsonrpc":"2.0","method":"x"}\n\n'));
  assert.deepEqual(seen(), ['client request', 'server answer', 'server event', 'server message']);
  log.requestBody(Buffer.from(PING.slice(10)));
  log.requestEnd();
  log.end();
  await turns();
  assert.deepEqual(seen().slice(4), ['client message', 'server end']);
});

test('a request that breaks off is reported, and an exchange ends once', async () => {
  const { log, seen } = logging('POST');
  log.requestBody(Buffer.from(PING.slice(0, 10)));
  log.end('the client left');
  log.end('again');
  await turns();
  assert.deepEqual(seen(), ['client request', 'client lost', 'server end']);
});

test('an event that is not UTF-8 is lost, and the one after it is recorded', async () => {
  const { log, seen, failures } = logging('GET');
  log.answer(200, [['content-type', 'text/event-stream']]);
  log.answerBody(Buffer.from('data: {"jsonrpc":"2.0","method":"\xff"}\n\n', 'latin1'));
  log.answerBody(Buffer.from('data: {"jsonrpc":"2.0","method":"x"}\n\n'));
  log.end();
  await turns();
  const event = 'server event';
  assert.deepEqual(seen(), [
    'client request',
    'server answer',
    event,
    'server lost',
    event,
    'server message',
    'server end',
  ]);
  assert.deepEqual(failures, []);
});

test('an event that is too long ends the recording of its stream, and nothing else', async () => {
  const { log, seen, failures } = logging('GET');
  log.answer(200, [['content-type', 'text/event-stream']]);
  for (let at = 0; at < 12; at++) log.answerBody(Buffer.from(`data: ${'x'.repeat(1024 * 1024)}\n`));
  log.answerBody(Buffer.from('\n\ndata: {"jsonrpc":"2.0","method":"x"}\n\n'));
  log.end();
  await turns();
  assert.deepEqual(seen(), ['client request', 'server answer', 'server lost', 'server end']);
  assert.deepEqual(failures, []);
});
