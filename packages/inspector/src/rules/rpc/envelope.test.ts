import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  answer,
  ask,
  cases,
  client,
  diagnose,
  handshake,
  http,
  line,
  post,
  refuse,
  server,
  status,
  stdio,
  tell,
} from '../fixtures/traces.ts';

const both = { severity: 'error' } as const;

cases('not-json-rpc', {
  broken: {
    'a message without its version': {
      ...both,
      blame: 'server',
      trace: [stdio, ask(1, 'ping'), server('{"id":1,"result":{}}')],
      says: /The server sent .*: it has no "jsonrpc": "2.0"/,
      cites: ['"result"'],
    },
    'another version': {
      ...both,
      blame: 'client',
      trace: [stdio, client({ jsonrpc: '1.0', id: 1, method: 'ping' })],
      says: /"jsonrpc" is "1.0"/,
    },
    'a message that says nothing': {
      ...both,
      blame: 'server',
      trace: [stdio, server({ id: 1 })],
      says: /neither "method" nor "result"/,
    },
    'a method that is not a string': {
      ...both,
      blame: 'client',
      trace: [stdio, client({ id: 1, method: 7 })],
      says: /"method" is 7/,
    },
    'two in one': {
      ...both,
      blame: 'client',
      trace: [stdio, client({ id: 1, method: 'ping', result: {} })],
      says: /a request and a response in one/,
    },
    'params that are a list': {
      ...both,
      blame: 'client',
      trace: [stdio, client({ id: 1, method: 'ping', params: [1] })],
      says: /"params" is an array/,
    },
    'invalid JSON': {
      ...both,
      blame: 'server',
      trace: [stdio, server('{"jsonrpc":"2.0",')],
      says: /it is not JSON/,
    },
    'a number': { ...both, blame: 'server', trace: [stdio, server('5')], says: /it is 5, not an object/ },
  },
  kept: {
    'requests, responses and notifications': [
      stdio,
      handshake(),
      ask(1, 'ping'),
      answer(1, {}),
      ask(2, 'x/y'),
      refuse(2, -32_601),
    ],
    'a text that lost a secret': [stdio, line('message', '{"a":[redacted]', { from: 'server', redacted: true })],
  },
});

cases('id-null', {
  broken: {
    'a request whose id is null': {
      ...both,
      blame: 'client',
      trace: [stdio, ask(null, 'ping')],
      says: /a request whose id is null/,
      cites: ['ping'],
    },
    'a request whose id is an object': {
      ...both,
      blame: 'client',
      trace: [stdio, ask({ a: 1 }, 'ping')],
      says: /id is an object/,
    },
    'a result without one': {
      ...both,
      blame: 'server',
      trace: [stdio, ask(1, 'ping'), answer(null, {})],
      says: /an answer whose id is null/,
    },
    'an error without the id of its request': {
      blame: 'server',
      severity: 'warning',
      trace: [stdio, ask(1, 'ping'), refuse(null, -32_601)],
      says: /an answer whose id is null/,
    },
  },
  kept: {
    'an error about an unreadable message': [stdio, ask(1, 'ping'), refuse(null, -32_700)],
    'an error over HTTP about a whole request': [http, post(1, ask(1, 'ping')), status(1, 400), refuse(null, -32_000)],
    'the id 0 and an empty id': [stdio, ask(0, 'ping'), answer(0, {}), ask('', 'ping'), answer('', {})],
  },
});

cases('id-fraction', {
  broken: { 'a fraction': { ...both, blame: 'client', trace: [stdio, ask(1.5, 'ping')], says: /the id 1.5/ } },
  kept: {
    'whole numbers and text': [
      stdio,
      ask(1, 'ping'),
      ask('1.5', 'ping'),
      client('{"jsonrpc":"2.0","id":2.0,"method":"ping"}'),
    ],
  },
});

cases('notification-answered', {
  broken: {
    'a result': {
      ...both,
      blame: 'server',
      trace: [stdio, handshake(), server({ id: null, result: {} })],
      says: /The server answered the notification notifications\/initialized/,
      cites: ['notifications/initialized', 'result'],
    },
    'an error': {
      ...both,
      blame: 'server',
      trace: [stdio, handshake(), server({ error: { code: -32_601, message: 'Method not found' } })],
      says: /answered the notification/,
    },
  },
  kept: {
    'an error about an unreadable message': [stdio, handshake(), refuse(null, -32_600)],
    'an error over HTTP': [http, handshake(), refuse(null, -32_601)],
    'the answer to a request between': [stdio, handshake(), ask(1, 'ping'), answer(1, {})],
    'a notification of the same side': [
      stdio,
      tell('notifications/message', { level: 'info', data: 1 }),
      answer(null, {}),
    ],
  },
});

it('an answer to a notification is one finding, not two', () => {
  const found = diagnose(stdio, handshake(), server({ id: null, result: {} }));
  assert.deepEqual(
    found.map(({ rule }) => rule),
    ['notification-answered'],
  );
});

cases('batch', {
  broken: {
    'where there are none': {
      ...both,
      blame: 'client',
      trace: [stdio, handshake('2025-06-18'), client([{ jsonrpc: '2.0', id: 1, method: 'ping' }])],
      says: /a batch that is not part of 2025-06-18/,
    },
    'an answer in one': {
      ...both,
      blame: 'server',
      trace: [stdio, handshake(), ask(1, 'ping'), server([{ jsonrpc: '2.0', id: 1, result: {} }])],
      says: /The server sent a batch/,
    },
    'an empty one': { ...both, blame: 'client', trace: [stdio, handshake('2025-03-26'), client([])], says: /is empty/ },
    'a handshake in one': {
      ...both,
      blame: 'client',
      trace: [stdio, client([{ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }])],
      says: /holds initialize/,
    },
    'in a revision that does not speak of them': {
      blame: 'client',
      severity: 'warning',
      trace: [stdio, handshake('2024-11-05'), client([{ jsonrpc: '2.0', id: 1, method: 'ping' }])],
      says: /is not part of 2024-11-05/,
    },
  },
  kept: {
    'where there are some': [
      stdio,
      handshake('2025-03-26'),
      client([
        { jsonrpc: '2.0', id: 1, method: 'ping' },
        { jsonrpc: '2.0', id: 2, method: 'ping' },
      ]),
      server([
        { jsonrpc: '2.0', id: 2, result: {} },
        { jsonrpc: '2.0', id: 1, result: {} },
      ]),
    ],
  },
});
