// Single messages, each with its response: every method, valid and invalid.
import { ABLE, META, type Message } from '../message.ts';
import type { Scenario } from '../scenario.ts';
import type { Conversation } from '../conversation.ts';

type Input = readonly [name: string, message: (conversation: Conversation) => object | string];

/** A conversation that sends these messages one after the other. */
function inTurn(name: string, inputs: readonly Input[], more: Partial<Scenario> = {}): Scenario {
  return {
    name,
    ...more,
    async run(conversation) {
      await conversation.start();
      for (const [input, message] of inputs) await conversation.exchange(input, message(conversation));
    },
  };
}

/** Requests of one method that differ in their params. */
function requests(method: string, variants: Readonly<Record<string, object | undefined>>): Input[] {
  return Object.entries(variants).map(([name, params]): Input => [
    `${method}: ${name}`,
    (t) => t.request(method, params),
  ]);
}

const DISCOVERY: readonly Input[] = [
  ...['ping', 'server/discover', 'tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'].flatMap(
    (method) => [
      ...requests(method, { 'without params': undefined, 'with an unknown member': { unknown: { a: [1] } } }),
      ...requests(method, { 'unknown cursor': { cursor: 'nonsense' }, 'cursor is a number': { cursor: 7 } }),
    ],
  ),
  ['initialize once more', (t) => t.request('initialize', initializeParams(t.revision))],
  ['initialize with a version of the future', (t) => t.request('initialize', initializeParams('2099-01-01'))],
  ['initialize without params', (t) => ({ jsonrpc: '2.0', id: t.request('x').id, method: 'initialize' })],
  ['initialize with a claim', (t) => t.request('initialize', { ...initializeParams('2026-07-28'), _meta: CLAIM })],
  ...[
    '',
    'nonsense',
    'constructor',
    '__proto__',
    'toString',
    'rpc.discover',
    'tools/List',
    'notifications/initialized',
  ].map((method): Input => [`unknown method '${method}'`, (t) => t.request(method)]),
  ...['tasks/list', 'tasks/get', 'elicitation/create', 'sampling/createMessage', 'roots/list', 'tools/list '].map(
    (method): Input => [`method that a server does not have '${method}'`, (t) => t.request(method, {})],
  ),
];

const CLAIM = { [META.version]: '2026-07-28', [META.capabilities]: ABLE };

export function initializeParams(protocolVersion: unknown, capabilities: unknown = ABLE): object {
  return { protocolVersion, capabilities, clientInfo: { name: 'recorder', version: '1' } };
}

const TOOLS: readonly Input[] = [
  ...[
    ['echo', { a: [1, 'two', null, { deep: true }] }],
    ['echo', { text: 'Grüße, 日本 😀 \u2028 \u0000 " \\' }],
    ['echo', { big: 12345678901234567890n.toString(), float: 1e21, negative: -0 }],
    ['add', { a: 1, b: 2 }],
    ['add', { a: 1 }],
    ['add', { a: '1', b: 2 }],
    ['greet', undefined],
    ['greet', {}],
    ['greet', { name: 'Ann' }],
    ['greet', { name: null }],
    ['strict', { city: 'Bonn' }],
    ['strict', { city: 'B' }],
    ['strict', { city: 'Bonn', days: 0 }],
    ['strict', { city: 'Bonn', other: 1 }],
    ['strict', {}],
    ['list', {}],
    ['nothing', {}],
    ['silent', {}],
    ['everything', {}],
    ['whole', {}],
    ['refuse', {}],
    ['protocol', {}],
    ['boom', {}],
    ['boomLater', {}],
    ['badOutput', {}],
    ['soon', {}],
    ['steps', { steps: 2 }],
    ['chatty', {}],
    ['routed', { region: 'eu' }],
    ['scoped', {}],
    ['constructor', {}],
    ['big', { bytes: 30_000 }],
    ['missing', {}],
    ['__proto__', {}],
    ['toString', {}],
    ['', {}],
    ['Grüße', {}],
  ].map(([name, args], at): Input => [
    `call ${String(name)} ${at}: ${JSON.stringify(args)?.slice(0, 60) ?? 'no arguments'}`,
    (t) => t.call(name as string, args as object | undefined),
  ]),
  ...requests('tools/call', {
    'no params': undefined,
    'no name': { arguments: {} },
    'name is a number': { name: 7 },
    'name is null': { name: null },
    'arguments are null': { name: 'echo', arguments: null },
    'arguments are a list': { name: 'echo', arguments: [1] },
    'arguments are a text': { name: 'echo', arguments: '{}' },
    'an unknown member': { name: 'echo', arguments: {}, extra: true },
    'unrequested input responses': { name: 'echo', arguments: {}, inputResponses: { a: {} } },
    'a task': { name: 'echo', arguments: {}, task: { ttl: 1000 } },
  }),
  // Only the modern era has request states; elsewhere this tool would ask.
  ...['nonsense', 7, null].map((requestState): Input => [
    `a state that was not sealed: ${requestState}`,
    (t) => t.call(t.modern ? 'ask' : 'echo', {}, {}, { requestState }),
  ]),
];

