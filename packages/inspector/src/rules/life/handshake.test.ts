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

function initialize(params: object = {}) {
  return ask('init', 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'x', version: '1' },
    ...params,
  });
}
function initialized(result: object = {}) {
  return answer('init', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    serverInfo: { name: 'x', version: '1' },
    ...result,
  });
}
const ready = tell('notifications/initialized', undefined, 'client');

cases('initialize-first', {
  broken: {
    'a request without a handshake': {
      blame: 'client',
      severity: 'error',
      trace: [stdio, ask(1, 'tools/list'), ask(2, 'prompts/list')],
      says: /The client sent tools\/list before initialize$/,
      cites: ['tools/list'],
      clause: /2025-11-25\/basic\/lifecycle#initialization$/,
    },
    'a request before initialize is answered': {
      blame: 'client',
      severity: 'warning',
      trace: [stdio, initialize(), ask(1, 'tools/list')],
      says: /before initialize was answered/,
    },
    'a request after the handshake was refused': {
      blame: 'client',
      severity: 'error',
      trace: [stdio, initialize(), refuse('init', -32_602), ask(1, 'tools/list')],
      says: /before initialize$/,
    },
    'a server that asks too early': {
      blame: 'server',
      severity: 'warning',
      trace: [stdio, initialize(), initialized(), ask(1, 'roots/list', {}, 'server'), ready],
      says: /The server asked roots\/list before/,
    },
  },
  kept: {
    'a handshake': [stdio, handshake(), ask(1, 'tools/list'), ask(1, 'roots/list', {}, 'server')],
    'pings, which may come at any time': [
      stdio,
      ask(1, 'ping'),
      initialize(),
      ask(2, 'ping'),
      ask(1, 'ping', {}, 'server'),
      initialized(),
      ready,
    ],
    'logs before the handshake is over': [
      stdio,
      initialize(),
      tell('notifications/message', { level: 'info', data: 1 }),
      initialized(),
      ready,
    ],
    'requests that carry their version': [stdio, modern(1, 'tools/list')],
    'the probe of a client of both eras': [
      stdio,
      modern(0, 'server/discover'),
      refuse(0, -32_601),
      handshake(),
      ask(1, 'tools/list'),
    ],
  },
});

cases('initialized-missing', {
  broken: {
    'a client that continues at once': {
      blame: 'client',
      severity: 'error',
      trace: [stdio, initialize(), initialized(), ask(1, 'tools/list'), ask(2, 'tools/list')],
      says: /sent tools\/list without notifications\/initialized before it/,
      cites: ['serverInfo', 'tools/list'],
    },
  },
  kept: {
    'a handshake': [stdio, handshake(), ask(1, 'tools/list')],
    'a ping in between': [stdio, initialize(), initialized(), ask(1, 'ping'), ready, ask(2, 'tools/list')],
    'one that was said too early': [stdio, initialize(), ready, initialized(), ask(1, 'tools/list')],
    'a conversation that ends there': [stdio, initialize(), initialized()],
    'requests of 2026-07-28 beside it': [stdio, initialize(), initialized(), modern(1, 'tools/list')],
  },
});

cases('handshake-shape', {
  broken: {
    'a client without a name': {
      blame: 'client',
      severity: 'error',
      trace: [stdio, initialize({ clientInfo: { name: 'x' } })],
      says: /The client sent initialize without a usable clientInfo/,
      cites: ['initialize'],
    },
    'a client that says nothing': {
      blame: 'client',
      severity: 'error',
      trace: [stdio, ask(1, 'initialize')],
      says: /protocolVersion, capabilities, clientInfo/,
    },
    'a server without capabilities': {
      blame: 'server',
      severity: 'error',
      trace: [stdio, initialize(), initialized({ capabilities: undefined })],
      says: /The server answered initialize without a usable capabilities/,
    },
    'a server that is discovered without versions': {
      blame: 'server',
      severity: 'error',
      trace: [stdio, modern(1, 'server/discover'), complete(1, { capabilities: {} })],
      says: /server\/discover without a usable supportedVersions/,
      clause: /2026-07-28\/basic\/versioning/,
    },
  },
  kept: {
    'a handshake': [stdio, handshake()],
    'a refusal': [stdio, initialize(), refuse('init', -32_602)],
    'a server that is discovered': [stdio, discovered()],
  },
});

cases('version-answer', {
  broken: {
    'an unknown version': {
      blame: 'server',
      severity: 'warning',
      trace: [stdio, initialize(), initialized({ protocolVersion: '1.0' })],
      says: /answered with the version "1.0", which was never published; requested was "2025-11-25"/,
      cites: ['initialize', '1.0'],
    },
    'a version without a handshake': {
      blame: 'server',
      severity: 'error',
      trace: [stdio, initialize(), initialized({ protocolVersion: '2026-07-28' })],
      says: /agreed on 2026-07-28, which has no handshake/,
    },
  },
  kept: {
    'the version that was asked for': [stdio, handshake()],
    'an older one': [stdio, initialize(), initialized({ protocolVersion: '2024-11-05' }), ready],
    'a refusal': [
      stdio,
      initialize(),
      refuse('init', -32_022),
      client({ method: 'notifications/cancelled', params: {} }),
    ],
  },
});
