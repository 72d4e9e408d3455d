import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_LIMITS } from '../../protocol/limits.ts';
import type { TraceEntry } from '../../protocol/trace.ts';
import type { HttpReply, HttpRequest, UnreadableBody } from '../http/http-message.ts';
import { createHttpTracer } from './traced-handler.ts';

function exchange(body: string | UnreadableBody = '{"jsonrpc":"2.0","id":1,"method":"ping"}') {
  const told: string[] = [];
  const written: string[] = [];
  const onTrace = ({ kind, text, http }: TraceEntry): void =>
    void told.push(kind === 'lost' ? text : (http?.part ?? kind));
  const request: HttpRequest = {
    method: 'POST',
    path: '/mcp',
    host: 'localhost',
    header: () => undefined,
    repeated: undefined,
    search: '',
    fields: () => [],
    query: () => undefined,
    body: (_, take) => take(body),
  };
  const peer = { gone: false, unsent: 7 };
  const reply: HttpReply = {
    send: (status) => void written.push(String(status)),
    stream: () => void written.push('stream'),
    write: (text) => void written.push(text),
    end: () => void written.push('end'),
    destroy: () => void written.push('destroy'),
    get unsent() {
      return peer.unsent;
    },
    get closed() {
      return peer.gone;
    },
    onGone() {},
  };
  const trace = createHttpTracer({ onTrace, limits: DEFAULT_LIMITS, sessions: true, shared: false });
  const [seen, answered] = trace(request, reply);
  return { seen, answered, told, written, peer };
}

const EVENT = 'event: message\ndata: {"jsonrpc":"2.0","method":"a"}\n\n';

test('writes to a connected client are reported, and those to a disconnected one are not', () => {
  const { seen, answered, told, written, peer } = exchange();
  let body: unknown;
  seen.body(100, (text) => (body = text));
  assert.equal(body, '{"jsonrpc":"2.0","id":1,"method":"ping"}');
  answered.stream({});
  answered.write(EVENT);
  answered.write(':\n\n');
  peer.gone = true;
  answered.write(EVENT);
  answered.send(200, {}, '{}');
  answered.end();
  answered.destroy();
  assert.deepEqual(told, ['request', 'received', 'answer', 'event', 'sent']);
  assert.deepEqual(written, ['stream', EVENT, ':\n\n', EVENT, '200', 'end', 'destroy']);
  assert.equal(answered.unsent, 7);
});

test('after the end of an exchange nothing more is reported', () => {
  const { answered, told } = exchange();
  answered.stream({});
  answered.end();
  answered.write(EVENT);
  answered.destroy();
  assert.deepEqual(told, ['request', 'answer', 'end']);
});

test('a body that cannot be read is reported as lost, with the reason', () => {
  for (const [unreadable, reason] of [
    ['too large', 'A body is larger than allowed, and was not read'],
    ['not UTF-8', 'A body is not valid UTF-8'],
  ] as const) {
    const { seen, told } = exchange({ unreadable });
    seen.body(100, () => {});
    assert.deepEqual(told, ['request', reason]);
  }
});