const META_INPUTS: readonly Input[] = [
  ['who is calling', (t) => t.call('who')],
  ['who is calling, with a name', (t) => t.call('who', {}, { [META.info]: { name: 'named', version: '2' } })],
  [
    'who is calling, with meta of its own',
    (t) => t.call('who', {}, { 'com.example/own': { a: 1 }, traceparent: '00-1-2-3' }),
  ],
  ['who is calling, with fewer abilities', (t) => t.request('tools/call', { name: 'who' }, {}, { roots: {} })],
  ['client info that is a text', (t) => t.call('who', {}, { [META.info]: 'me' })],
  ['client info without a version', (t) => t.call('who', {}, { [META.info]: { name: 'me' } })],
  ['capabilities that are a list', (t) => t.request('tools/call', { name: 'who' }, {}, [])],
  ['capabilities that are null', (t) => t.request('tools/call', { name: 'who' }, { [META.capabilities]: null })],
  ['a version of the future', (t) => t.request('tools/call', { name: 'who' }, { [META.version]: '2099-01-01' })],
  ['a legacy version as claim', (t) => t.request('tools/call', { name: 'who' }, { [META.version]: '2025-11-25' })],
  ['a version that is a number', (t) => t.request('tools/call', { name: 'who' }, { [META.version]: 7 })],
  ['a version that is null', (t) => t.request('tools/call', { name: 'who' }, { [META.version]: null })],
  ['a version and no capabilities', (t) => request(t, { name: 'who', _meta: { [META.version]: '2026-07-28' } })],
  ['a modern claim', (t) => request(t, { name: 'who', _meta: CLAIM })],
  ['no claim', (t) => request(t, { name: 'who' })],
  ['meta that is null', (t) => request(t, { name: 'who', _meta: null })],
  ['meta that is a list', (t) => request(t, { name: 'who', _meta: [] })],
  ...['debug', 'info', 'notice', 'error', 'emergency', 'loud', 7, null].map((level): Input => [
    `log level ${String(level)}`,
    (t) => t.call('chatty', {}, { [META.level]: level }),
  ]),
  ...['token', '', 0, 17, -1, 1.5, null, true, {}, [], 2 ** 53].map((progressToken): Input => [
    `progress token ${JSON.stringify(progressToken)}`,
    (t) => t.call('steps', { steps: 3 }, { progressToken }),
  ]),
  ['progress that goes backward', (t) => t.call('backward', {}, { progressToken: 'b' })],
  ['progress and log before a failure', (t) => t.call('both', {}, { progressToken: 'b', [META.level]: 'debug' })],
  [
    'progress of a resource',
    (t) => t.request('resources/read', { uri: 'data://chatty' }, { progressToken: 1, [META.level]: 'info' }),
  ],
];

