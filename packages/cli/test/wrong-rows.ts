// Messages that peers can send through a program between them, with wrong values of every kind.

interface WrongKinds {
  readonly MISSING: symbol;
  readonly WRONG_KINDS: readonly (readonly [kind: string, value: unknown])[];
  withValueAt(base: unknown, pointer: string, value: unknown): unknown;
  asHeader(value: unknown): string | undefined;
  readonly CALL: Readonly<Record<string, unknown>>;
  readonly RESULT: Readonly<Record<string, unknown>>;
  /** Members of messages, from either side. */
  readonly MEMBERS: readonly string[];
  wrongMessages(): Generator<readonly [what: string, text: string]>;
}
const place = new URL('../../inspector/test/fixtures/wrong-kinds.ts', import.meta.url).href;
export const { asHeader, CALL, MEMBERS, MISSING, RESULT, withValueAt, WRONG_KINDS, wrongMessages } = (await import(
  place
)) as WrongKinds;

/** Response headers whose values are read, stored or changed on the way. */
const ANSWER_HEADERS = [
  'mcp-session-id',
  'content-type',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'location',
  'www-authenticate',
  'retry-after',
  'connection',
  'set-cookie',
  'date',
  'trailer',
  'upgrade',
  'keep-alive',
];
const EVENTS = ['id', 'retry', 'event', 'data'];

export function reported(value: unknown): string {
  return [
    'HTTP/1.1 200 OK',
    'content-type: application/json',
    'connection: close',
    '',
    value === undefined ? '' : JSON.stringify(value),
  ].join('\r\n');
}

/** Wrong variants of this response of a server at a URL, by their fault. */
export function* serverReplies(
  target: string,
  answer: unknown,
): Generator<readonly [what: string, method: string, path: string, reply: string]> {
  for (const [kind, value] of WRONG_KINDS) {
    const text = asHeader(value);
    for (const name of ANSWER_HEADERS) {
      const body = JSON.stringify(answer);
      const own = text === undefined ? [] : [`${name}: ${text}`];
      const type = name === 'content-type' ? [] : ['content-type: application/json'];
      yield [`${name}: ${kind}`, 'POST', '', ['HTTP/1.1 200 OK', ...type, ...own, '', body].join('\r\n')];
    }
    yield [`status: ${kind}`, 'POST', '', `HTTP/1.1 ${text ?? ''} OK\r\ncontent-length: 0\r\n\r\n`];
    yield [`reason: ${kind}`, 'POST', '', `HTTP/1.1 200 ${text ?? ''}\r\ncontent-length: 0\r\n\r\n`];
    for (const pointer of MEMBERS)
      yield [`answer ${pointer}: ${kind}`, 'POST', '', reported(withValueAt(answer, pointer, value))];
    for (const field of EVENTS) {
      const line = text === undefined ? '' : `${field}: ${text}\n`;
      const rest = field === 'data' ? '' : `data: ${JSON.stringify(answer)}\n`;
      for (const method of ['GET', 'POST'])
        yield [
          `event ${field}: ${kind}`,
          method,
          '',
          `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n${line}${rest}\n`,
        ];
    }
    const endpoint = `event: endpoint\ndata: ${text ?? ''}\n\n`;
    yield [
      `endpoint: ${kind}`,
      'GET',
      '',
      `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n${endpoint}`,
    ];
    for (const pointer of ['', '/resource', '/authorization_servers'])
      yield [
        `metadata ${pointer}: ${kind}`,
        'GET',
        '/.well-known/oauth-protected-resource/mcp',
        reported(withValueAt({ resource: target, authorization_servers: ['http://a'] }, pointer, value)),
      ];
  }
  // After 100, 103 and 199 the final response would still have to follow.
  for (const status of ['000', '099', '101', '204', '304', '600', '999', '1000'])
    yield [`status: ${status}`, 'POST', '', `HTTP/1.1 ${status} X\r\ncontent-length: 0\r\n\r\n`];
  for (const protocol of ['websocket', 'x'])
    yield [
      `another protocol: ${protocol}`,
      'POST',
      '',
      `HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: ${protocol}\r\n\r\n`,
    ];
}

/** Status lines with every byte in the reason phrase: Node parses some that it does not write. */
export function* reasons(): Generator<readonly [what: string, method: string, path: string, reply: string]> {
  for (let code = 1; code < 256; code++)
    if (code !== 10 && code !== 13)
      yield [
        `reason: byte ${code}`,
        'POST',
        '',
        `HTTP/1.1 200 a${String.fromCharCode(code)}b\r\ncontent-length: 0\r\n\r\n`,
      ];
}

