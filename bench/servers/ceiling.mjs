// What a careful programmer would write by hand for exactly this one server, without a library: everything that does not depend on the
// transport. A value that was parsed becomes a request or a refusal, and a request becomes the text of its result or a refusal.
import { BIG, description, others, page, STEPS } from '../tools.mjs';

export const LEGACY = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
export const MODERN = '2026-07-28';
/** Most characters of a message. */
export const MOST = 4 * 1024 * 1024;
const META = 'io.modelcontextprotocol/';
const VERSION = `${META}protocolVersion`;
const CAPABILITIES = `${META}clientCapabilities`;
const CLIENT = `${META}clientInfo`;
const LOG_LEVEL = `${META}logLevel`;
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
/** Methods of modern clients only, and of legacy clients only. */
const MODERN_ONLY = ['server/discover'];
const LEGACY_ONLY = ['initialize', 'ping'];

const info = { name: 'ceiling', version: '1' };
const capabilities = { tools: {}, resources: {} };
const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const plainSchema = { type: 'object', properties: {} };
const { uri, name, mimeType } = page;
function list(entries) {
  return JSON.stringify(entries).slice(1, -1);
}
const tools = list([
  { name: 'echo', description, inputSchema },
  { name: 'steps', description, inputSchema: plainSchema },
  { name: 'big', description, inputSchema: plainSchema },
  ...others.map((name) => ({ name, description, inputSchema })),
]);
const resources = list([{ uri, name, mimeType }]);
const contents = list([{ uri, mimeType, text: page.text }]);

/** A refusal, which is sent as an error. */
export function refusal(code, message, data) {
  return { code, message, data };
}
export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
function isInfo(value) {
  return isObject(value) && typeof value.name === 'string' && typeof value.version === 'string';
}
const echoes = new Set(['echo', ...others]);
function isId(value) {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

/** The id of what was parsed if it can be known, for errors. */
export function idOf(value) {
  return isObject(value) && isId(value.id) ? value.id : undefined;
}

/**
 * Takes a value that was parsed apart: `{ refused }`, `{ ignored }` for a response, or
 * `{ id, method, params, meta, modern }`, without an id for a notification.
 */
export function readMessage(value) {
  if (!isObject(value) || value.jsonrpc !== '2.0') return { refused: refusal(-32600, 'Not a JSON-RPC 2.0 message') };
  const { id, method, params = {} } = value;
  if (method === undefined && isId(id) && ('result' in value || 'error' in value)) return { ignored: true };
  if (typeof method !== 'string') return { refused: refusal(-32600, 'The method is not a string') };
  if (id !== undefined && !isId(id)) return { refused: refusal(-32600, 'The id is neither a string nor an integer') };
  if (!isObject(params)) return { refused: refusal(-32602, 'The params are not an object') };
  const { _meta: meta } = params;
  if (meta !== undefined && !isObject(meta)) return { refused: refusal(-32602, '_meta is not an object') };
  return { id, method, params, meta, modern: meta !== undefined && meta[VERSION] !== undefined };
}

/** Checks what a modern request says of its client. */
export function checkClaim({ method, meta }) {
  const version = meta[VERSION];
  if (version !== MODERN) {
    if (typeof version !== 'string') return refusal(-32602, 'The protocol version is not a string');
    return refusal(-32022, 'Unsupported protocol version', { supported: [MODERN], requested: version });
  }
  if (!isObject(meta[CAPABILITIES])) return refusal(-32602, 'The capabilities of the client are missing');
  if (meta[CLIENT] !== undefined && !isInfo(meta[CLIENT])) return refusal(-32602, 'clientInfo needs name and version');
  if (meta[LOG_LEVEL] !== undefined && !LEVELS.includes(meta[LOG_LEVEL])) return refusal(-32602, 'Unknown log level');
  return LEGACY_ONLY.includes(method) ? unknownMethod(method) : undefined;
}

export function unknownMethod(method) {
  return refusal(-32601, `Method not found: ${method}`);
}

/** Checks what a client says of itself in `initialize`, and gives the version that is agreed. */
export function agree({ protocolVersion, capabilities, clientInfo }) {
  if (typeof protocolVersion !== 'string') return refusal(-32602, 'The protocol version is not a string');
  if (!isObject(capabilities) || !isInfo(clientInfo)) return refusal(-32602, 'Capabilities or clientInfo are missing');
  return LEGACY.includes(protocolVersion) ? protocolVersion : LEGACY.at(-1);
}

export function initialized(protocolVersion) {
  return JSON.stringify({ protocolVersion, capabilities, serverInfo: info }).slice(1, -1);
}

const CACHE = ',"ttlMs":0,"cacheScope":"private"';
const MORE = `,"resultType":"complete","_meta":${JSON.stringify({ [`${META}serverInfo`]: info })}`;
function textResult(text) {
  return `"content":[{"type":"text","text":${JSON.stringify(text)}}]`;
}
function toolError(text) {
  return `${textResult(text)},"isError":true`;
}

/** Calls a tool. `progress` sends how far it is. */
function callTool({ name, arguments: given = {} }, progress) {
  if (typeof name !== 'string') return refusal(-32602, 'The name of the tool is not a string');
  if (!isObject(given)) return refusal(-32602, 'The arguments are not an object');
  if (name === 'big') return textResult(BIG);
  if (name === 'steps') {
    for (let step = 1; step <= STEPS; step++) progress(step);
    return textResult('done');
  }
  if (!echoes.has(name)) return refusal(-32602, `Unknown tool: ${name}`);
  return typeof given.text === 'string' ? textResult(given.text) : toolError('Invalid arguments: text is not a string');
}

/**
 * Answers a request: the members of its result as text, or a refusal. `notify` gets the text of each notification that comes before.
 */
export function answer({ method, params, meta, modern }, notify) {
  const token = meta?.progressToken;
  if (token !== undefined && !isId(token))
    return refusal(-32602, 'The progress token is neither a string nor an integer');
  if (params.cursor !== undefined && method.endsWith('/list')) return refusal(-32602, 'Unknown cursor');
  if (!modern && MODERN_ONLY.includes(method)) return refusal(-32602, 'What the client can do is missing in _meta');
  let result;
  if (method === 'tools/call') {
    result = callTool(params, token === undefined ? () => {} : progressOf(token, notify));
    return typeof result === 'string' && modern ? result + MORE : result;
  }
  if (method === 'tools/list') result = `"tools":[${tools}]`;
  else if (method === 'resources/list') result = `"resources":[${resources}]`;
  else if (method === 'resources/templates/list') result = '"resourceTemplates":[]';
  else if (method === 'resources/read') {
    if (params.uri !== uri)
      return refusal(modern ? -32602 : -32002, `Resource not found: ${params.uri}`, { uri: params.uri });
    result = `"contents":[${contents}]`;
  } else if (method === 'server/discover') {
    result = `"supportedVersions":["${MODERN}"],"capabilities":${JSON.stringify(capabilities)}`;
  } else if (method === 'ping') return '';
  else return unknownMethod(method);
  return modern ? result + CACHE + MORE : result;
}

function progressOf(token, notify) {
  const head = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${JSON.stringify(token)},"progress":`;
  return (progress) => notify(`${head}${progress},"total":${STEPS}}}`);
}

/** The text of an answer. */
export function envelope(id, outcome) {
  if (typeof outcome === 'string') return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{${outcome}}}`;
  return JSON.stringify({ jsonrpc: '2.0', id, error: outcome });
}
