// Faults of a message that do not depend on its method: JSON, the envelope, ids, sizes, batches, order of the handshake.
import type { Scenario } from '../scenario.ts';
import type { Conversation } from '../conversation.ts';
import { initializeParams } from './messages.ts';

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}

/** Raw texts to send. */
const TEXTS: Readonly<Record<string, string>> = {
  'half an object': '{"jsonrpc":"2.0","id":1,',
  'not JSON': 'hello',
  'a comma too many': '{"jsonrpc":"2.0","id":1,"method":"ping",}',
  'two values': '{"jsonrpc":"2.0","id":1,"method":"ping"} {"a":1}',
  'single quotes': "{'jsonrpc':'2.0'}",
  NaN: 'NaN',
  null: 'null',
  true: 'true',
  'a number': '7',
  'a text': '"ping"',
  'an empty object': '{}',
  'white space around': ' \t{"jsonrpc":"2.0","id":"w","method":"ping"} \t',
  'a byte order mark': '\ufeff{"jsonrpc":"2.0","id":"w","method":"ping"}',
  'a lone surrogate': '{"jsonrpc":"2.0","id":"\\ud800","method":"nonsense"}',
  'the same member twice': '{"jsonrpc":"2.0","id":"d","id":"e","method":"nonsense","method":"nonsense2"}',
  'a member called __proto__':
    '{"jsonrpc":"2.0","id":"p","method":"nonsense","__proto__":{"a":1},"params":{"__proto__":{"b":1}}}',
  'a number beyond all numbers': '{"jsonrpc":"2.0","id":1e400,"method":"ping"}',
  'an id that no number holds': '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}',
  'an id written as 1.0': '{"jsonrpc":"2.0","id":1.0,"method":"nonsense"}',
  'an id written as 1e2': '{"jsonrpc":"2.0","id":1e2,"method":"nonsense"}',
  'an id written as -0': '{"jsonrpc":"2.0","id":-0,"method":"nonsense"}',
  'too deep': `{"jsonrpc":"2.0","id":"deep","method":"nonsense","params":{"a":${nested(40)}}}`,
  'as deep as may be': `{"jsonrpc":"2.0","id":"deep","method":"nonsense","params":{"a":${nested(22)}}}`,
  'too many elements': `{"jsonrpc":"2.0","id":"many","method":"nonsense","params":{"a":[${'1,'.repeat(2_500)}1]}}`,
  'too long': `{"jsonrpc":"2.0","id":"long","method":"nonsense","params":{"a":"${'x'.repeat(70_000)}"}}`,
};

/** Wrong members of a request; `undefined` stands for a missing one. */
const MEMBERS: readonly (readonly [member: string, value: unknown])[] = [
  ...['1.0', 2, null, undefined, '2.0 '].map((value) => ['jsonrpc', value] as const),
  ...[null, true, 1.5, {}, [], '', 'x'.repeat(300), -1, 0, 2 ** 53, 'constructor'].map(
    (value) => ['id', value] as const,
  ),
  ...[undefined, null, 7, {}, [], true].map((value) => ['method', value] as const),
  ...[null, [], 'text', 7, true].map((value) => ['params', value] as const),
  ['result', {}],
  ['error', { code: 1, message: 'x' }],
  ['extra', { nobody: 'knows' }],
];

async function malformed(conversation: Conversation): Promise<void> {
  await conversation.start();
  for (const [name, text] of Object.entries(TEXTS)) await conversation.exchange(name, text);
}

async function wrongMembers(conversation: Conversation): Promise<void> {
  await conversation.start();
  for (const [member, value] of MEMBERS) {
    const name = `${member} is ${value === undefined ? 'missing' : JSON.stringify(value).slice(0, 40)}`;
    await conversation.exchange(name, { ...conversation.call('echo', { a: 1 }), [member]: value });
  }
}

