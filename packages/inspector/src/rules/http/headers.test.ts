import {
  answer,
  ask,
  call,
  cases,
  complete,
  discovered,
  end,
  event,
  get,
  handshake,
  http,
  inside,
  meta,
  modern,
  part,
  post,
  rest,
  status,
  STREAM,
  tell,
} from '../fixtures/traces.ts';

const begin = [http, handshake()];
const error = { blame: 'client', severity: 'error' } as const;
const V = { 'mcp-protocol-version': '2025-11-25' };

cases('http-accept', {
  broken: {
    'JSON alone': {
      ...error,
      trace: [
        ...begin,
        post(1, call(1, 'x'), { accept: 'application/json' }),
        status(1, 200),
        inside(answer(1, { content: [] })),
        end(1),
      ],
      says: /A POST has the Accept header "application\/json": text\/event-stream is missing/,
      cites: ['tools/call', 'POST', '200'],
    },
    nothing: { ...error, trace: [...begin, get(1, {}), status(1, 405), end(1)], says: /A GET has no Accept header/ },
    anything: {
      blame: 'client',
      severity: 'warning',
      trace: [...begin, post(1, call(1, 'x'), { accept: '*/*' }), status(1, 406), end(1)],
      says: /should be named/,
    },
  },
  kept: {
    both: [...begin, post(1, call(1, 'x')), status(1, 200), get(2), status(2, 405), end(2)],
    'both, with weights': [
      ...begin,
      post(1, call(1, 'x'), { accept: 'text/event-stream;q=0.9, Application/JSON' }),
      status(1, 200),
    ],
    'the older transport': [
      http,
      get(1),
      status(1, 200, STREAM),
      event(1, '', 'endpoint'),
      post(2, ask(1, 'ping'), { accept: 'application/json' }),
      status(2, 202, {}),
    ],
    'another method': [
      ...begin,
      part({ exchange: 1, part: 'request', method: 'DELETE', headers: {} }, 'DELETE', 'client'),
      status(1, 200),
    ],
    'headers that were not recorded': [
      ...begin,
      part({ exchange: 1, part: 'request', method: 'POST' }, 'POST', 'client'),
      status(1, 200),
    ],
  },
});

cases('http-version-header', {
  broken: {
    'a request after the handshake': {
      ...error,
      trace: [...begin, post(1, call(1, 'x')), status(1, 200)],
      says: /The header MCP-Protocol-Version of a POST is missing/,
      cites: ['tools/call', 'POST', '200'],
      clause: /2025-11-25\/basic\/transports#protocol-version-header$/,
    },
    'another version than was agreed on': {
      blame: 'client',
      severity: 'warning',
      trace: [...begin, post(1, call(1, 'x'), { 'mcp-protocol-version': '2025-06-18' }), status(1, 200)],
      says: /is "2025-06-18", but 2025-11-25 was agreed on/,
    },
    'a GET': { ...error, trace: [...begin, rest(5), get(1), status(1, 405)], says: /of a GET is missing/ },
    'no header in 2026-07-28': {
      ...error,
      trace: [http, post(1, modern(1, 'tools/list')), status(1, 400)],
      says: /is missing/,
      clause: /streamable-http#protocol-version-header$/,
    },
    'another version than in _meta': {
      ...error,
      trace: [http, post(1, modern(1, 'tools/list'), V), status(1, 400)],
      says: /is "2025-11-25", but _meta says "2026-07-28"/,
    },
  },
  kept: {
    'the version that was agreed on': [...begin, post(1, call(1, 'x'), V), status(1, 200)],
    'a request that was on its way when the handshake ended': [
      http,
      ask('i', 'initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'x', version: '1' },
      }),
      get(1),
      answer('i', { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'x', version: '1' } }),
      status(1, 405),
    ],
    'a value that is not in the trace': [
      ...begin,
      post(1, call(1, 'x'), { 'mcp-protocol-version': '…' }),
      status(1, 200),
    ],
    'the version in _meta': [
      http,
      post(1, modern(1, 'tools/list'), { 'mcp-protocol-version': '2026-07-28' }),
      status(1, 200),
    ],
    'a revision without the header': [http, handshake('2025-03-26'), post(1, call(1, 'x')), status(1, 200)],
    'the handshake itself': [
      http,
      post(
        1,
        ask('i', 'initialize', {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'x', version: '1' },
        }),
      ),
      status(1, 200),
      inside(answer('i', { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'x', version: '1' } })),
      end(1),
    ],
  },
});