function request(conversation: Conversation, params: object, method = 'tools/call'): Message {
  return { jsonrpc: '2.0', id: conversation.request('x').id, method, params } as Message;
}

const RESOURCES: readonly Input[] = [
  ...['setting', 'bytes', 'json', 'gone', 'empty', 'broken', 'chatty', 'missing'].map((name): Input => [
    `read ${name}`,
    (t) => t.request('resources/read', { uri: `data://${name}` }),
  ]),
  ...[
    'item:///a/1',
    'item:///many/2',
    'item:///a',
    'item:///a/b/c',
    'item:///a%2Fb/%20',
    'file:///a/b/c.txt',
    'file:///../x',
  ].map((uri): Input => [`read ${uri}`, (t) => t.request('resources/read', { uri })]),
  ...['nonsense', '', 'DATA://setting', 'data://setting/', 'https://日本/'].map((uri): Input => [
    `read '${uri}'`,
    (t) => t.request('resources/read', { uri }),
  ]),
  ...requests('resources/read', { 'no uri': {}, 'no params': undefined, 'uri is a number': { uri: 7 } }),
  ...['resources/subscribe', 'resources/unsubscribe'].flatMap((method) =>
    requests(method, {
      setting: { uri: 'data://setting' },
      'setting again': { uri: 'data://setting' },
      template: { uri: 'item:///a/1' },
      missing: { uri: 'data://missing' },
      'no uri': {},
      'uri is a number': { uri: 7 },
    }),
  ),
  ...['a', 'b', 'c', 'd'].map((id): Input => [
    `subscribe beyond the limit: ${id}`,
    (t) => t.request('resources/subscribe', { uri: `item:///x/${id}` }),
  ]),
];

const PROMPTS: readonly Input[] = [
  ...requests('prompts/get', {
    review: { name: 'review', arguments: { code: 'a = 1', style: 'short' } },
    'review in the usual style': { name: 'review', arguments: { code: 'a = 1' } },
    'review without code': { name: 'review', arguments: {} },
    'review without arguments': { name: 'review' },
    'review of a number': { name: 'review', arguments: { code: 7 } },
    'review with more': { name: 'review', arguments: { code: 'x', unknown: 'y' } },
    talk: { name: 'talk' },
    whole: { name: 'whole', arguments: {} },
    broken: { name: 'broken' },
    missing: { name: 'missing' },
    constructor: { name: 'constructor' },
    'no name': {},
    'no params': undefined,
    'arguments are a list': { name: 'review', arguments: [] },
  }),
  ...requests('completion/complete', {
    'style of a prompt': { ref: { type: 'ref/prompt', name: 'review' }, argument: { name: 'style', value: 's' } },
    'everything of a prompt': { ref: { type: 'ref/prompt', name: 'review' }, argument: { name: 'style', value: '' } },
    'argument without completion': {
      ref: { type: 'ref/prompt', name: 'review' },
      argument: { name: 'code', value: '' },
    },
    'argument that is missing': { ref: { type: 'ref/prompt', name: 'review' }, argument: { name: 'none', value: '' } },
    'completion that fails': { ref: { type: 'ref/prompt', name: 'review' }, argument: { name: 'other', value: 'x' } },
    'prompt that is missing': { ref: { type: 'ref/prompt', name: 'missing' }, argument: { name: 'a', value: '' } },
    'variable of a template': {
      ref: { type: 'ref/resource', uri: 'item:///{kind}/{id}' },
      argument: { name: 'kind', value: 'al' },
    },
    'more than fits': {
      ref: { type: 'ref/resource', uri: 'item:///{kind}/{id}' },
      argument: { name: 'id', value: '1' },
    },
    'with context': {
      ref: { type: 'ref/resource', uri: 'item:///{kind}/{id}' },
      argument: { name: 'id', value: '1' },
      context: { arguments: { kind: 'alpha' } },
    },
    'template that is missing': {
      ref: { type: 'ref/resource', uri: 'none:///{a}' },
      argument: { name: 'a', value: '' },
    },
    'resource instead of a template': {
      ref: { type: 'ref/resource', uri: 'data://setting' },
      argument: { name: 'a', value: '' },
    },
    'reference of an unknown type': { ref: { type: 'ref/tool', name: 'echo' }, argument: { name: 'a', value: '' } },
    'no reference': { argument: { name: 'a', value: '' } },
    'no argument': { ref: { type: 'ref/prompt', name: 'review' } },
    'value is a number': { ref: { type: 'ref/prompt', name: 'review' }, argument: { name: 'style', value: 7 } },
    'context is a text': {
      ref: { type: 'ref/prompt', name: 'review' },
      argument: { name: 'style', value: '' },
      context: 'x',
    },
  }),
  ...requests('logging/setLevel', {
    warning: { level: 'warning' },
    loud: { level: 'loud' },
    'a number': { level: 7 },
    nothing: {},
  }),
  ['log at the level that was set', (t) => t.call('chatty')],
];

