import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  answer,
  ask,
  call,
  cases,
  client,
  diagnose,
  end,
  handshake,
  http,
  inside,
  modern,
  post,
  refuse,
  status,
  type Step,
} from '../fixtures/traces.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const S = { 'mcp-session-id': '…' };
function initialize(exchange: number, id: unknown, session = true) {
  return [
    post(
      exchange,
      ask(id, 'initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'x', version: '1' },
      }),
    ),
    status(exchange, 200, session ? { ...JSON_TYPE, ...S } : JSON_TYPE),
    inside(
      answer(id, {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'x', version: '1' },
      }),
    ),
    end(exchange),
  ];
}
const begin = [http, initialize(1, 'i')];

cases('http-session-header', {
  broken: {
    'a request without it': {
      blame: 'client',
      severity: 'error',
      trace: [...begin, post(2, call(1, 'x')), status(2, 400), end(2)],
      says: /A POST has no Mcp-Session-Id, although the server gave one/,
      cites: ['200', 'tools/call', 'POST', '400'],
    },
  },
  kept: {
    'a request with it': [...begin, post(2, call(1, 'x'), S), status(2, 200)],
    'a server without sessions': [http, initialize(1, 'i', false), post(2, call(1, 'x')), status(2, 200)],
    'a new handshake': [...begin, initialize(2, 'j')],
    'a request of 2026-07-28': [...begin, post(2, modern(1, 'tools/list')), status(2, 200)],
    'clients that a server cannot tell apart': [
      http.as({ recorder: 'server' }),
      initialize(1, 'i'),
      post(2, call(1, 'x')),
      status(2, 200),
    ],
  },
});

function gone(exchange: number, id: number) {
  return [post(exchange, call(id, 'x'), S), status(exchange, 404), refuse(id, -32_001), end(exchange)];
}

function served(exchange: number, id: number) {
  return [post(exchange, call(id, 'x'), S), status(exchange, 200, JSON_TYPE), inside(answer(id, {})), end(exchange)];
}
const UNSHARED = /^Several processes or nodes that do not share their sessions\?.*docs\/http\.md#several-nodes/;

cases('http-session-lost', {
  broken: {
    'a server that forgot it': {
      blame: 'server',
      severity: 'warning',
      trace: [...begin, served(2, 1), gone(3, 2), initialize(4, 'j'), served(5, 3)],
      says: /answered a POST with 404: it does not know the session any more/,
      fix: /restarted/,
    },
    'a session that is refused right after initialize': {
      blame: 'server',
      severity: 'error',
      trace: [...begin, gone(2, 1), initialize(3, 'j'), gone(4, 2)],
      says: /answered a POST with 404: it does not know the session that it has just given/,
      fix: UNSHARED,
    },
    'a session that is known only sometimes': {
      blame: 'server',
      severity: 'error',
      trace: [...begin, gone(2, 1), served(3, 2), gone(4, 3), served(5, 4), gone(6, 5)],
      says: /knows the session only sometimes: it answered 404, and later a result/,
      fix: UNSHARED,
      cites: ['tools/call', 'POST', '404', 'tools/call', 'POST', '200'],
    },
  },
  kept: {
    'an unknown method of 2026-07-28': [
      http,
      post(1, modern(1, 'x/y'), S),
      status(1, 404),
      inside(refuse(1, -32_601)),
      end(1),
    ],
    'a server without sessions': [http, handshake(), post(1, call(1, 'x')), status(1, 404), end(1)],
    'another refusal': [...begin, post(2, call(1, 'x'), S), status(2, 500), end(2), client({ id: 9, method: 'ping' })],
  },
});

function sidesIn(...trace: readonly Step[]): (readonly [blame: string, severity: string])[] {
  const found = diagnose(...trace).filter(({ rule }) => rule === 'http-session-lost');
  return found.map(({ blame, severity }) => [blame, severity]);
}

it('a client that continues a terminated session is blamed', () => {
  assert.deepEqual(sidesIn(...begin, served(2, 1), gone(3, 2), gone(4, 3)), [
    ['server', 'warning'],
    ['client', 'error'],
  ]);
});

it('a client that continues a session which the server knows again is not blamed', () => {
  assert.deepEqual(sidesIn(...begin, served(2, 1), gone(3, 2), gone(4, 3), served(5, 4)), [
    ['server', 'warning'],
    ['server', 'error'],
  ]);
  assert.deepEqual(sidesIn(...begin, gone(2, 1), gone(3, 2), served(4, 3), gone(5, 4)), [['server', 'error']]);
});
