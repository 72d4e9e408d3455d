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

cases('http-session-lost', {
  broken: {
    'a server that forgot it': {
      blame: 'server',
      severity: 'warning',
      trace: [...begin, gone(2, 1), initialize(3, 'j'), post(4, call(2, 'x'), S), status(4, 200)],
      says: /answered a POST with 404: it does not know the session any more/,
      fix: /restarted/,
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

it('a client that continues a terminated session is blamed', () => {
  const found = diagnose(...begin, gone(2, 1), gone(3, 2)).filter(({ rule }) => rule === 'http-session-lost');
  assert.deepEqual(
    found.map(({ blame, severity }) => [blame, severity]),
    [
      ['server', 'warning'],
      ['client', 'error'],
    ],
  );
});