const NOTIFICATIONS: readonly Input[] = [
  ...[
    'notifications/initialized',
    'notifications/roots/list_changed',
    'notifications/unknown',
    'notifications/message',
    'tools/call',
    '',
  ].map((method): Input => [`notification '${method}'`, (t) => t.notification(method)]),
  ['notification with params', (t) => t.notification('notifications/initialized', { a: 1 })],
  ['notification with a claim', (t) => t.notification('notifications/unknown', { _meta: CLAIM })],
  [
    'notification with a wrong claim',
    (t) => t.notification('notifications/unknown', { _meta: { [META.version]: 'x' } }),
  ],
  ['notification with params that are a list', (t) => ({ ...t.notification('notifications/unknown'), params: [] })],
  ...[1, 'none', null, {}, undefined].map((requestId): Input => [
    `cancellation of ${JSON.stringify(requestId) ?? 'nothing'}`,
    (t) => t.notification('notifications/cancelled', { requestId, reason: 'no reason' }),
  ]),
  [
    'progress with an unknown token',
    (t) => t.notification('notifications/progress', { progressToken: 'x', progress: 1 }),
  ],
  ['unexpected answer', () => ({ jsonrpc: '2.0', id: 99, result: {} })],
  ['answer with a text as id', () => ({ jsonrpc: '2.0', id: 'none', result: {} })],
  ['unexpected error', () => ({ jsonrpc: '2.0', id: 99, error: { code: -1, message: 'no' } })],
  ['error without an id', () => ({ jsonrpc: '2.0', error: { code: -1, message: 'no' } })],
  ['answer that is both', () => ({ jsonrpc: '2.0', id: 99, result: {}, error: { code: -1, message: 'no' } })],
  ['answer whose result is a text', () => ({ jsonrpc: '2.0', id: 99, result: 'x' })],
];

export const MESSAGES: readonly Scenario[] = [
  inTurn('discovery', DISCOVERY),
  inTurn('tools', TOOLS),
  inTurn('meta', META_INPUTS),
  inTurn('resources', RESOURCES),
  inTurn('prompts', PROMPTS),
  inTurn('notifications', NOTIFICATIONS),
  inTurn('modern only', DISCOVERY.slice(0, 12).concat(TOOLS.slice(0, 2), META_INPUTS.slice(0, 2)), {
    profile: 'modern-only',
    // HTTP+SSE is not served there.
    only: ({ transport }) => !transport.endsWith('-stateless') && transport !== 'sse',
  }),
  inTurn('legacy only', DISCOVERY.slice(0, 12).concat(TOOLS.slice(0, 2), META_INPUTS.slice(0, 2)), {
    profile: 'legacy-only',
    only: ({ transport }) => !transport.endsWith('-stateless'),
  }),
];
