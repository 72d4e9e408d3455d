// Requests of clients of every era, as a test sends them.
import assert from 'node:assert/strict';
import type { Revision } from '../../src/protocol/revision.ts';
import { type Answer, type Fields, type Live, live, send } from './send.ts';

export const JSON_FIELDS: Fields = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

/** The `_meta` of a modern request. */
export function claim(more: object = {}): object {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    ...more,
  };
}

/** The headers of a modern request. */
export function fieldsOf(method: string, name?: string, more: Fields = {}): Fields {
  return {
    ...JSON_FIELDS,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': name }),
    ...more,
  };
}

let lastId = 0;

/** A modern request as text. */
export function modernBody(method: string, params: object = {}, meta: object = {}, id: unknown = ++lastId): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: claim(meta) } });
}

/** A legacy session whose client is initialized. */
export interface LegacySession {
  readonly id: string;
  readonly fields: Fields;
  post(message: object | readonly object[], more?: Fields): Promise<Answer>;
  /** The same, without waiting for the end. */
  begin(message: object, more?: Fields): Live;
  request(method: string, params?: object, id?: unknown): Promise<Answer>;
  listen(more?: Fields): Live;
  delete(): Promise<Answer>;
}

export function initializeBody(revision: string, capabilities: object = {}, id: unknown = 'init'): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    method: 'initialize',
    params: { protocolVersion: revision, capabilities, clientInfo: { name: 'test', version: '1' } },
  });
}

/** The headers of a message in a session. */
function inSession(id: string, revision: string): Fields {
  return {
    ...JSON_FIELDS,
    'mcp-session-id': id,
    ...(revision >= '2025-06-18' ? { 'mcp-protocol-version': revision } : {}),
  };
}

/** A session at a URL, which may belong to another node than the one that began it. */
export function sessionAt(url: string, id: string, revision: Revision): LegacySession {
  const fields = inSession(id, revision);
  const begin: LegacySession['begin'] = (message, more = {}) =>
    live(url, 'POST', { ...fields, ...more }, JSON.stringify(message));
  const post: LegacySession['post'] = (message, more = {}) =>
    send(url, 'POST', { ...fields, ...more }, JSON.stringify(message));
  return {
    id,
    fields,
    post,
    begin,
    request: (method, params, id = ++lastId) => post({ jsonrpc: '2.0', id, method, params }),
    listen: (more = {}) => live(url, 'GET', { ...fields, accept: 'text/event-stream', ...more }),
    delete: () => send(url, 'DELETE', fields),
  };
}

/** Begins a session at a URL. */
export async function beginSession(
  url: string,
  revision: Revision = '2025-11-25',
  capabilities: object = {},
  more: Fields = {},
): Promise<LegacySession> {
  const greeted = await send(url, 'POST', { ...JSON_FIELDS, ...more }, initializeBody(revision, capabilities));
  assert.equal(greeted.status, 200, greeted.text);
  assert.equal(greeted.json.result.protocolVersion, revision);
  const session = sessionAt(url, String(greeted.headers['mcp-session-id']), revision);
  const noted = await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, more);
  assert.equal(noted.status, 202);
  return session;
}
