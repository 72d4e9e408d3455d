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
  event,
  handshake,
  http,
  inside,
  line,
  modern,
  post,
  status,
  stdio,
  STREAM,
} from '../fixtures/traces.ts';

function failed(reason: string) {
  return [http, post(1, modern(1, 'server/discover')), end(1, `failed: ${reason}`)];
}
const transport = { blame: 'transport', severity: 'error' } as const;

cases('unreachable', {
  broken: {
    'a port on which nothing listens': {
      ...transport,
      trace: [
        ...failed('connect ECONNREFUSED 127.0.0.1:3000'),
        post(2, modern(2, 'server/discover')),
        end(2, 'failed: connect ECONNREFUSED'),
      ],
      says: /https:\/\/mcp.example\/mcp was not reached: nothing listens there/,
      fix: /Is the server running/,
      cites: ['server/discover', 'POST', 'ECONNREFUSED'],
    },
    'a reason that is not known': {
      ...transport,
      trace: failed('a purple error'),
      says: /the connection failed \(.*purple/,
    },
    'a login whose server is unreachable': {
      ...transport,
      trace: [
        http,
        line('auth', 'failed: getaddrinfo ENOTFOUND login.example', { http: { exchange: 1, part: 'end' } }),
      ],
      says: /there is no such host/,
    },
    'a note of a recorder': {
      ...transport,
      trace: [http, line('note', 'connect ECONNREFUSED ::1:80')],
      says: /nothing listens there/,
    },
  },
  kept: {
    'an answer that ends': [http, post(1, ask(1, 'ping')), status(1, 200), inside(answer(1, {})), end(1)],
    'a client that leaves': [http, post(1, ask(1, 'ping')), end(1, 'left before the end')],
    'a server that speaks of it': [stdio, line('note', 'connect ECONNREFUSED')],
    'a connection that failed later': [
      http,
      post(1, ask(1, 'ping')),
      status(1, 200, STREAM),
      end(1, 'failed: read ECONNRESET'),
    ],
  },
});

for (const [text, what] of [
  ['getaddrinfo EAI_AGAIN mcp.example', /could not be looked up/],
  ['connect ETIMEDOUT 10.0.0.1:443', /does not answer/],
  ['connect EHOSTUNREACH 10.0.0.1', /host is not reachable/],
  ['certificate has expired', /run out/],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', /self-signed/],
  ['unable to verify the first certificate', /cannot be verified/],
  ["Hostname/IP does not match certificate's altnames", /another name/],
  ['write EPROTO 00:error:0A00010B:SSL routines::wrong version number', /TLS/],
  ['Parse Error: Expected HTTP/, RTSP/ or ICE/', /not HTTP/],
  ['socket hang up', /was cut/],
] as const) {
  it(`a failure is explained: ${text}`, () => {
    const [finding] = diagnose(...failed(text)).filter(({ rule }) => rule === 'unreachable');
    assert.match(finding?.message ?? '', what);
    assert.equal(finding?.blame, 'transport');
  });
}

const begin = [http, handshake()];
const streaming = [...begin, post(1, call(1, 'x')), status(1, 200, STREAM)];

cases('stream-cut', {
  broken: {
    'a connection that is cut': {
      blame: 'transport',
      severity: 'warning',
      trace: [...streaming, event(1), end(1, 'failed: read ECONNRESET')],
      says: /The connection was cut before tools\/call was answered \(failed: read ECONNRESET\)/,
      fix: /Proxies/,
      cites: ['tools/call', 'POST', '200', 'ECONNRESET'],
    },
    'a server that ends too early': {
      blame: 'server',
      severity: 'warning',
      trace: [...streaming, end(1)],
      says: /ended the stream before it answered tools\/call/,
    },
    'a body that is cut': {
      blame: 'transport',
      severity: 'warning',
      trace: [...begin, post(1, call(1, 'x')), status(1, 200), end(1, 'failed: aborted')],
      says: /cut/,
    },
    'a stream of 2026-07-28, which is not taken up again': {
      blame: 'transport',
      severity: 'warning',
      trace: [
        http,
        post(1, modern(1, 'tools/call', { name: 'x' })),
        status(1, 200, STREAM),
        event(1, '7'),
        end(1, 'failed: terminated'),
      ],
      says: /cut/,
    },
  },
  kept: {
    'a stream with its answer': [...streaming, event(1), inside(answer(1, { content: [] })), end(1)],
    'a stream that can be taken up again': [...streaming, event(1, '7'), end(1)],
    'a client that cancelled': [
      ...streaming,
      client({ method: 'notifications/cancelled', params: { requestId: 1 } }),
      end(1, 'failed: aborted'),
    ],
    'a client that left': [...streaming, end(1, 'left before the end')],
    'a refusal': [...begin, post(1, call(1, 'x')), status(1, 500), end(1)],
    'a refusal in a stream': [...begin, post(1, call(1, 'x')), status(1, 503, STREAM), end(1)],
    'a request without any answer': [...begin, post(1, call(1, 'x')), end(1)],
    'a page, which has a rule of its own': [
      ...begin,
      post(1, call(1, 'x')),
      status(1, 200, { 'content-type': 'text/html' }),
      end(1),
    ],
  },
});
