// Inputs specific to HTTP: methods, paths, header fields of every kind, bodies, and callers.
import type { Revision } from 'tenon';
import { type Headers, META, MODERN } from '../message.ts';
import { hasSessions, isHttp, type Scenario } from '../scenario.ts';
import type { SendOptions, Conversation } from '../conversation.ts';
import { FIELDS, PARAMS } from './header-fields.ts';

/** A value as text for the name of an input. */
function shown(value: string | readonly string[] | undefined): string {
  return value === undefined ? 'missing' : JSON.stringify(value);
}

/** Whether a field can be sent: the HTTP client writes some itself, and the fetch entry has no connection headers. */
function canBeSent({ transport }: Conversation, field: string): boolean {
  return transport.startsWith('http') || !['connection', 'expect', 'transfer-encoding'].includes(field);
}

async function fields(conversation: Conversation): Promise<void> {
  await conversation.start();
  for (const [field, values] of Object.entries(FIELDS)) {
    if (!canBeSent(conversation, field)) continue;
    for (const value of values)
      await conversation.exchange(`${field} is ${shown(value)}`, conversation.call('add', { a: 1, b: 2 }), {
        headers: { [field]: value },
      });
  }
  // The same for notifications, which have fewer checks.
  for (const field of ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id']) {
    for (const value of FIELDS[field]!)
      await conversation.exchange(
        `notification, ${field} is ${shown(value)}`,
        conversation.notification('notifications/unknown'),
        {
          headers: { [field]: value },
        },
      );
  }
  for (const value of FIELDS['mcp-protocol-version']!) {
    await conversation.exchange(`listing, version is ${shown(value)}`, conversation.request('tools/list'), {
      headers: { 'mcp-protocol-version': value },
    });
    await conversation.exchange(
      `stream call, version is ${shown(value)}`,
      conversation.call('steps', { steps: 2 }, { progressToken: 1 }),
      {
        headers: { 'mcp-protocol-version': value },
      },
    );
  }
}

async function params(conversation: Conversation): Promise<void> {
  await conversation.start();
  for (const [args, headers] of PARAMS)
    await conversation.exchange(
      `${JSON.stringify(args)} with ${JSON.stringify(headers)}`,
      conversation.call('routed', args),
      {
        headers,
      },
    );
}

const REQUESTS: Readonly<Record<string, SendOptions>> = {
  GET: { method: 'GET', headers: { 'mcp-session-id': undefined } },
  'GET of nonsense': { method: 'GET', headers: { 'mcp-session-id': 'nonsense' } },
  'GET of anything': { method: 'GET', headers: { accept: '*/*', 'mcp-session-id': 'nonsense' } },
  'GET of JSON': { method: 'GET', headers: { accept: 'application/json' } },
  'GET with a wrong version': { method: 'GET', headers: { 'mcp-protocol-version': '1999-01-01' } },
  'GET after an unknown event': { method: 'GET', headers: { 'last-event-id': 'nonsense' } },
  'DELETE of nothing': { method: 'DELETE', headers: { 'mcp-session-id': undefined } },
  'DELETE of nonsense': { method: 'DELETE', headers: { 'mcp-session-id': 'nonsense' } },
  'DELETE with a wrong version': { method: 'DELETE', headers: { 'mcp-protocol-version': '1999-01-01' } },
  HEAD: { method: 'HEAD' },
  PUT: { method: 'PUT' },
  PATCH: { method: 'PATCH' },
  OPTIONS: { method: 'OPTIONS', noBody: true },
  'OPTIONS of a page': {
    method: 'OPTIONS',
    noBody: true,
    onlyHeaders: {
      origin: 'http://localhost:5173',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type, mcp-method, mcp-param-region, x-other',
    },
  },
  'OPTIONS of a foreign page': { method: 'OPTIONS', noBody: true, onlyHeaders: { origin: 'http://evil.example' } },
  'OPTIONS elsewhere': { method: 'OPTIONS', noBody: true, path: '/other' },
  'a path': { path: '/other' },
  'the root': { path: '/' },
  'a slash behind': { path: '/mcp/' },
  'two slashes': { path: '//mcp' },
  'a query': { path: '/mcp?a=1&b=2' },
  'other letters': { path: '/MCP' },
  'an encoded path': { path: '/%6dcp' },
  health: { method: 'GET', path: '/health', onlyHeaders: {} },
  'health by POST': { path: '/health' },
  'the stream of HTTP+SSE': { method: 'GET', path: '/sse' },
  'the messages of HTTP+SSE': { path: '/messages?sessionId=nonsense' },
  'the metadata of a protected resource': { method: 'GET', path: '/.well-known/oauth-protected-resource/mcp' },
  'no headers at all': { onlyHeaders: {} },
  'no body': { noBody: true },
  'a page': { headers: { origin: 'http://localhost:5173' } },
  'a page that may not': { headers: { origin: 'http://evil.example' } },
  'a page with a wrong message': { headers: { origin: 'http://localhost', 'content-type': 'text/plain' } },
};

