import {
  answer,
  ask,
  call,
  cases,
  client,
  discovered,
  handshake,
  modern,
  rest,
  stdio,
  tell,
} from '../fixtures/traces.ts';

function cancel(requestId: unknown, from: 'client' | 'server' = 'client') {
  return tell('notifications/cancelled', requestId === undefined ? {} : { requestId }, from);
}
const begin = [stdio, handshake()];
const done = answer(1, { content: [] });
const error = { blame: 'client', severity: 'error' } as const;

cases('cancel-unknown', {
  broken: {
    'a request that was never sent': {
      ...error,
      trace: [...begin, cancel(99)],
      says: /names 99, which the client never sent/,
      cites: ['cancelled'],
    },
    'an id as another type': { ...error, trace: [...begin, call(1, 'x'), cancel('1')], says: /names "1"/ },
    'a request of the other side': {
      blame: 'server',
      severity: 'error',
      trace: [...begin, call(1, 'x'), cancel(1, 'server')],
      says: /which the server never sent/,
    },
    'the handshake': {
      ...error,
      trace: [
        stdio,
        ask(0, 'initialize', {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'x', version: '1' },
        }),
        cancel(0),
      ],
      says: /about initialize, which is never cancelled/,
    },
    'no request at all': {
      ...error,
      trace: [stdio, handshake('2025-06-18'), cancel(undefined)],
      says: /names no request/,
    },
    'a server that cancels a request other than a subscription': {
      blame: 'server',
      severity: 'error',
      trace: [stdio, discovered(), modern(1, 'tools/call', { name: 'x' }), cancel(1, 'server')],
      says: /names 1, which is not a subscription/,
    },
  },
  kept: {
    'a request that waits': [...begin, call(1, 'x'), cancel(1)],
    'a request whose answer crossed': [...begin, call(1, 'x'), done, cancel(1)],
    'a question of the server': [...begin, ask(1, 'roots/list', {}, 'server'), cancel(1, 'server')],
    'a subscription, by a server': [
      stdio,
      discovered(),
      modern(1, 'subscriptions/listen', { notifications: {} }),
      cancel(1, 'server'),
    ],
    'a task, which 2025-11-25 names otherwise': [...begin, cancel(undefined)],
  },
});

cases('cancel-ignored', {
  broken: {
    'an answer long after': {
      blame: 'server',
      severity: 'warning',
      trace: [...begin, call(1, 'x'), cancel(1), rest(3_000), done],
      says: /answered tools\/call 3 s after it was cancelled/,
      cites: ['tools/call', 'content'],
    },
  },
  kept: {
    'an answer that crosses': [...begin, call(1, 'x'), cancel(1), rest(200), done],
    'a request that was not cancelled': [...begin, call(1, 'x'), rest(3_000), done, client({ id: 2, method: 'ping' })],
  },
});
