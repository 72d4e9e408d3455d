// The ceiling over HTTP: one server by hand, with the checks of requests that the protocol asks for, in the order in which they come.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { ready, sessions } from '../../tools.mjs';
import {
  agree,
  answer,
  checkClaim,
  envelope,
  idOf,
  initialized,
  LEGACY,
  MODERN,
  MOST,
  readMessage,
  refusal,
  unknownMethod,
} from '../ceiling.mjs';

const MOST_SESSIONS = 10_000;
const IDLE_MS = 30 * 60_000;
/** What `Mcp-Name` repeats. */
const NAMED = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);
/** Sessions by id: the version that was agreed, and when it was last used. */
const known = new Map();
let hosts = [];

function send(response, status, type, text, more) {
  const headers = ['content-type', type, 'content-length', String(Buffer.byteLength(text))];
  response.writeHead(status, more === undefined ? headers : [...headers, ...more]);
  response.end(text);
}
function fail(response, status, error, id) {
  return send(response, status, 'application/json', envelope(id, error));
}
function plain(response, status, text, more) {
  return send(response, status, 'text/plain', text, more);
}
/** The status of an error that was found before anything ran, on modern requests. */
function statusOf(code) {
  return code === -32601 ? 404 : 400;
}

/** Undoes the encoding of a header that cannot be written as it is. */
function decoded(header) {
  if (!header.startsWith('=?base64?') || !header.endsWith('?=')) return header;
  return Buffer.from(header.slice(9, -2), 'base64').toString();
}

/** Headers of a modern request that differ from its body. */
function checkHeaders(headers, { method, params, meta }) {
  const version = headers['mcp-protocol-version'];
  if (version === undefined) return refusal(-32020, 'The header MCP-Protocol-Version is missing');
  if (version !== meta['io.modelcontextprotocol/protocolVersion'])
    return refusal(-32020, 'MCP-Protocol-Version differs');
  if (headers['mcp-method'] !== method) return refusal(-32020, 'Mcp-Method is missing or differs');
  const member = NAMED.get(method);
  if (member === undefined) return undefined;
  const name = headers['mcp-name'];
  return name === undefined || decoded(name) !== params[member]
    ? refusal(-32020, 'Mcp-Name is missing or differs')
    : undefined;
}

function serve(message, response, moreHeaders) {
  let events = '';
  const notify = (text) => void (events += `event: message\ndata: ${text}\n\n`);
  const outcome = answer(message, notify);
  const refusedEarly = typeof outcome !== 'string' && outcome.code === -32601 && message.modern;
  const text = envelope(message.id, outcome);
  if (events === '') return send(response, refusedEarly ? 404 : 200, 'application/json', text, moreHeaders);
  const headers = ['cache-control', 'no-cache', 'x-accel-buffering', 'no'];
  return send(response, 200, 'text/event-stream', `${events}event: message\ndata: ${text}\n\n`, headers);
}

function serveModern(message, request, response) {
  const refused = checkHeaders(request.headers, message) ?? checkClaim(message);
  if (refused !== undefined) return fail(response, statusOf(refused.code), refused, message.id);
  return serve(message, response);
}

function serveInitialize({ id, params }, response) {
  const agreed = agree(params);
  if (typeof agreed !== 'string') return fail(response, 200, agreed, id);
  if (!sessions) return send(response, 200, 'application/json', envelope(id, initialized(agreed)));
  if (known.size >= MOST_SESSIONS) return plain(response, 503, 'Too many sessions');
  const session = randomUUID();
  known.set(session, { version: agreed, used: Date.now() });
  return send(response, 200, 'application/json', envelope(id, initialized(agreed)), ['mcp-session-id', session]);
}

function serveLegacy(message, request, response) {
  const { 'mcp-protocol-version': version, 'mcp-session-id': id } = request.headers;
  if (version !== undefined && !LEGACY.includes(version))
    return fail(response, 400, refusal(-32000, `Unsupported protocol version: ${version}`), message.id);
  if (message.method === 'initialize' && message.id !== undefined) return serveInitialize(message, response);
  if (sessions) {
    if (id === undefined) return fail(response, 400, refusal(-32600, 'Mcp-Session-Id is missing'), message.id);
    const session = known.get(id);
    if (session === undefined) return fail(response, 404, refusal(-32600, 'Unknown session'), message.id);
    if (version !== undefined && version !== session.version)
      return fail(response, 400, refusal(-32600, 'Not the version of the session'), message.id);
    session.used = Date.now();
  }
  if (message.id === undefined) return response.writeHead(202).end();
  if (message.method === 'server/discover') return fail(response, 200, unknownMethod(message.method), message.id);
  return serve(message, response);
}

function servePost(text, request, response) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return fail(response, 400, refusal(-32700, 'The body is not JSON'));
  }
  const message = readMessage(value);
  if (message.refused !== undefined) return fail(response, 400, message.refused, idOf(value));
  if (message.ignored) return response.writeHead(sessions ? 202 : 400).end();
  const claimed = message.modern || request.headers['mcp-protocol-version'] === MODERN;
  if (!claimed) return serveLegacy(message, request, response);
  if (message.id === undefined) return response.writeHead(202).end();
  if (!message.modern) return fail(response, 400, refusal(-32602, 'The claim in _meta is missing'), message.id);
  return serveModern(message, request, response);
}

/** Ends a session. */
function serveDelete(request, response) {
  if (!sessions) return plain(response, 405, 'Method not allowed', ['allow', 'POST']);
  return response.writeHead(known.delete(request.headers['mcp-session-id']) ? 204 : 404).end();
}

/** What is wrong with a request before its body is read: status and text. */
function checkHead({ url, method, headers }) {
  if (!hosts.includes(headers.host)) return [403, 'Unknown host'];
  if (headers.origin !== undefined && !hosts.some((host) => headers.origin === `http://${host}`))
    return [403, 'Unknown origin'];
  if (url !== '/mcp') return [404, 'Not found'];
  if (method === 'DELETE') return undefined;
  if (method !== 'POST') return [405, 'Method not allowed', ['allow', 'POST']];
  const { 'content-type': type = '', accept = '' } = headers;
  if (type !== 'application/json' && !/^application\/json *(?:;|$)/i.test(type)) return [415, 'Not application/json'];
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) return [406, 'Accept both types'];
  return Number(headers['content-length'] ?? 0) > MOST ? [413, 'Too large'] : undefined;
}

const server = createServer((request, response) => {
  const refused = checkHead(request);
  if (refused !== undefined) {
    plain(response, ...refused);
    return request.resume();
  }
  if (request.method === 'DELETE') return serveDelete(request, response);
  let size = 0;
  const chunks = [];
  request.on('data', (chunk) => {
    size += chunk.length;
    if (size <= MOST) chunks.push(chunk);
    else if (!response.headersSent) plain(response, 413, 'Too large', ['connection', 'close']);
  });
  request.on('end', () => {
    if (size <= MOST)
      servePost((chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)).toString(), request, response);
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  ready(port);
});
setInterval(() => {
  const oldest = Date.now() - IDLE_MS;
  for (const [id, { used }] of known) if (used < oldest) known.delete(id);
}, 60_000).unref();
