import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { encodeJson } from './json.ts';
import { messageEvent, numberedEvents, SSE_KEEP_ALIVE, sseEvent, ssePriming } from './sse.ts';
import { type SseEvent, SseParser } from './sse-parser.ts';

function parse(text: string): SseEvent[] {
  const events: SseEvent[] = [];
  new SseParser((event) => events.push(event)).push(text);
  return events;
}

test('an event consists of its fields, each on a line, and an empty line', () => {
  assert.equal(sseEvent({ data: '{"a":1}' }), 'data: {"a":1}\n\n');
  assert.equal(sseEvent({ event: 'endpoint', data: '/messages?id=1' }), 'event: endpoint\ndata: /messages?id=1\n\n');
  assert.equal(
    sseEvent({ event: 'message', data: '{}', id: 's1_7', retry: 500 }),
    'event: message\nid: s1_7\nretry: 500\ndata: {}\n\n',
  );
  assert.equal(sseEvent({ retry: 0 }), 'retry: 0\n\n');
});

test('data of several lines becomes several data lines', () => {
  assert.equal(sseEvent({ data: 'a\nb\r\nc\rd\n' }), 'data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n');
  assert.equal(parse(sseEvent({ data: 'a\nb\r\nc\rd\n' }))[0]?.data, 'a\nb\nc\nd\n');
});

test('the event of a message is named `message`, with or without an id', () => {
  const data = encodeJson({ jsonrpc: '2.0', method: 'notifications/message', params: { data: 'a\nb\r\nc\u2028' } });
  assert.equal(messageEvent(data), sseEvent({ event: 'message', data }));
  const text = numberedEvents('call_');
  assert.equal(text(7, data), sseEvent({ event: 'message', id: 'call_7', data }));
  assert.equal(text(1, ''), ssePriming('call_1'));
});

test('a priming event is an id with empty data', () => {
  assert.equal(ssePriming('s1_0'), 'id: s1_0\ndata: \n\n');
  assert.equal(ssePriming('s1_0', 1000), 'id: s1_0\nretry: 1000\ndata: \n\n');
  assert.deepEqual(parse(ssePriming('s1_0', 1000)), [{ kind: 'empty', event: 'message', data: '', id: 's1_0' }]);
});

test('[SSE-35] a keep-alive is a comment and not an event, wherever it occurs', () => {
  // An empty line would end an event, which has no data: some clients report that as a broken message.
  assert.match(SSE_KEEP_ALIVE, /^:[^\n]*\n$/);
  assert.deepEqual(parse(SSE_KEEP_ALIVE), []);
  const message = sseEvent({ data: '1' });
  assert.equal(parse(SSE_KEEP_ALIVE + message + SSE_KEEP_ALIVE + message + SSE_KEEP_ALIVE).length, 2);
});

test('values that would not arrive unchanged are refused', () => {
  for (const bad of ['a\nb', 'a\rdata: evil', '\r\n\r\n', 'a\0']) {
    assert.throws(() => sseEvent({ event: bad, data: '' }), TypeError);
    assert.throws(() => sseEvent({ id: bad, data: '' }), TypeError);
    assert.throws(() => ssePriming(bad), TypeError);
  }
  for (const retry of [-1, 1.5, Number.NaN, Infinity, 2 ** 53]) assert.throws(() => sseEvent({ retry }), TypeError);
});

test('[SSE-4] messages arrive as they were sent', () => {
  const sent = fc.record({
    data: fc.jsonValue().map((value) => JSON.stringify(value)),
    event: fc.constantFrom('message', 'endpoint', 'x y: z'),
    id: fc.stringMatching(/^[\x21-\x7e]*$/),
  });
  fc.assert(
    fc.property(fc.array(sent, { maxLength: 6 }), (events) => {
      assert.deepEqual(
        parse(events.map(sseEvent).join(SSE_KEEP_ALIVE)),
        events.map((fields) => ({ kind: 'message', ...fields })),
      );
    }),
  );
});
