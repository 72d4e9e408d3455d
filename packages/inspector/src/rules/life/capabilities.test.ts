import {
  answer,
  ask,
  cases,
  discovered,
  handshake,
  http,
  line,
  modern,
  refuse,
  server,
  stdio,
  tell,
} from '../fixtures/traces.ts';

const none = handshake('2025-11-25', { client: {}, server: {} });
function empty(id: number, method: string) {
  return [ask(id, method), refuse(id, -32_601)];
}

cases('server-capability', {
  broken: {
    'a server that has tools and does not say so': {
      blame: 'server',
      severity: 'error',
      trace: [
        stdio,
        none,
        ask(1, 'tools/list'),
        answer(1, { tools: [{ name: 'a', inputSchema: { type: 'object' } }] }),
      ],
      says: /The server answers tools\/list, but does not declare the capability tools/,
      cites: ['tools/list', '"a"'],
    },
    'a client that uses a missing feature': {
      blame: 'client',
      severity: 'error',
      trace: [stdio, none, empty(1, 'prompts/list')],
      says: /The client sent prompts\/list, but the server does not declare the capability prompts/,
    },
    'the same where it only should not': {
      blame: 'client',
      severity: 'warning',
      trace: [stdio, handshake('2025-03-26', { server: {} }), empty(1, 'prompts/list')],
      says: /prompts\/list/,
    },
    'an empty list': {
      blame: 'client',
      severity: 'error',
      trace: [stdio, none, ask(1, 'tools/list'), answer(1, { tools: [] })],
      says: /The client sent tools\/list/,
    },
    'a subscription without subscribe': {
      blame: 'server',
      severity: 'error',
      trace: [
        stdio,
        handshake('2025-11-25', { server: { resources: {} } }),
        ask(1, 'resources/subscribe', { uri: 'a:b' }),
        answer(1, {}),
      ],
      says: /capability resources.subscribe/,
    },
  },
  kept: {
    'a declared feature': [stdio, handshake(), ask(1, 'tools/list'), answer(1, { tools: [] })],
    'completion in a revision without its capability': [
      stdio,
      handshake('2024-11-05', { server: {} }),
      ask(1, 'completion/complete'),
      answer(1, { completion: { values: [] } }),
    ],
    'a ping': [stdio, none, ask(1, 'ping'), answer(1, {})],
    'a server of 2026-07-28 without server/discover': [
      stdio,
      modern(1, 'tools/list'),
      answer(1, { resultType: 'complete', tools: [] }),
    ],
    'clients that a server cannot tell apart': [http.as({ recorder: 'server' }), none, empty(1, 'tools/list')],
  },
});

const form = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
const page = { mode: 'url', message: 'Go', url: 'https://a.example/', elicitationId: '1' };
function asked(client: Record<string, unknown>, method: string, params: Record<string, unknown> = {}) {
  return [stdio, handshake('2025-11-25', { client }), ask(1, method, params, 'server')];
}
function required(clientCapabilities: object, method: string, params: object = {}) {
  return [
    stdio,
    modern(1, 'tools/call', { name: 'x' }, { clientCapabilities }),
    answer(1, { resultType: 'input_required', inputRequests: { a: { method, params } } }),
  ];
}
const server1 = { blame: 'server', severity: 'error' } as const;

cases('client-capability', {
  broken: {
    'a model that is not there': {
      ...server1,
      trace: asked({}, 'sampling/createMessage'),
      says: /asked for sampling\/createMessage, but the client does not declare the capability sampling$/,
      cites: ['sampling'],
    },
    'tools for a model that takes none': {
      ...server1,
      trace: asked({ sampling: {} }, 'sampling/createMessage', { tools: [] }),
      says: /sampling.tools/,
    },
    roots: { ...server1, trace: asked({}, 'roots/list'), says: /capability roots/ },
    'a form': { ...server1, trace: asked({}, 'elicitation/create', form), says: /capability elicitation$/ },
    'a page where only forms are taken': {
      ...server1,
      trace: asked({ elicitation: {} }, 'elicitation/create', page),
      says: /elicitation.url/,
    },
    'a form where only pages are taken': {
      ...server1,
      trace: asked({ elicitation: { url: {} } }, 'elicitation/create', form),
      says: /elicitation.form/,
    },
    'a question in a result': {
      ...server1,
      trace: required({}, 'elicitation/create', form),
      says: /asked for elicitation\/create, but the client does not declare the capability elicitation/,
      cites: ['tools/call', 'input_required'],
      clause: /2026-07-28/,
    },
    'an older revision': {
      blame: 'server',
      severity: 'warning',
      trace: [stdio, handshake('2025-03-26', { client: {} }), ask(1, 'roots/list', {}, 'server')],
      says: /roots/,
    },
  },
  kept: {
    'a declared feature': [
      ...asked({ elicitation: { url: {}, form: {} }, sampling: { tools: {} }, roots: {} }, 'elicitation/create', page),
      ask(2, 'sampling/createMessage', { tools: [] }, 'server'),
      ask(3, 'roots/list', {}, 'server'),
    ],
    'a client that is asked before anything is known of it': [stdio, ask(1, 'roots/list', {}, 'server')],
    'a client that sends a question': [
      stdio,
      handshake('2025-11-25', { client: {} }),
      ask(1, 'sampling/createMessage'),
    ],
    'a complete result with questions in it': [
      stdio,
      modern(1, 'tools/call', { name: 'x' }, { clientCapabilities: {} }),
      answer(1, { resultType: 'complete', inputRequests: { a: { method: 'roots/list' } } }),
    ],
    'forms where nothing is said of modes': asked({ elicitation: {} }, 'elicitation/create', form),
    'the first revision with forms': [
      stdio,
      handshake('2025-06-18', { client: { elicitation: {} } }),
      ask(1, 'elicitation/create', form, 'server'),
    ],
    'a question in a result that may be asked': required({ elicitation: {} }, 'elicitation/create', form),
    'a server that pings': asked({}, 'ping'),
  },
});

cases('notification-capability', {
  broken: {
    'a log of a server that does not log': {
      blame: 'server',
      severity: 'error',
      trace: [
        stdio,
        none,
        tell('notifications/message', { level: 'info', data: 1 }),
        tell('notifications/message', { level: 'info', data: 2 }),
      ],
      says: /The server sends notifications\/message, but does not declare the capability logging/,
      cites: ['"data":1'],
    },
    'a change of a list that does not change': {
      blame: 'server',
      severity: 'warning',
      trace: [stdio, handshake('2025-11-25', { server: { tools: {} } }), tell('notifications/tools/list_changed')],
      says: /tools.listChanged/,
    },
    'a change of roots': {
      blame: 'client',
      severity: 'warning',
      trace: [
        stdio,
        handshake('2025-11-25', { client: { roots: {} } }),
        tell('notifications/roots/list_changed', undefined, 'client'),
      ],
      says: /The client sends notifications\/roots\/list_changed/,
    },
  },
  kept: {
    'a declared feature': [
      stdio,
      handshake(),
      tell('notifications/message', { level: 'info', data: 1 }),
      tell('notifications/tools/list_changed'),
    ],
    'progress, which needs nothing': [stdio, none, tell('notifications/progress', { progressToken: 1, progress: 1 })],
    'a server of 2026-07-28': [stdio, discovered(), server({ method: 'notifications/x' }), line('note', 'x')],
  },
});
