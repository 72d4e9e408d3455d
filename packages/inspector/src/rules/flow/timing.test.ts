import {
  answer,
  ask,
  call,
  cases,
  discovered,
  handshake,
  junk,
  line,
  modern,
  rest,
  stdio,
  tell,
} from '../fixtures/traces.ts';

const begin = [stdio, handshake()];
const done = answer(1, { content: [] });
const form = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };

cases('slow-answer', {
  broken: {
    'a slow tool': {
      blame: 'server',
      severity: 'info',
      trace: [...begin, call(1, 'nap'), rest(7_200), done],
      says: /tools\/call nap took 7.2 s$/,
      cites: ['nap', 'content'],
    },
    'a tool that waits for a person': {
      blame: 'client',
      severity: 'info',
      trace: [
        ...begin,
        call(1, 'book'),
        ask(1, 'elicitation/create', form, 'server'),
        rest(9_000),
        answer(1, { action: 'accept', content: {} }, 'client'),
        rest(1_000),
        done,
      ],
      says: /took 10 s; 9 s of it the server waited for answers of the client/,
    },
    'a slow client': {
      blame: 'client',
      severity: 'info',
      trace: [...begin, ask(1, 'roots/list', {}, 'server'), rest(6_000), answer(1, { roots: [] }, 'client')],
      says: /roots\/list took 6 s/,
    },
  },
  kept: {
    'a quick tool': [...begin, call(1, 'nap'), rest(4_000), done],
    'a person who takes time': [
      ...begin,
      ask(1, 'elicitation/create', form, 'server'),
      rest(60_000),
      answer(1, { action: 'cancel' }, 'client'),
    ],
    'a subscription': [
      stdio,
      discovered(),
      modern(1, 'subscriptions/listen', { notifications: {} }),
      rest(60_000),
      answer(1, { resultType: 'complete' }),
    ],
  },
});

const timer = line('timer', 'No answer to tools/call in 60000 ms', { cause: 5 });

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
      says: /the last the server wrote is no message/,
      cites: ['nap', 'resu', 'No answer'],
    },
  },
  kept: {
    'a timer when nothing waits': [...begin, call(1, 'nap'), done, timer],
    'a request that was answered in time': [...begin, call(1, 'nap'), done],
  },
});
