// The messages of a correct server.

const icons = [{ src: 'https://example.com/a.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' }];

const meta = { 'example.com/a': { b: 1 } };

const blocks = [
  {
    type: 'text',
    text: 'done',
    annotations: { audience: ['user'], priority: 1, lastModified: '2026-01-01T00:00:00Z' },
  },
  { type: 'image', data: 'aGk=', mimeType: 'image/png' },
  { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' },
  { type: 'resource', resource: { uri: 'x:text', mimeType: 'text/plain', text: 'hi' } },
  { type: 'resource', resource: { uri: 'x:blob', mimeType: 'image/png', blob: 'aGk=' } },
  {
    type: 'resource_link',
    uri: 'x:link',
    name: 'link',
    title: 'Link',
    description: 'd',
    size: 3,
    mimeType: 'a/b',
    icons,
  },
];

const serverInfo = {
  name: 'scripted',
  version: '1.0.0',
  title: 'Scripted',
  description: 'd',
  websiteUrl: 'https://example.com',
  icons,
};

const capabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
  tasks: { list: {}, requests: { tools: { call: {} } } },
  extensions: { 'example.com/a': {} },
  experimental: {},
};

const inputSchema = {
  type: 'object',
  properties: { a: { type: 'string', description: 'd', enum: ['x'], default: 'x' }, b: { $ref: '#/$defs/b' } },
  required: ['a'],
  $defs: { b: { anyOf: [{ type: 'number' }, { type: 'array', items: { type: 'string' } }] } },
};

/** Results by method. */
export const RESULTS = {
  initialize: { protocolVersion: '2025-11-25', capabilities, serverInfo, instructions: 'Be kind', _meta: meta },
  'tools/list': {
    tools: [
      {
        name: 'act',
        title: 'Act',
        description: 'Does it',
        inputSchema,
        annotations: { title: 'Acts', readOnlyHint: true, destructiveHint: false },
        icons,
        execution: { taskSupport: 'optional' },
        _meta: { ui: { resourceUri: 'ui://act' } },
      },
      { name: 'give', inputSchema: { type: 'object' }, outputSchema: { type: 'object', properties: { a: {} } } },
    ],
    nextCursor: undefined as unknown,
    _meta: meta,
  },
  'prompts/list': {
    prompts: [
      {
        name: 'ask',
        title: 'Ask',
        description: 'd',
        arguments: [{ name: 'a', description: 'd', required: true }],
        icons,
      },
    ],
  },
  'resources/list': {
    resources: [
      {
        uri: 'x:y',
        name: 'y',
        title: 'Y',
        description: 'd',
        mimeType: 'text/plain',
        size: 3,
        annotations: { priority: 1 },
      },
    ],
  },
  'resources/templates/list': {
    resourceTemplates: [{ uriTemplate: 'x:{y}', name: 't', title: 'T', description: 'd', mimeType: 'text/plain' }],
  },
  'tools/call': {
    content: blocks,
    structuredContent: { a: 1 },
    isError: false,
    task: undefined as unknown,
    _meta: meta,
  },
  'resources/read': {
    contents: [
      { uri: 'x:y', mimeType: 'text/plain', text: 'hi', _meta: meta },
      { uri: 'x:z', mimeType: 'image/png', blob: 'aGk=' },
    ],
  },
  'prompts/get': {
    description: 'd',
    messages: [
      { role: 'user', content: { type: 'text', text: 'hi' } },
      ...blocks.map((content) => ({ role: 'user', content })),
      { role: 'assistant', content: { type: 'text', text: 'ho' } },
    ],
  },
  'completion/complete': { completion: { values: ['one'], total: 3, hasMore: true } },
} as const;

/** The results that differ in the modern era. */
export const MODERN = {
  'server/discover': {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities,
    instructions: 'Be kind',
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
  },
  'tools/list': { ...RESULTS['tools/list'], resultType: 'complete', ttlMs: 1_000, cacheScope: 'private' },
  'resources/read': { ...RESULTS['resources/read'], resultType: 'complete', ttlMs: 1_000, cacheScope: 'public' },
  'tools/call': { ...RESULTS['tools/call'], resultType: 'complete' },
  /** The call first requires input. */
  asking: {
    resultType: 'input_required',
    inputRequests: {
      q: {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message: 'Who?',
          requestedSchema: { type: 'object', properties: { a: { type: 'string', default: 'b' } } },
        },
      },
    },
    requestState: 'state',
  },
} as const;

/** The messages that a server sends during a tool call: notifications, and requests that have an `id`. */
export const SENT = {
  progress: {
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: 0, progress: 1, total: 2, message: 'half' },
  },
  log: { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', logger: 'l', data: { a: 1 } } },
  changed: { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta: meta } },
  updated: { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'x:y' } },
  cancelled: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'r' } },
  completed: { jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId: 'e' } },
  taskStatus: {
    jsonrpc: '2.0',
    method: 'notifications/tasks/status',
    params: { taskId: 't', status: 'working', ttl: 1, pollInterval: 1, createdAt: 'x', lastUpdatedAt: 'x' },
  },
  form: {
    jsonrpc: '2.0',
    id: 'form',
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: 'Who?',
      requestedSchema: {
        type: 'object',
        properties: {
          a: {
            type: 'string',
            title: 'A',
            description: 'd',
            format: 'email',
            minLength: 1,
            maxLength: 90,
            default: 'a@b.de',
          },
          b: { type: 'string', enum: ['x', 'y'], enumNames: ['X', 'Y'], default: 'x' },
          c: { type: 'string', oneOf: [{ const: 'x', title: 'X' }], default: 'x' },
          d: { type: 'array', items: { type: 'string', enum: ['x'] }, minItems: 0, maxItems: 2, default: ['x'] },
          e: { type: 'integer', minimum: 0, maximum: 9, default: 3 },
          f: { type: 'boolean', default: true },
        },
        required: ['a'],
      },
      _meta: meta,
    },
  },
  page: {
    jsonrpc: '2.0',
    id: 'page',
    method: 'elicitation/create',
    params: { mode: 'url', message: 'Visit', url: 'https://example.com/a', elicitationId: 'e' },
  },
  sampling: {
    jsonrpc: '2.0',
    id: 'sampling',
    method: 'sampling/createMessage',
    params: {
      messages: [
        { role: 'user', content: { type: 'text', text: 'Hi' } },
        { role: 'assistant', content: [{ type: 'text', text: 'Ho' }] },
        { role: 'user', content: { type: 'image', data: 'aGk=', mimeType: 'image/png' } },
      ],
      maxTokens: 10,
      systemPrompt: 'Be kind',
      temperature: 0.5,
      stopSequences: ['.'],
      includeContext: 'none',
      modelPreferences: { hints: [{ name: 'demo' }], costPriority: 0.1, speedPriority: 0.1, intelligencePriority: 0.1 },
      metadata: { a: 1 },
      _meta: meta,
    },
  },
  roots: { jsonrpc: '2.0', id: 'roots', method: 'roots/list', params: { _meta: meta } },
  ping: { jsonrpc: '2.0', id: 'ping', method: 'ping', params: { _meta: meta } },
} as const;

/** An error response. */
export const FAILURE = { jsonrpc: '2.0', id: 0, error: { code: -32_000, message: 'no database', data: { a: 1 } } };
