import {
  answer,
  ask,
  cases,
  client,
  complete,
  discovered,
  handshake,
  modern,
  refuse,
  stdio,
  tell,
} from '../fixtures/traces.ts';

const error = { severity: 'error' } as const;

cases('wrong-revision', {
  broken: {
    'a question before there were questions': {
      ...error,
      blame: 'server',
      trace: [
        stdio,
        handshake('2025-03-26', { client: { elicitation: {} } }),
        ask(1, 'elicitation/create', {}, 'server'),
      ],
      says: /The server sent elicitation\/create, which 2025-03-26 does not have/,
      cites: ['elicitation/create'],
      clause: /2025-03-26\/basic$/,
    },
    'a method that is gone': {
      ...error,
      blame: 'client',
      trace: [stdio, modern(1, 'ping')],
      says: /sent ping, which 2026-07-28 does not have/,
    },
    'a method that is to come': {
      ...error,
      blame: 'client',
      trace: [stdio, handshake(), ask(1, 'subscriptions/listen', { notifications: {} })],
      says: /subscriptions\/listen, which 2025-11-25 does not have/,
    },
    'a notification that is gone': {
      ...error,
      blame: 'client',
      trace: [stdio, discovered(), tell('notifications/initialized', undefined, 'client')],
      says: /notifications\/initialized, which 2026-07-28/,
    },
    'a method of the other side': {
      ...error,
      blame: 'server',
      trace: [stdio, handshake(), ask(1, 'tools/list', {}, 'server')],
      says: /The server sent tools\/list, which only a client sends/,
    },
  },
  kept: {
    'methods of the revision': [stdio, handshake(), ask(1, 'ping'), ask(1, 'ping', {}, 'server'), ask(2, 'tasks/list')],
    'unknown methods': [stdio, handshake(), ask(1, 'skills/list'), tell('notifications/x')],
    'tasks, which became an extension': [stdio, discovered(), modern(1, 'tasks/get', { taskId: '1' })],
    'a server that asks, which has a rule of its own': [stdio, discovered(), ask(1, 'roots/list', {}, 'server')],
    'a probe, then a handshake': [stdio, modern(0, 'server/discover'), refuse(0, -32_601), handshake(), ask(1, 'ping')],
  },
});

cases('server-request', {
  broken: {
    'a server that sends a request': {
      ...error,
      blame: 'server',
      trace: [stdio, discovered(), ask(1, 'roots/list', {}, 'server')],
      says: /The server sent the request roots\/list: in 2026-07-28 servers send none/,
      cites: ['roots/list'],
      clause: /patterns\/mrtr$/,
    },
    'a client that answers': {
      ...error,
      blame: 'client',
      trace: [stdio, discovered(), answer(1, { roots: [] }, 'client')],
      says: /The client sent a response/,
    },
  },
  kept: {
    'the handshake revisions': [
      stdio,
      handshake(),
      ask(1, 'roots/list', {}, 'server'),
      answer(1, { roots: [] }, 'client'),
    ],
    'a dual server that asks a client of the handshake': [
      stdio,
      discovered(),
      handshake(),
      ask(1, 'ping', {}, 'server'),
      answer(1, {}, 'client'),
    ],
  },
});

const claim = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };

