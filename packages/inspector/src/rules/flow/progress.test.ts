import { answer, ask, call, cases, client, handshake, http, rest, stdio, tell } from '../fixtures/traces.ts';

function asked(id: unknown, progressToken: unknown, from: 'client' | 'server' = 'client') {
  return ask(
    id,
    from === 'client' ? 'tools/call' : 'sampling/createMessage',
    { name: 'x', messages: [], _meta: { progressToken } },
    from,
  );
}
function progress(progressToken: unknown, value: unknown, from: 'client' | 'server' = 'server') {
  return tell('notifications/progress', { progressToken, progress: value }, from);
}
const done = answer(1, { content: [] });
const begin = [stdio, handshake()];
const error = { blame: 'server', severity: 'error' } as const;

cases('progress-unknown', {
  broken: {
    'an unknown token': {
      ...error,
      trace: [...begin, call(1, 'x'), progress(1, 1)],
      says: /reports progress for 1, a token that no request has/,
      cites: ['notifications/progress'],
    },
    'a token as another type': { ...error, trace: [...begin, asked(1, 7), progress('7', 1)], says: /for "7"/ },
    'progress of the client': {
      blame: 'client',
      severity: 'error',
      trace: [...begin, asked(1, 'a'), progress('a', 1, 'client')],
      says: /The client reports progress/,
    },
  },
  kept: {
    'a token that was given': [...begin, asked(1, 'a'), progress('a', 1), done],
    'a token the server gave': [...begin, asked(1, 'a', 'server'), progress('a', 1, 'client')],
  },
});

cases('progress-late', {
  broken: {
    'progress after the answer': {
      ...error,
      trace: [...begin, asked(1, 'a'), done, progress('a', 1)],
      says: /reports progress of tools\/call after it was answered/,
      cites: ['tools/call', 'progress'],
    },
    'a request that was to be a task, and is none': {
      ...error,
      trace: [
        ...begin,
        ask(1, 'tools/call', { name: 'x', task: {}, _meta: { progressToken: 'a' } }),
        done,
        progress('a', 1),
      ],
      says: /after it was answered/,
    },
    'progress long after the answer, over HTTP': {
      blame: 'server',
      severity: 'warning',
      trace: [http, handshake(), asked(1, 'a'), done, rest(3_000), progress('a', 1)],
      says: /after it was answered/,
    },
  },
  kept: {
    'progress before the answer': [...begin, asked(1, 'a'), progress('a', 1), done],
    'streams that overtake each other': [http, handshake(), asked(1, 'a'), done, rest(100), progress('a', 1)],
    'a task, which continues': [
      ...begin,
      ask(1, 'tools/call', { name: 'x', task: {}, _meta: { progressToken: 'a' } }),
      answer(1, { task: { taskId: '1', status: 'working' } }),
      progress('a', 1),
    ],
    'a token that is given again': [...begin, asked(1, 'a'), done, asked(2, 'a'), progress('a', 1)],
  },
});

cases('progress-order', {
  broken: {
    'progress that stands': {
      ...error,
      trace: [...begin, asked(1, 'a'), progress('a', 1), progress('a', 1)],
      says: /progress 1 of tools\/call after 1/,
      cites: ['"progress":1', '"progress":1'],
    },
    'progress that falls': {
      ...error,
      trace: [...begin, asked(1, 'a'), progress('a', 2), progress('a', 0.5)],
      says: /0.5 of tools\/call after 2/,
    },
    'progress that is not a number': {
      ...error,
      trace: [...begin, asked(1, 'a'), progress('a', '50%')],
      says: /that is "50%", not a number/,
    },
  },
  kept: {
    'progress that rises': [...begin, asked(1, 'a'), progress('a', 0), progress('a', 0.1), progress('a', 7)],
    'two at a time': [...begin, asked(1, 'a'), asked(2, 'b'), progress('a', 5), progress('b', 1), progress('a', 6)],
    'a token that is given again': [...begin, asked(1, 'a'), progress('a', 5), done, asked(2, 'a'), progress('a', 1)],
  },
});

cases('progress-token-reused', {
  broken: {
    'two requests at a time': {
      blame: 'client',
      severity: 'error',
      trace: [...begin, asked(1, 'a'), asked(2, 'a')],
      says: /gave tools\/call the progress token "a", which tools\/call still has/,
      cites: ['"id":1', '"id":2'],
    },
  },
  kept: {
    'one after the other': [...begin, asked(1, 'a'), done, asked(2, 'a')],
    'one on each side': [...begin, asked(1, 'a'), asked(1, 'a', 'server')],
    'a request that was cancelled': [
      ...begin,
      asked(1, 'a'),
      client({ method: 'notifications/cancelled', params: { requestId: 1 } }),
      asked(2, 'a'),
    ],
  },
});