/** Requests that a client of a proxy, or of a replayed server, can send. */
export function* clientRequests(): Generator<
  readonly [what: string, method: string, headers: Readonly<Record<string, string>>, body: string]
> {
  const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  for (const [kind, value] of WRONG_KINDS) {
    for (const pointer of MEMBERS)
      yield [`${pointer}: ${kind}`, 'POST', json, JSON.stringify(withValueAt(CALL, pointer, value)) ?? ''];
    for (const method of ['initialize', 'ping', 'server/discover', 'notifications/cancelled', 'subscriptions/listen'])
      yield [
        `${method} params: ${kind}`,
        'POST',
        json,
        JSON.stringify(withValueAt({ ...CALL, method }, '/params', value)),
      ];
    yield [`body: ${kind}`, 'POST', json, value === MISSING ? '' : JSON.stringify(value)];
    const text = asHeader(value);
    // Requests that no client library sends are in the test with raw bytes.
    if (text === undefined || /[^\t\x20-\x7e]/.test(text) || text.length > 10_000) continue;
    for (const name of ['mcp-session-id', 'mcp-protocol-version', 'last-event-id', 'mcp-method', 'mcp-name', 'accept'])
      for (const method of ['POST', 'GET', 'DELETE'])
        yield [
          `${method} ${name}: ${kind}`,
          method,
          { ...json, [name]: text },
          method === 'POST' ? JSON.stringify(CALL) : '',
        ];
  }
}

/** Request headers that have a meaning in HTTP itself, or are read on the way. */
const REQUEST_HEADERS = [
  'host',
  'origin',
  'connection',
  'content-length',
  'content-type',
  'content-encoding',
  'transfer-encoding',
  'expect',
  'te',
  'trailer',
  'upgrade',
  'authorization',
  'mcp-session-id',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'last-event-id',
  'accept',
  'accept-encoding',
];

/** Requests as bytes, one character for each, that no client library sends. */
export function* rawRequests(host: string): Generator<readonly [what: string, bytes: string]> {
  const body = JSON.stringify(CALL);
  const request = (method: string, target: string, fields: Readonly<Record<string, string | undefined>>): string => {
    const own = { host, connection: 'close', 'content-type': 'application/json', ...fields };
    const lines = Object.entries(own).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
    return [`${method} ${target} HTTP/1.1`, ...lines, '', method === 'POST' ? body : ''].join('\r\n');
  };
  const length = String(Buffer.byteLength(body));
  for (const [kind, value] of WRONG_KINDS) {
    const given = asHeader(value);
    const text = given === undefined ? undefined : Buffer.from(given).toString('latin1');
    for (const name of REQUEST_HEADERS)
      yield [`${name}: ${kind}`, request('POST', '/mcp', { 'content-length': length, [name]: text })];
    yield [`target: ${kind}`, request('POST', text ?? '', { 'content-length': length })];
    yield [`path: ${kind}`, request('GET', `/${text ?? ''}`, {})];
    yield [`query: ${kind}`, request('GET', `/mcp?${text ?? ''}`, {})];
    yield [`method: ${kind}`, request(text ?? '', '/mcp', {})];
    yield [`another protocol: ${kind}`, request('GET', '/mcp', { connection: 'upgrade', upgrade: text })];
    yield [`CONNECT: ${kind}`, request('CONNECT', text ?? '', {})];
    yield [`trailers: ${kind}`, chunked(request, body, text ?? '')];
  }
  for (const target of ['*', '//', '/[', '/%', 'http://[', 'http://127.0.0.1:1/mcp', '/\\x', '/mcp#a'])
    yield [`target: ${target}`, request('GET', target, {})];
  for (const method of ['HEAD', 'OPTIONS', 'PUT', 'TRACE', 'M-SEARCH', 'QUERY', 'CONNECT'])
    yield [`method: ${method}`, request(method, '/mcp', {})];
  yield ['another protocol, truly', request('GET', '/mcp', { connection: 'upgrade', upgrade: 'websocket' })];
  yield ['CONNECT, truly', request('CONNECT', 'a:1', {})];
}

/** A chunked request with trailers. */
function chunked(
  request: (method: string, target: string, fields: Readonly<Record<string, string>>) => string,
  body: string,
  trailer: string,
): string {
  const head = request('POST', '/mcp', { 'transfer-encoding': 'chunked', trailer: 'x-last' }).slice(0, -body.length);
  return `${head}${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\nx-last: ${trailer}\r\n\r\n`;
}
