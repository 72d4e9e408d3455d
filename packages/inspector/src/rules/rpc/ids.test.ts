import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  answer,
  ask,
  cases,
  client,
  complete,
  diagnose,
  discovered,
  handshake,
  http,
  inside,
  line,
  meta,
  modern,
  post,
  refuse,
  rest,
  server,
  status,
  type Step,
  stdio,
} from '../fixtures/traces.ts';

const error = { severity: 'error' } as const;

cases('id-reused', {
  broken: {
    'an id that still waits': {
      ...error,
      blame: 'client',
      trace: [stdio, handshake(), ask(1, 'ping'), ask(1, 'tools/list')],
      says: /sent tools\/list with the id 1, which still waits/,
      cites: ['ping', 'tools/list'],
      clause: /2025-11-25\/basic#requests$/,
    },
    'an id that was answered': {
      ...error,
      blame: 'server',
      trace: [stdio, handshake(), ask(1, 'ping', {}, 'server'), answer(1, {}, 'client'), ask(1, 'ping', {}, 'server')],
      says: /The server sent ping with the id 1, which it used before/,
    },
    'an id that waits since 2026-07-28': {
      ...error,
      blame: 'client',
      trace: [stdio, discovered(), modern(1, 'tools/list'), modern(1, 'prompts/list')],
      says: /still waits/,
    },
  },
  kept: {
    'ids that are counted up': [stdio, handshake(), ask(1, 'ping'), ask(2, 'ping'), ask('1', 'ping')],
    'the same id on both sides': [stdio, handshake(), ask(1, 'ping'), ask(1, 'ping', {}, 'server')],
    'an answered id since 2026-07-28': [
      stdio,
      discovered(),
      modern(1, 'tools/list'),
      complete(1),
      modern(1, 'tools/list'),
    ],
    'ids that begin anew with a process': [
      stdio,
      line('open', 'x'),
      handshake('2025-11-25', { id: 0 }),
      ask(1, 'ping'),
      line('exit', 'ended by SIGTERM', { from: 'server' }),
      line('open', 'x'),
      handshake('2025-11-25', { id: 0 }),
      ask(1, 'ping'),
    ],
    'a handshake after a probe with the same id': [
      stdio,
      modern(0, 'server/discover'),
      handshake('2025-11-25', { id: 0 }),
    ],
    'clients that a server cannot tell apart': [
      http.as({ recorder: 'server' }),
      ...[1, 2].map((exchange) => [
        line('http', 'POST', { from: 'client', http: { exchange, part: 'request', method: 'POST' } }),
        inside(client({ id: 1, method: 'tools/list', params: { _meta: meta() } })),
      ]),
    ],
  },
});

cases('unknown-response', {
  broken: {
    'an answer to nothing': {
      ...error,
      blame: 'server',
      trace: [stdio, handshake(), answer(99, {})],
      says: /answered 99, which is the id of no request of the client/,
      cites: ['99'],
    },
    'an answer of the client to nothing': {
      ...error,
      blame: 'client',
      trace: [stdio, handshake(), answer(5, {}, 'client')],
      says: /no request of the server/,
    },
    'a made-up id over HTTP': {
      blame: 'server',
      severity: 'info',
      trace: [http, post(1, ask(1, 'ping')), status(1, 400), refuse('server-error', -32_600)],
      says: /"server-error"/,
    },
  },
  kept: {
    'an answer to a request': [stdio, ask(1, 'ping'), answer(1, {})],
    'an answer to the probe before the handshake': [
      stdio,
      modern(7, 'server/discover'),
      handshake(),
      refuse(7, -32_601),
    ],
    'an answer after a cancellation': [
      stdio,
      handshake(),
      ask(1, 'ping'),
      client({ method: 'notifications/cancelled', params: { requestId: 1 } }),
      rest(50),
      answer(1, {}),
    ],
  },
});

cases('duplicate-response', {
  broken: {
    'a second answer': {
      ...error,
      blame: 'server',
      trace: [stdio, ask(1, 'ping'), answer(1, {}), answer(1, {})],
      says: /The server answered 1 again/,
      cites: [/^/, /^/],
    },
  },
  kept: { 'two requests': [stdio, ask(1, 'ping'), ask(2, 'ping'), answer(2, {}), answer(1, {})] },
});

cases('id-type-changed', {
  broken: {
    'a number that became text': {
      ...error,
      blame: 'server',
      trace: [stdio, ask(1, 'ping'), answer('1', {})],
      says: /answered ping with the id "1", but the request has 1/,
    },
    'text that became a number': {
      ...error,
      blame: 'server',
      trace: [stdio, ask('7', 'ping'), answer(7, {})],
      says: /with the id 7/,
    },
  },
  kept: {
    'ids as they came': [stdio, ask(1, 'ping'), answer(1, {}), ask('2', 'ping'), answer('2', {})],
    'both, side by side': [stdio, ask(1, 'ping'), ask('1', 'ping'), answer('1', {}), answer(1, {})],
  },
});

describe('an id that the client reuses while it is pending', () => {
  const rulesIn = (...steps: readonly Step[]): string[] =>
    diagnose(stdio, handshake(), ...steps).map(({ rule, blame }) => `${rule} ${blame}`);
  const twice = [ask(1, 'ping'), ask(1, 'tools/list')];

  it('is blamed only on the client, in any order of the answers', () => {
    assert.deepEqual(rulesIn(...twice, answer(1, {}), answer(1, { tools: [] })), ['id-reused client']);
    assert.deepEqual(rulesIn(...twice, answer(1, { tools: [] }), answer(1, {})), ['id-reused client']);
  });
  it('blames the server if it answers more often than it was asked', () => {
    assert.deepEqual(rulesIn(...twice, answer(1, {}), answer(1, { tools: [] }), answer(1, {})), [
      'id-reused client',
      'duplicate-response server',
    ]);
  });
  it('does not hide problems of later requests', () => {
    assert.deepEqual(
      rulesIn(...twice, answer(1, {}), answer(1, { tools: [] }), ask(2, 'ping'), answer(3, {}), answer(2, {})),
      ['id-reused client', 'unknown-response server'],
    );
  });
});

it('an answer with the id as another type is one finding, not three', () => {
  const found = diagnose(
    stdio,
    handshake(),
    ask(1, 'ping'),
    answer('1', {}),
    rest(60_000),
    server({ id: 9, method: 'ping' }),
  );
  assert.deepEqual(
    found.map(({ rule }) => rule),
    ['id-type-changed'],
  );
});