/** Batches. */
const BATCHES: Readonly<Record<string, (conversation: Conversation) => readonly unknown[]>> = {
  'two requests': (t) => [t.request('ping'), t.call('add', { a: 1, b: 2 })],
  'one request': (t) => [t.call('soon')],
  'a request that waits and one that does not': (t) => [t.call('soon'), t.call('add', { a: 1, b: 2 })],
  'a request and a notification': (t) => [t.notification('notifications/unknown'), t.request('ping')],
  'notifications only': (t) => [t.notification('notifications/unknown'), t.notification('notifications/initialized')],
  'answers only': () => [{ jsonrpc: '2.0', id: 99, result: {} }],
  nothing: () => [],
  'an invalid message': (t) => [1, {}, t.request('ping')],
  'a batch in a batch': (t) => [[t.request('ping')]],
  'the same id twice': (t) => [t.call('soon'), { ...t.call('soon'), id: 'same' }, { ...t.request('ping'), id: 'same' }],
  'an error': (t) => [t.call('missing'), t.request('nonsense')],
  progress: (t) => [t.call('steps', { steps: 2 }, { progressToken: 'p' }), t.request('ping')],
  'too many': (t) => Array.from({ length: 6 }, () => t.request('ping')),
  'as many as may be': (t) => Array.from({ length: 5 }, () => t.request('ping')),
  'initialize among others': (t) => [t.request('initialize', initializeParams('2025-03-26')), t.request('ping')],
  'a wrong id': (t) => [{ ...t.request('ping'), id: 1.5 }, t.request('ping')],
};

async function batches(conversation: Conversation): Promise<void> {
  await conversation.start();
  for (const [name, messages] of Object.entries(BATCHES)) await conversation.exchange(name, messages(conversation));
}

/** Messages before the handshake. */
async function unready(conversation: Conversation): Promise<void> {
  for (const method of ['ping', 'tools/list', 'server/discover', 'logging/setLevel'])
    await conversation.exchange(`${method} before initialize`, { jsonrpc: '2.0', id: method, method, params: {} });
  await conversation.exchange('initialized before initialize', conversation.notification('notifications/initialized'));
  await conversation.exchange('an answer before initialize', { jsonrpc: '2.0', id: 1, result: {} });
  await conversation.exchange('a batch before initialize', [conversation.request('ping')]);
  for (const [name, params] of Object.entries({
    'without params': undefined,
    'without capabilities': { protocolVersion: conversation.revision, clientInfo: { name: 'a', version: '1' } },
    'without a client': { protocolVersion: conversation.revision, capabilities: {} },
    'without a version': { capabilities: {}, clientInfo: { name: 'a', version: '1' } },
    'with a version that is a number': initializeParams(7),
    'with capabilities that are a list': initializeParams(conversation.revision, []),
    'as a notification': 'notification',
  })) {
    const message = { jsonrpc: '2.0', id: name, method: 'initialize', params };
    if (params === 'notification')
      Object.assign(message, { id: undefined, params: initializeParams(conversation.revision) });
    await conversation.exchange(`initialize ${name}`, message);
  }
  await conversation.exchange('initialize with a future version', {
    jsonrpc: '2.0',
    id: 'future',
    method: 'initialize',
    params: initializeParams('2099-01-01'),
  });
  await conversation.exchange('tools/list before initialized', conversation.request('tools/list'));
  await conversation.exchange('initialized', conversation.notification('notifications/initialized'));
  await conversation.exchange('tools/list', conversation.request('tools/list'));
}

/** Negotiates a revision other than the one in the headers, if there are headers. */
async function otherRevision(conversation: Conversation): Promise<void> {
  for (const revision of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '1999-01-01']) {
    const message = { jsonrpc: '2.0', id: revision, method: 'initialize', params: initializeParams(revision) };
    await conversation.exchange(`initialize with ${revision}`, message);
  }
  await conversation.exchange('a call', conversation.call('everything'));
}

export const ENVELOPE: readonly Scenario[] = [
  { name: 'malformed', run: malformed },
  { name: 'members', run: wrongMembers },
  { name: 'batches', run: batches },
  { name: 'unready', run: unready },
  { name: 'other revision', run: otherRevision },
];
