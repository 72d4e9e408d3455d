import { answer, ask, cases, complete, discovered, handshake, line, modern, stdio, tell } from '../fixtures/traces.ts';

function tool(name: string) {
  return { name, inputSchema: { type: 'object' } };
}
function page(id: unknown, cursor: string | undefined, next: string | undefined, ...names: string[]) {
  return [
    ask(id, 'tools/list', cursor === undefined ? {} : { cursor }),
    answer(id, { tools: names.map(tool), nextCursor: next }),
  ];
}
const begin = [stdio, handshake()];

cases('cursor-loop', {
  broken: {
    'a page that leads to itself': {
      blame: 'server',
      severity: 'error',
      trace: [...begin, page(1, undefined, 'a', 'x'), page(2, 'a', 'a', 'y'), page(3, 'a', 'a', 'y')],
      says: /answered tools\/list with the cursor "a" again/,
      cites: ['"cursor":"a"', 'nextCursor'],
    },
    'a list whose beginning was not seen': {
      blame: 'server',
      severity: 'error',
      trace: [...begin, page(1, 'a', 'a', 'x')],
      says: /"a" again/,
    },
    'pages that go round': {
      blame: 'server',
      severity: 'error',
      trace: [...begin, page(1, undefined, 'a', 'x'), page(2, 'a', 'b', 'y'), page(3, 'b', 'a', 'z')],
      says: /"a" again/,
    },
  },
  kept: {
    'a list with an end': [
      ...begin,
      page(1, undefined, 'a', 'x'),
      page(2, 'a', 'b', 'y'),
      page(3, 'b', undefined, 'z'),
    ],
    'the same list twice': [
      ...begin,
      page(1, undefined, 'a', 'x'),
      page(2, 'a', undefined, 'y'),
      page(3, undefined, 'a', 'x'),
      page(4, 'a', undefined, 'y'),
    ],
    'another method with the same cursors': [
      ...begin,
      page(1, undefined, 'a', 'x'),
      ask(2, 'prompts/list', { cursor: 'a' }),
      answer(2, { prompts: [], nextCursor: 'b' }),
      ask(3, 'resources/list'),
      answer(3, { resources: [], nextCursor: 'a' }),
    ],
    'a cursor that is empty': [...begin, page(1, undefined, '', 'x'), page(2, '', undefined, 'y')],
  },
});

cases('list-duplicate', {
  broken: {
    'a name on two pages': {
      blame: 'server',
      severity: 'warning',
      trace: [...begin, page(1, undefined, 'a', 'x', 'y'), page(2, 'a', undefined, 'y', 'x')],
      says: /The server lists y twice in tools\/list/,
    },
    'a name twice on one page': {
      blame: 'server',
      severity: 'warning',
      trace: [
        ...begin,
        ask(1, 'resources/list'),
        answer(1, {
          resources: [
            { uri: 'a:b', name: '1' },
            { uri: 'a:b', name: '2' },
          ],
        }),
      ],
      says: /lists a:b twice in resources\/list/,
    },
  },
  kept: {
    'names that differ': [...begin, page(1, undefined, 'a', 'x'), page(2, 'a', undefined, 'X')],
    'the same list twice': [...begin, page(1, undefined, undefined, 'x'), page(2, undefined, undefined, 'x')],
  },
});

cases('cursor-unknown', {
  broken: {
    'a cursor that was made up': {
      blame: 'client',
      severity: 'error',
      trace: [...begin, page(1, undefined, 'a', 'x'), ask(2, 'tools/list', { cursor: 'b' })],
      says: /sent tools\/list with the cursor "b", which the server did not give in this session/,
      cites: ['"b"'],
    },
    'a cursor of the process before': {
      blame: 'client',
      severity: 'error',
      trace: [
        stdio,
        line('open', 'x'),
        handshake(),
        page(1, undefined, 'a', 'x'),
        line('exit', 'ended by SIGTERM', { from: 'server' }),
        line('open', 'x'),
        handshake(),
        ask(1, 'tools/list', { cursor: 'a' }),
      ],
      says: /"a"/,
    },
  },
  kept: {
    'a cursor of the server, later': [
      ...begin,
      page(1, undefined, 'a', 'x'),
      tell('notifications/tools/list_changed'),
      page(2, 'a', undefined, 'y'),
    ],
    'a cursor that was kept, since 2026-07-28': [
      stdio,
      discovered(),
      modern(1, 'tools/list', { cursor: 'a' }),
      complete(1, { tools: [] }),
    ],
  },
});