const mirrored = {
  name: 'x',
  inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
};
const listed = [
  http,
  discovered(),
  modern('t', 'tools/list'),
  complete('t', { tools: [mirrored], ttlMs: 0, cacheScope: 'public' }),
];
const H = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'x' };
function called(headers: object, args: object = {}) {
  return [
    ...listed,
    post(1, modern(1, 'tools/call', { name: 'x', arguments: args }), headers as Record<string, unknown>),
    status(1, 200),
  ];
}

cases('http-mirror', {
  broken: {
    'a method that is missing': {
      ...error,
      trace: called({ ...H, 'mcp-method': undefined }),
      says: /header Mcp-Method is missing \(the body says "tools\/call"\)/,
      cites: ['tools/call', 'POST', '200'],
    },
    'another method': {
      ...error,
      trace: called({ ...H, 'mcp-method': 'TOOLS/CALL' }),
      says: /Mcp-Method is "TOOLS\/CALL", but the body says "tools\/call"/,
    },
    'another name': {
      ...error,
      trace: called({ ...H, 'mcp-name': 'y' }),
      says: /Mcp-Name is "y", but the body says "x"/,
    },
    'base64 that is none': {
      ...error,
      trace: called({ ...H, 'mcp-name': '=?base64?%%?=' }),
      says: /Mcp-Name cannot be decoded/,
    },
    'a number that is another': {
      ...error,
      trace: [
        http,
        discovered(),
        modern('t', 'tools/list'),
        complete('t', {
          tools: [
            {
              name: 'x',
              inputSchema: { type: 'object', properties: { count: { type: 'integer', 'x-mcp-header': 'Count' } } },
            },
          ],
          ttlMs: 0,
          cacheScope: 'public',
        }),
        post(1, modern(1, 'tools/call', { name: 'x', arguments: { count: 42 } }), { ...H, 'mcp-param-count': '43' }),
        status(1, 200),
      ],
      says: /Mcp-Param-Count is "43", but the body says "42"/,
    },
    'an argument that is missing': {
      ...error,
      trace: called(H, { region: 'north' }),
      says: /Mcp-Param-Region is missing \(the body says "north"\)/,
    },
    'another argument': {
      ...error,
      trace: called({ ...H, 'mcp-param-region': 'south' }, { region: 'north' }),
      says: /Mcp-Param-Region is "south"/,
    },
    'the address of a resource': {
      ...error,
      trace: [
        http,
        post(1, modern(1, 'resources/read', { uri: 'a:b' }), { 'mcp-method': 'resources/read' }),
        status(1, 400),
      ],
      says: /Mcp-Name is missing \(the body says "a:b"\)/,
    },
  },
  kept: {
    'headers that say the same': called({ ...H, 'mcp-param-region': ' north ' }, { region: 'north' }),
    'names that are encoded': [
      http,
      post(1, modern(1, 'tools/call', { name: 'zürich' }), {
        'mcp-method': 'tools/call',
        'mcp-name': '=?base64?esO8cmljaA==?=',
      }),
      status(1, 200),
    ],
    'numbers and truth, which are text in headers': [
      http,
      discovered(),
      modern('t', 'tools/list'),
      complete('t', {
        tools: [
          {
            name: 'x',
            inputSchema: {
              type: 'object',
              properties: {
                count: { type: 'integer', 'x-mcp-header': 'Count' },
                deep: { type: 'object', properties: { sure: { type: 'boolean', 'x-mcp-header': 'Sure' } } },
              },
            },
          },
        ],
        ttlMs: 0,
        cacheScope: 'public',
      }),
      post(1, modern(1, 'tools/call', { name: 'x', arguments: { count: 42, deep: { sure: true } } }), {
        ...H,
        'mcp-param-count': '42.0',
        'mcp-param-sure': 'true',
      }),
      status(1, 200),
    ],
    'a tool whose annotations cannot be used': [
      http,
      discovered(),
      modern('t', 'tools/list'),
      complete('t', {
        tools: [{ ...mirrored, inputSchema: { ...mirrored.inputSchema, 'x-mcp-header': 'Root' } }],
        ttlMs: 0,
        cacheScope: 'public',
      }),
      post(1, modern(1, 'tools/call', { name: 'x', arguments: { region: 'north' } }), H),
      status(1, 200),
    ],
    'an argument that is not there': called(H),
    'a value that is not in the trace': called({ ...H, 'mcp-name': '…' }),
    'a notification': [
      http,
      discovered(),
      post(1, tell('notifications/cancelled', { requestId: 'discover', _meta: meta() }, 'client')),
      status(1, 202),
    ],
    'a handshake revision': [...begin, post(1, call(1, 'x'), V), status(1, 200)],
  },
});
