import { answer, ask, call, cases, handshake, junk, line, rest, stdio, tell } from '../fixtures/traces.ts';

const begin = [stdio, handshake()];
const done = answer(1, { content: [] });
const timer = line('timer', 'No answer to tools/call in 60000 ms', { cause: 5 });

const declined = [
  call(1, 'nap'),
  ask('q', 'elicitation/create', { message: 'Sleep now?', requestedSchema: {} }, 'server'),
  answer('q', { action: 'decline' }, 'client'),
];

cases('timeout', {
  broken: {
    'a client that lost patience': {
      blame: 'unknown',
      severity: 'warning',
      trace: [...begin, call(1, 'nap'), rest(60_000), timer],
      says: /The client waited 60 s for the server to answer tools\/call nap, then its time was up$/,
      cites: ['nap', 'No answer'],
    },
    'the request that the timer names, of two': {
      blame: 'unknown',
      severity: 'warning',
      trace: [...begin, call(1, 'first'), call(2, 'second'), rest(60_000), line('timer', 'No answer', { cause: 6 })],
      says: /tools\/call second/,
    },
    'noise that a message has followed': {
      blame: 'unknown',
      severity: 'warning',
      trace: [
        ...begin,
        call(1, 'nap'),
        junk('hello'),
        tell('notifications/message', { level: 'info', data: 1 }),
        rest(60_000),
        timer,
      ],
      says: /then its time was up$/,
      fix: /more time/,
    },
    'an answer that was no message': {
      blame: 'server',
      severity: 'warning',
      trace: [...begin, call(1, 'nap'), junk('{"jsonrpc":"2.0","id":1,"resu'), rest(60_000), timer],
      says: /the last output of the server is not a message/,
      cites: ['nap', 'resu', 'No answer'],
    },
    'a cancellation that says so, beside a timer': {
      blame: 'unknown',
      severity: 'warning',
      trace: [
        ...begin,
        call(1, 'nap'),
        rest(60_000),
        tell('notifications/cancelled', { requestId: 1, reason: 'timeout' }, 'client'),
        timer,
      ],
      says: /The client waited 60 s for the server to answer tools\/call nap, then its time was up$/,
      cites: ['nap', 'timeout'],
    },
    'a cancellation in the words of other SDKs': {
      blame: 'unknown',
      severity: 'warning',
      trace: [
        ...begin,
        call(1, 'nap'),
        rest(60_000),
        tell('notifications/cancelled', { requestId: 1, reason: 'McpError: -32001: Request timed out' }, 'client'),
      ],
      says: /waited 60 s/,
    },
    'a handler that does not continue after an answer': {
      blame: 'unknown',
      severity: 'warning',
      trace: [...begin, ...declined, rest(8_000), timer],
      says: /answer tools\/call nap, then its time was up; the server asked "Sleep now\?", got decline, and sent nothing for 8 s$/,
      fix: /continue after each answer: decline, cancel/,
      cites: ['nap', 'Sleep now', 'decline', 'No answer'],
    },
    'a handler that continued after an answer': {
      blame: 'unknown',
      severity: 'warning',
      trace: [...begin, ...declined, tell('notifications/message', { level: 'info', data: 1 }), rest(8_000), timer],
      says: /then its time was up$/,
    },
  },
  kept: {
    'a cancellation for another reason': [
      ...begin,
      call(1, 'nap'),
      rest(60_000),
      tell('notifications/cancelled', { requestId: 1, reason: 'The user pressed Stop' }, 'client'),
    ],
    'a timer when nothing waits': [...begin, call(1, 'nap'), done, timer],
    'a request that was answered in time': [...begin, call(1, 'nap'), done],
  },
});
