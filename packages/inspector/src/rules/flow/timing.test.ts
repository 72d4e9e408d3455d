import {
  answer,
  ask,
  call,
  cases,
  complete,
  discovered,
  handshake,
  http,
  inside,
  line,
  modern,
  rest,
  stdio,
  tell,
} from '../fixtures/traces.ts';

const begin = [stdio, handshake()];
const done = answer(1, { content: [] });
function withToken(id: number, name: string) {
  return ask(id, 'tools/call', { name, arguments: {}, _meta: { progressToken: 't' } });
}
function progress(count: number) {
  return tell('notifications/progress', { progressToken: 't', progress: count });
}
const info = { name: 'x', version: '1' };
const opening = ask(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info });
const opened = answer(0, { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: info });
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
    'a tool that stops reporting progress': {
      blame: 'server',
      severity: 'info',
      trace: [...begin, withToken(1, 'nap'), rest(3_000), progress(1), rest(6_000), done],
      says: /tools\/call nap took 9 s, 6 s of it without progress$/,
      fix: /^Report progress/,
    },
    'a tool of which no progress was asked for': {
      blame: 'server',
      severity: 'info',
      trace: [...begin, call(1, 'nap'), rest(7_200), done],
      says: /nap took 7.2 s$/,
      fix: /progressToken.*or do the work as a task/,
    },
    'a slow handshake of a process that had said something': {
      blame: 'server',
      severity: 'info',
      trace: [stdio, line('open', 'x'), ask(1, 'ping'), answer(1, {}), opening, rest(6_000), opened],
      says: /initialize took 6 s$/,
      fix: /^Answer at once(?!.*task)/,
    },
    'a slow list': {
      blame: 'server',
      severity: 'info',
      trace: [...begin, ask(1, 'tools/list'), rest(6_000), answer(1, { tools: [] })],
      says: /tools\/list took 6 s$/,
      fix: /^(?!.*task)/,
    },
    'a call right after a slow start': {
      blame: 'server',
      severity: 'info',
      trace: [stdio, line('open', 'x'), rest(9_000), handshake(), call(1, 'nap'), rest(6_000), done],
      says: /nap took 6 s/,
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
    'a slow tool that reports progress': [
      ...begin,
      withToken(1, 'nap'),
      ...[1, 2, 3, 4].flatMap((count) => [rest(4_000), progress(count)]),
      rest(4_000),
      done,
    ],
    'a process that takes long to start': [stdio, line('open', 'npx x'), opening, rest(20_000), opened],
    'a second process that takes long to start': [...begin, line('open', 'npx x'), opening, rest(20_000), opened],
    'a token that two clients use': [
      http.as({ recorder: 'server' }),
      ...[1, 2].flatMap((exchange) => [
        line('http', 'POST', { from: 'client', http: { exchange, part: 'request', method: 'POST' } }),
        inside(modern(exchange, 'tools/call', { name: 'nap', arguments: {} }, { progressToken: 1 })),
      ]),
      rest(6_000),
      inside(complete(1, { content: [] })),
    ],
    'a user who takes time': [
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