async function methods(conversation: Conversation): Promise<void> {
  await conversation.start();
  for (const [name, how] of Object.entries(REQUESTS))
    await conversation.exchange(name, conversation.call('add', { a: 1, b: 2 }), how);
}

const BODIES: Readonly<Record<string, string | Buffer>> = {
  empty: '',
  'white space': ' \n\t ',
  'not UTF-8': Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
  'a byte order mark': '\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}',
  'lines in between': '{\n"jsonrpc":"2.0",\r\n"id":1,"method":"ping"\n}\n',
  'two messages in lines': '{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"jsonrpc":"2.0","id":2,"method":"ping"}',
  form: 'jsonrpc=2.0&method=ping',
};

async function bodies(conversation: Conversation): Promise<void> {
  await conversation.start();
  const right: Headers = conversation.modern ? { 'mcp-method': 'ping' } : {};
  for (const [name, body] of Object.entries(BODIES)) await conversation.exchange(name, body, { headers: right });
  const padded = (bytes: number): string => {
    const text = JSON.stringify(conversation.call('add', { a: 1, b: 2 }));
    return text + ' '.repeat(bytes - text.length);
  };
  await conversation.exchange('as large as may be', padded(64 * 1024));
  await conversation.exchange('a byte too large', padded(64 * 1024 + 1));
  await conversation.exchange('twice too large', padded(128 * 1024));
  if (conversation.transport.startsWith('http')) {
    const chunked = { headers: { 'transfer-encoding': 'chunked' } };
    await conversation.exchange('in chunks', padded(60 * 1024), chunked);
    await conversation.exchange('too large in chunks', padded(64 * 1024 + 1), chunked);
  }
}

const CALLERS: readonly (string | readonly string[] | undefined)[] = [
  undefined,
  'Bearer ann',
  'Bearer bob',
  'bearer ann',
  'Bearer  ann',
  'Bearer',
  'Bearer unknown',
  'Bearer anonymous',
  'Bearer teapot',
  'Bearer throws',
  'Bearer later',
  'Bearer strange',
  'Bearer broken',
  'Basic YW5uOg==',
  ['Bearer ann', 'Bearer bob'],
  '',
];

/** Authorization of callers, and scopes. */
async function callers(conversation: Conversation): Promise<void> {
  for (const authorization of CALLERS) {
    const headers = { authorization };
    const as = `as ${shown(authorization)}`;
    const greet = { protocolVersion: conversation.revision, capabilities: {}, clientInfo: { name: 'a', version: '1' } };
    if (!conversation.modern) {
      const initialize = { jsonrpc: '2.0', id: 'i', method: 'initialize', params: greet };
      await conversation.exchange(`initialize ${as}`, initialize, {
        headers: { ...headers, 'mcp-session-id': undefined },
      });
    }
    for (const name of ['who', 'scoped', 'missing'])
      await conversation.exchange(`${name} ${as}`, conversation.call(name), { headers });
    await conversation.exchange(`a notification ${as}`, conversation.notification('notifications/unknown'), {
      headers,
    });
    await conversation.exchange(`nonsense ${as}`, 'nonsense', { headers });
    await conversation.exchange(`PUT ${as}`, '{}', { method: 'PUT', headers });
    await conversation.exchange(`a page ${as}`, conversation.call('who'), {
      headers: { ...headers, origin: 'http://localhost' },
    });
  }
  for (const path of ['', '/mcp', '/other'])
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS'])
      await conversation.exchange(`${method} of the metadata ${path}`, '', {
        method,
        path: `/.well-known/oauth-protected-resource${path}`,
        noBody: true,
        onlyHeaders: { origin: 'http://localhost' },
      });
  await conversation.exchange('DELETE of another caller', '', {
    method: 'DELETE',
    headers: { authorization: 'Bearer later' },
  });
}

