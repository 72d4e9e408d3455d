import {
  answer,
  ask,
  call,
  cases,
  complete,
  discovered,
  handshake,
  http,
  modern,
  refuse,
  rest,
  stdio,
  tell,
} from '../fixtures/traces.ts';

function log(level: unknown, more: object = { data: 'x' }) {
  return tell('notifications/message', { level, ...more });
}
const setLevel = [ask('level', 'logging/setLevel', { level: 'warning' }), answer('level', {})];
const begin = [stdio, handshake()];
const error = { blame: 'server', severity: 'error' } as const;

cases('log-shape', {
  broken: {
    'a level that does not exist': {
      ...error,
      trace: [...begin, log('warn')],
      says: /the level "warn", which does not exist/,
      fix: /debug, info/,
    },
    'no data': { ...error, trace: [...begin, log('info', { message: 'x' })], says: /has no data/ },
  },
  kept: { 'logs of every level': [...begin, log('debug'), log('emergency'), log('info', { data: null })] },
});

cases('log-unasked', {
  broken: {
    'a log without a request': {
      ...error,
      trace: [stdio, discovered(), log('info')],
      says: /while no request asked for any/,
      cites: ['notifications/message'],
      clause: /logging#per-request-log-level$/,
    },
    'a log of a request that wants none': {
      ...error,
      trace: [stdio, discovered(), modern(1, 'tools/call', { name: 'x' }), log('info')],
      says: /no request asked/,
    },
    'a log after the answer': {
      ...error,
      trace: [
        stdio,
        discovered(),
        modern(1, 'tools/call', { name: 'x' }, { logLevel: 'info' }),
        complete(1, { content: [] }),
        log('info'),
      ],
      says: /no request asked/,
    },
  },
  kept: {
    'a log that was asked for': [
      stdio,
      discovered(),
      modern(1, 'tools/call', { name: 'x' }, { logLevel: 'info' }),
      log('info'),
      complete(1, { content: [] }),
    ],
    'logs of a handshake revision': [...begin, log('info')],
  },
});

cases('log-level', {
  broken: {
    'a log that is not severe enough': {
      blame: 'server',
      severity: 'warning',
      trace: [...begin, setLevel, log('notice')],
      says: /of the level notice; warning was asked for/,
      cites: ['setLevel', 'notice'],
    },
    'the same for one request': {
      blame: 'server',
      severity: 'warning',
      trace: [stdio, discovered(), modern(1, 'tools/call', { name: 'x' }, { logLevel: 'error' }), log('info')],
      says: /of the level info; error was asked for/,
    },
    'the same over HTTP, later': {
      blame: 'server',
      severity: 'warning',
      trace: [http, handshake(), setLevel, rest(2_000), log('info')],
      says: /info/,
    },
  },
  kept: {
    'logs that are severe enough': [...begin, setLevel, log('warning'), log('alert')],
    'a level that the server refused': [
      ...begin,
      ask('level', 'logging/setLevel', { level: 'error' }),
      refuse('level', -32_602),
      log('debug'),
    ],
    'a log of the client, which is wrong in another way': [
      ...begin,
      setLevel,
      tell('notifications/message', { level: 'debug', data: 1 }, 'client'),
    ],
    'logs before a level was set': [...begin, log('debug'), setLevel],
    'logs while the level is being set': [
      ...begin,
      ask('level', 'logging/setLevel', { level: 'error' }),
      log('debug'),
      answer('level', {}),
    ],
    'a message that crosses the request over HTTP': [http, handshake(), setLevel, rest(100), log('info')],
    'a request that wants more than another': [
      stdio,
      discovered(),
      modern(1, 'tools/call', { name: 'x' }, { logLevel: 'error' }),
      modern(2, 'tools/call', { name: 'x' }, { logLevel: 'debug' }),
      log('info'),
    ],
    'a call': [...begin, call(1, 'x')],
  },
});