cases('request-meta', {
  broken: {
    'no capabilities': {
      ...error,
      blame: 'client',
      trace: [stdio, client({ id: 1, method: 'tools/list', params: { _meta: claim } })],
      says: /sent tools\/list without clientCapabilities in _meta/,
      cites: ['tools/list'],
      clause: /2026-07-28\/basic#meta$/,
    },
    'no metadata after requests that had some': {
      ...error,
      blame: 'client',
      trace: [stdio, discovered(), client({ id: 1, method: 'tools/list' })],
      says: /without protocolVersion, clientCapabilities/,
    },
    'no metadata where only 2026-07-28 has the method': {
      ...error,
      blame: 'client',
      trace: [stdio, client({ id: 1, method: 'server/discover' })],
      says: /server\/discover without protocolVersion/,
    },
    'a client without a name, once': {
      blame: 'client',
      severity: 'info',
      trace: [
        stdio,
        modern(1, 'tools/list', {}, { clientInfo: undefined }),
        modern(2, 'tools/list', {}, { clientInfo: undefined }),
      ],
      says: /does not name itself/,
    },
  },
  kept: {
    'requests with all of it': [stdio, discovered(), modern(1, 'tools/list')],
    'requests after a handshake': [stdio, handshake(), ask(1, 'tools/list')],
    'notifications, which need none': [
      stdio,
      discovered(),
      tell('notifications/cancelled', { requestId: 'discover' }, 'client'),
    ],
    'requests of the server': [stdio, discovered(), ask(1, 'x', {}, 'server')],
  },
});

cases('result-type', {
  broken: {
    'a result without one': {
      ...error,
      blame: 'server',
      trace: [stdio, discovered(), modern(1, 'tools/list'), answer(1, { tools: [] })],
      says: /result of tools\/list has no resultType/,
      cites: ['tools/list', 'tools'],
    },
    'an unknown one': {
      ...error,
      blame: 'server',
      trace: [stdio, modern(1, 'tools/call', { name: 'x' }), answer(1, { resultType: 'maybe' })],
      says: /resultType "maybe", which no extension of the client explains/,
    },
    'a server that may be of an older revision': {
      blame: 'unknown',
      severity: 'warning',
      trace: [stdio, modern(1, 'tools/list'), answer(1, { tools: [] })],
      says: /has no resultType/,
      fix: /initialize/,
    },
  },
  kept: {
    'complete results and questions': [
      stdio,
      modern(1, 'tools/list'),
      complete(1),
      modern(2, 'tools/call', { name: 'x' }),
      answer(2, { resultType: 'input_required', requestState: 'x' }),
    ],
    'a type of an extension': [
      stdio,
      modern(
        1,
        'tools/call',
        { name: 'x' },
        { clientCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
      ),
      answer(1, { resultType: 'task', taskId: '1' }),
    ],
    'results of a handshake revision': [stdio, handshake(), ask(1, 'tools/list'), answer(1, { tools: [] })],
  },
});

cases('cache-hints', {
  broken: {
    'a list without them, once': {
      ...error,
      blame: 'server',
      trace: [
        stdio,
        discovered(),
        modern(1, 'tools/list'),
        complete(1, { tools: [] }),
        modern(2, 'tools/list'),
        complete(2, { tools: [] }),
      ],
      says: /result of tools\/list ttlMs is nothing, cacheScope is nothing/,
      cites: ['tools/list', 'tools'],
      clause: /caching#cacheable-results$/,
    },
    'a time that is less than nothing': {
      ...error,
      blame: 'server',
      trace: [
        stdio,
        discovered(),
        modern(1, 'resources/read', { uri: 'a:b' }),
        complete(1, { contents: [], ttlMs: -1, cacheScope: 'public' }),
      ],
      says: /ttlMs is -1/,
    },
    'a scope that does not exist': {
      ...error,
      blame: 'server',
      trace: [
        stdio,
        discovered(),
        modern(1, 'prompts/list'),
        complete(1, { prompts: [], ttlMs: 0, cacheScope: 'all' }),
      ],
      says: /cacheScope is "all"/,
    },
  },
  kept: {
    'a list with them': [
      stdio,
      discovered(),
      modern(1, 'tools/list'),
      complete(1, { tools: [], ttlMs: 0, cacheScope: 'public' }),
    ],
    'a call': [stdio, discovered(), modern(1, 'tools/call', { name: 'x' }), complete(1, { content: [] })],
    'a read that asks first': [
      stdio,
      discovered(),
      modern(1, 'resources/read', { uri: 'a:b' }),
      answer(1, { resultType: 'input_required', requestState: 'x' }),
    ],
    'a list of a handshake revision': [stdio, handshake(), ask(1, 'tools/list'), answer(1, { tools: [] })],
  },
});