/** Sessions: their end, and their notification streams. */
async function sessions(conversation: Conversation): Promise<void> {
  await conversation.start();
  await conversation.exchange('a call', conversation.call('add', { a: 1, b: 2 }));
  await conversation.exchange('a call at another revision', conversation.call('add', { a: 1, b: 2 }), {
    headers: { 'mcp-protocol-version': conversation.revision === '2025-06-18' ? '2025-11-25' : '2025-06-18' },
  });
  await conversation.exchange('a modern call', modernCall(conversation.revision), {
    headers: { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': 'add' },
  });
  const stream = await conversation.begin('stream', '', { method: 'GET' });
  await conversation.exchange('grow', conversation.call('grow', { name: 'one' }));
  for (let told = 0; told < 3; told++) await stream.next();
  // It replaces the first stream, and ends with the session.
  const second = await conversation.begin('a second stream', '', { method: 'GET' });
  await stream.whole();
  await conversation.exchange('DELETE', '', { method: 'DELETE' });
  await second.whole();
  await conversation.exchange('DELETE again', '', { method: 'DELETE' });
  await conversation.exchange('a call after the end', conversation.call('add', { a: 1, b: 2 }));
  await conversation.exchange('a notification after the end', conversation.notification('notifications/unknown'));
  await conversation.exchange('GET after the end', '', { method: 'GET' });
}

function modernCall(revision: Revision): object {
  const _meta = { [META.version]: MODERN, [META.capabilities]: {} };
  return {
    jsonrpc: '2.0',
    id: `modern-${revision}`,
    method: 'tools/call',
    params: { name: 'add', arguments: { a: 1, b: 2 }, _meta },
  };
}

/** The `id:` line of the last event that has one. */
function lastEventId(frames: readonly string[]): string {
  return frames.map((frame) => /^id: (.*)$/m.exec(frame)?.[1]).findLast((id) => id !== undefined) ?? 'none';
}

/** A response is left and resumed. */
async function resuming(conversation: Conversation): Promise<void> {
  await conversation.start();
  const message = conversation.call('gate', { name: 'one' }, { progressToken: 'one' });
  const open = await conversation.begin('call', message);
  await open.next(({ method }) => method === 'notifications/progress');
  await open.drop();
  const seen = lastEventId(conversation.exchanges.at(-1)!.frames);
  const rest = await conversation.begin('the rest', '', { method: 'GET', headers: { 'last-event-id': seen } });
  // Its first part is not lost, whenever the gate opens.
  await conversation.exchange('open', conversation.call('open', { name: 'one' }));
  await rest.whole();
  await conversation.exchange('the rest again', '', { method: 'GET', headers: { 'last-event-id': seen } });
  await conversation.exchange('the rest of it', '', {
    method: 'GET',
    headers: { 'last-event-id': seen.replace(/\d+$/, '1') },
  });
  await conversation.exchange('an unknown event id', '', {
    method: 'GET',
    headers: { 'last-event-id': seen.replace(/\d+$/, '99') },
  });
  const stream = await conversation.begin('stream', '', { method: 'GET' });
  await conversation.exchange('grow', conversation.call('grow', { name: 'one' }));
  for (let told = 0; told < 3; told++) await stream.next();
  const note = lastEventId(conversation.exchanges.find(({ input }) => input.endsWith('/ stream'))!.frames);
  await stream.drop();
  const later = await conversation.begin('stream again', '', { method: 'GET', headers: { 'last-event-id': note } });
  await conversation.exchange('grow more', conversation.call('grow', { name: 'two' }));
  for (let told = 0; told < 3; told++) await later.next();
  await later.drop();
}

/** A stream that the server closes, to be resumed after the call. */
async function polling(conversation: Conversation): Promise<void> {
  await conversation.start();
  const open = await conversation.begin('call', conversation.call('gate', { name: 'one' }, { progressToken: 'one' }));
  if (conversation.revision !== '2025-11-25') {
    await open.next(({ method }) => method === 'notifications/progress');
    await conversation.exchange('open', conversation.call('open', { name: 'one' }));
    await open.whole();
    return;
  }
  await open.whole();
  const seen = lastEventId(conversation.exchanges.at(-1)!.frames);
  await conversation.exchange('open', conversation.call('open', { name: 'one' }));
  await conversation.exchange('the rest', '', { method: 'GET', headers: { 'last-event-id': seen } });
}

/** Invalid POST requests for HTTP+SSE. */
async function pair(conversation: Conversation): Promise<void> {
  await conversation.start();
  const call = (): object => conversation.notification('notifications/unknown');
  for (const [field, values] of Object.entries(FIELDS))
    if (['host', 'origin', 'accept', 'content-type', 'content-encoding', 'mcp-protocol-version'].includes(field))
      for (const value of values)
        await conversation.exchange(`${field} is ${shown(value)}`, call(), { headers: { [field]: value } });
  for (const path of [
    '/messages',
    '/messages?sessionId=',
    '/messages?sessionId=nonsense',
    '/messages/',
    '/mcp',
    '/sse',
  ])
    for (const method of ['POST', 'PUT', 'DELETE'])
      await conversation.exchange(`${method} ${path}`, call(), { path, method });
  await conversation.exchange('too large', `{"a":"${'x'.repeat(70_000)}"}`);
  await conversation.exchange('no body', call(), { noBody: true });
}

export const HTTP: readonly Scenario[] = [
  { name: 'header fields', only: isHttp, run: fields },
  { name: 'parameter headers', only: isHttp, run: params },
  { name: 'methods and paths', only: isHttp, run: methods },
  { name: 'bodies', only: isHttp, run: bodies },
  { name: 'callers', profile: 'auth', only: isHttp, run: callers },
  { name: 'protected resource', profile: 'resource', only: isHttp, run: callers },
  { name: 'sessions', only: hasSessions, run: sessions },
  { name: 'resuming', only: hasSessions, run: resuming },
  { name: 'polling', profile: 'polling', only: hasSessions, run: polling },
  { name: 'pair', only: ({ transport }) => transport === 'sse', run: pair },
];
