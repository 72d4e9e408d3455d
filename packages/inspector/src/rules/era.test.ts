import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { valueOf } from '../trace/facts.ts';
import { SessionReader } from './era.ts';
import {
  answer,
  ask,
  client,
  complete,
  discovered,
  exit,
  handshake,
  http,
  inside,
  line,
  meta,
  modern,
  refuse,
  rest,
  server,
  status,
  type Step,
  stdio,
  tell,
  trace,
} from './fixtures/traces.ts';

function read(...steps: Step[]) {
  const reader = new SessionReader('s');
  const read = trace(...steps).map((one) => reader.read(one, valueOf(one)));
  return {
    state: reader.state,
    messages: read.flatMap(({ messages }) => messages),
    anew: read.filter(({ anew }) => anew).length,
  };
}

describe('the state of a session', () => {
  it('follows the handshake', () => {
    const begun = ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: { roots: {} }, clientInfo: {} });
    assert.equal(read(stdio, begun).state.handshake, 'asked');
    const { state } = read(stdio, begun, answer(1, { protocolVersion: '2025-03-26', capabilities: { tools: {} } }));
    assert.deepEqual(
      [state.handshake, state.negotiated, state.revision, state.clientCapabilities, state.serverCapabilities],
      ['answered', '2025-03-26', '2025-03-26', { roots: {} }, { tools: {} }],
    );
    assert.equal(read(stdio, handshake()).state.handshake, 'ready');
    assert.equal(read(stdio, begun, refuse(1, -32_602)).state.revision, undefined);
  });

  it('knows the revision of each message', () => {
    const { messages } = read(
      stdio,
      modern(0, 'server/discover'),
      refuse(0, -32_601),
      handshake('2025-03-26'),
      modern(1, 'tools/list'),
      complete(1),
      ask(2, 'ping'),
    );
    assert.deepEqual(
      messages.map(({ revision }) => revision),
      ['2026-07-28', '2026-07-28', '2025-03-26', '2025-03-26', '2025-03-26', '2026-07-28', '2026-07-28', '2025-03-26'],
    );
  });

  it('finds the request of an answer, even in batches, and then forgets it', () => {
    const { messages, state } = read(
      stdio,
      client([
        { jsonrpc: '2.0', id: 1, method: 'a' },
        { jsonrpc: '2.0', id: 2, method: 'b' },
      ]),
      server([
        { jsonrpc: '2.0', id: 2, result: {} },
        { jsonrpc: '2.0', id: 1, result: {} },
      ]),
      answer(2, {}),
    );
    const answers = messages.flatMap((message) => (message.kind === 'response' ? [message] : []));
    assert.deepEqual(
      answers.map(({ request, earlier }) => [request?.method, earlier]),
      [
        ['b', undefined],
        ['a', undefined],
        [undefined, 3],
      ],
    );
    assert.equal(state.waiting.client.size, 0);
  });

  it('starts over with a new process, and with a handshake', () => {
    const { state, anew } = read(stdio, line('open', 'x'), handshake(), ask(1, 'ping'), exit('x'), line('open', 'x'));
    assert.deepEqual([anew, state.handshake, state.waiting.client.size], [2, 'none', 0]);
    assert.equal(read(stdio, line('open', 'x')).anew, 0);
    const again = read(stdio, handshake(), ask(1, 'ping'), handshake('2025-11-25', { id: 'again' }));
    assert.equal(again.state.waiting.client.size, 1);
  });

  it('ignores an answer to a handshake that is over', () => {
    const initialize = (id: number) => ask(id, 'initialize', { protocolVersion: '2025-11-25', capabilities: {} });
    const old = answer(1, { protocolVersion: '2024-11-05', capabilities: { tools: {} } });
    const { state } = read(stdio, initialize(1), initialize(2), old);
    assert.deepEqual([state.handshake, state.negotiated, state.serverCapabilities], ['asked', undefined, undefined]);
  });

  it('knows the capabilities of a server of 2026-07-28, and its era', () => {
    const { state } = read(stdio, discovered({ tools: {} }));
    assert.deepEqual([state.modern, state.provenModern, state.serverCapabilities], [true, true, { tools: {} }]);
    assert.equal(read(stdio, modern(1, 'tools/list'), answer(1, {})).state.provenModern, false);
    assert.equal(read(stdio, modern(1, 'tools/list'), refuse(1, -32_022)).state.provenModern, true);
  });

  it('knows the latest list of tools', () => {
    const { state } = read(
      stdio,
      handshake(),
      ask(1, 'tools/list'),
      answer(1, { tools: [{ name: 'a' }, { name: 'b' }] }),
      ask(2, 'tools/list'),
      answer(2, { tools: [{ name: 'b' }] }),
    );
    assert.deepEqual([state.tools.get('a'), state.tools.get('b')?.n, state.tools.complete], [undefined, 8, true]);
    assert.equal(
      read(stdio, ask(1, 'tools/list'), answer(1, { tools: [], nextCursor: 'x' })).state.tools.complete,
      false,
    );
  });

  it('knows which side closed', () => {
    const note = (text: string, from: 'client' | 'server') =>
      read(stdio, line('note', text, { from })).state.closed?.by;
    assert.equal(note('The client closed the stdin of the server', 'client'), 'client');
    assert.equal(note('closed', 'server'), 'server');
    assert.equal(note('SIGINT was passed on to the server', 'client'), undefined);
  });

  it('distinguishes clients that a server records as one', () => {
    const exchange = (number: number, id: number) => [
      line('http', 'POST', { from: 'client', http: { exchange: number, part: 'request', method: 'POST' } }),
      inside(client({ id, method: `m${number}`, params: { _meta: meta() } })),
    ];
    const { messages, state } = read(
      http.as({ recorder: 'server' }),
      exchange(1, 7),
      exchange(2, 7),
      status(2, 200),
      inside(complete(7)),
      rest(1),
    );
    assert.equal(state.mixed, true);
    const [last] = messages.slice(-1);
    assert.equal(last?.kind === 'response' ? last.request?.method : undefined, 'm2');
    assert.equal(state.waiting.client.size, 1);
    const { messages: both } = read(
      http.as({ recorder: 'server' }),
      exchange(1, 7),
      handshake(),
      ask(1, 'ping', {}, 'server'),
      answer(1, {}, 'client'),
    );
    assert.deepEqual(
      both.map(({ revision }) => revision),
      ['2026-07-28', ...Array.from({ length: 5 }, () => undefined)],
    );
  });

  it('treats two handshakes on a proxy as two clients', () => {
    const proxy = http.as({ recorder: 'tap' });
    assert.equal(read(proxy, handshake()).state.mixed, false);
    assert.equal(read(proxy, handshake(), handshake('2025-11-25', { id: 'again' })).state.mixed, true);
    assert.equal(read(http, handshake(), handshake('2025-11-25', { id: 'again' })).state.mixed, false);
  });

  it('treats a request with an older revision in its metadata as one of 2026-07-28, which has metadata', () => {
    const { messages } = read(stdio, modern(1, 'x', {}, { protocolVersion: '2025-06-18' }));
    assert.equal(messages[0]?.revision, '2026-07-28');
  });

  it('limits the number and the size of pending requests, and knows that it forgot some', () => {
    const asks = Array.from({ length: 10_001 }, (_, id) => ask(id, 'ping'));
    const { state } = read(stdio, asks);
    assert.deepEqual([state.waiting.client.size, state.forgetful], [10_000, true]);
    const large = Array.from({ length: 20 }, (_, id) => ask(id, 'x', { text: 'x'.repeat(2 * 1024 * 1024) }));
    assert.equal(read(stdio, large).state.waiting.client.size, 15);
  });

  it('assigns a notification about a request the revision of that request', () => {
    const { messages } = read(
      stdio,
      handshake(),
      modern(1, 'x'),
      tell('notifications/cancelled', { requestId: 1 }, 'client'),
    );
    assert.equal(messages.at(-1)?.revision, '2026-07-28');
  });
});
