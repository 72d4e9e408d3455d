// A faulty message with the problem that the oracle must report, and helpers to write one.

import { requestMeta } from '../corpus/pieces.ts';
import type { AnsweredRequest, Direction, Revision } from '../oracle.ts';

export type Json = { [name: string]: unknown };

export interface Case {
  readonly what: string;
  readonly direction: Direction;
  readonly message: unknown;
  readonly request?: AnsweredRequest;
  /** The pattern that a problem must match for the fault to count as detected. */
  readonly says: RegExp;
}

/** A message with an addition of a revision. */
export interface Addition extends Case {
  readonly since: Revision;
  /** False if the message shows the field alone and is not a correct message of any revision. */
  readonly correctThere: boolean;
}

export function asked(direction: Direction, method: string, params: unknown, what: string, says: RegExp): Case {
  return {
    what,
    direction,
    message: { jsonrpc: '2.0', id: 1, method, ...(params !== undefined && { params }) },
    says,
  };
}
export function told(direction: Direction, method: string, params: unknown, what: string, says: RegExp): Case {
  return {
    what,
    direction,
    message: { jsonrpc: '2.0', method, ...(params !== undefined && { params }) },
    says,
  };
}
export function answered(method: string, result: unknown, what: string, says: RegExp): Case {
  return {
    what,
    direction: 'server-to-client',
    message: { jsonrpc: '2.0', id: 1, result },
    request: { method },
    says,
  };
}
export function answeredByClient(method: string, result: unknown, what: string, says: RegExp): Case {
  return {
    ...answered(method, result, what, says),
    direction: 'client-to-server',
  };
}
export function refused(method: string, error: unknown, what: string, says: RegExp): Case {
  return {
    what,
    direction: 'server-to-client',
    message: { jsonrpc: '2.0', id: 1, error },
    request: { method },
    says,
  };
}
export const toServer: Direction = 'client-to-server';
export const toClient: Direction = 'server-to-client';
export function unknown(path: string): RegExp {
  return new RegExp(`${path} is not known to`);
}

export const bare = { name: 'a', inputSchema: { type: 'object' } };
export function listed(tool: Json): Json {
  return { tools: [{ ...bare, ...tool }] };
}
export function texts(block: Json): Json {
  return { content: [{ type: 'text', text: 'a', ...block }] };
}
export function started(more: Json, capabilities: Json = {}, clientInfo: Json = {}): Json {
  return {
    protocolVersion: '2025-11-25',
    capabilities,
    clientInfo: { name: 'a', version: '1', ...clientInfo },
    ...more,
  };
}
export function welcomed(capabilities: Json, serverInfo: Json = {}): Json {
  return {
    protocolVersion: '2025-11-25',
    capabilities,
    serverInfo: { name: 'a', version: '1', ...serverInfo },
  };
}
export function sample(more: Json, content: unknown = { type: 'text', text: 'a' }): Json {
  return {
    messages: [{ role: 'user', content }],
    maxTokens: 1,
    ...more,
  };
}
export function form(properties: Json, more: Json = {}): Json {
  return {
    message: 'a',
    requestedSchema: { type: 'object', properties },
    ...more,
  };
}
export const icons = [{ src: 'https://example.com/a.png' }];
export function noUnion(path: string): RegExp {
  return new RegExp(`${path} must match a schema in anyOf`);
}
export const noElicitation = /elicitation\/create is not a server-to-client request/;
export function either(...says: RegExp[]): RegExp {
  return new RegExp(says.map(({ source }) => source).join('|'));
}

export const claim = { _meta: requestMeta() };
export const done = { resultType: 'complete' };
export const cached = { ...done, ttlMs: 0, cacheScope: 'private' };
