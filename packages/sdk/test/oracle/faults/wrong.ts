// Messages that are wrong in every revision: types, missing fields, envelopes, error codes.

import { requestMeta } from '../corpus/pieces.ts';
import type { Direction, Revision } from '../oracle.ts';
import {
  asked,
  told,
  answered,
  toServer,
  toClient,
  unknown,
  started,
  noUnion,
  claim,
  done,
  cached,
  type Case,
  type Json,
} from './case.ts';

/** Messages that are wrong in every revision, in the form of this one. */
export function wrongMessages(revision: Revision): Case[] {
  const modern = revision === '2026-07-28';
  const params = (more: Json): Json => ({ ...(modern && claim), ...more });
  const result = (more: Json): Json => ({ ...(modern && cached), ...more });
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: params({}) };
  const raw = (direction: Direction, value: unknown, what: string, says: RegExp): Case => ({
    what,
    direction,
    message: value,
    request: { method: 'tools/list' },
    says,
  });
  const values = Array.from({ length: 101 }, (_, index) => String(index));
  return [
    raw(toServer, { ...message, jsonrpc: '1.0' }, 'another JSON-RPC', /\/jsonrpc must be equal to constant/),
    raw(toServer, { ...message, id: null }, 'a null id', /\/id must be string,integer/),
    raw(toServer, { ...message, id: 1.5 }, 'a fractional id', /\/id must be string,integer/),
    raw(toServer, { ...message, extra: 1 }, 'a field beside params', unknown('/extra')),
    raw(toServer, { ...message, params: [] }, 'params as a list', /\/params must be object/),
    raw(toServer, { ...message, method: 'tools/List' }, 'an unknown method', /tools\/List is not a/),
    raw(toClient, message, 'a client method from the server', /tools\/list is not a server-to-client/),
    raw(toServer, 42, 'a number', /neither a request/),
    raw(toClient, { jsonrpc: '2.0', id: 1 }, 'neither result nor error', /neither a request/),
    raw(
      toClient,
      { jsonrpc: '2.0', id: 1, result: result({ tools: [] }), error: { code: 1, message: 'a' } },
      'result and error',
      /not both/,
    ),
    raw(
      toClient,
      { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'a' } },
      'an error with a null id',
      /\/id must be string,integer/,
    ),
    raw(
      toClient,
      { jsonrpc: '2.0', error: { code: -32602, message: 'a' } },
      'an error that could have an id',
      /an error without id|required property 'id'/,
    ),
    raw(
      toClient,
      { jsonrpc: '2.0', id: 1, error: { code: '1', message: 'a' } },
      'a code as text',
      /\/error\/code must be integer/,
    ),
    raw(
      toClient,
      { jsonrpc: '2.0', id: 1, error: { code: 1 } },
      'an error without a message',
      /required property 'message'/,
    ),
    raw(
      toClient,
      { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'a', stack: 'b' } },
      'a field of an error',
      unknown('/error/stack'),
    ),
    raw(
      toClient,
      { jsonrpc: '2.0', id: 1, error: { code: -32100, message: 'a' } },
      'a code of JSON-RPC',
      /-32100 is reserved by JSON-RPC/,
    ),
    told(toServer, 'notifications/other', undefined, 'an unknown notification', /notifications\/other is not a/),
    told(toServer, 'notifications/cancelled', {}, 'a cancellation of nothing', /names no request|required property/),
    told(
      toClient,
      'notifications/message',
      { level: 'loud', data: 1 },
      'an unknown level',
      /level must be equal to one of/,
    ),
    told(
      toClient,
      'notifications/progress',
      { progressToken: true, progress: 1 },
      'a token of a wrong type',
      /progressToken must be string,integer/,
    ),
    asked(toServer, 'tools/call', params({ name: 1 }), 'a name that is a number', /\/params\/name must be string/),
    asked(toServer, 'tools/call', params({}), 'no name', /required property 'name'/),
    asked(
      toServer,
      'tools/call',
      params({ name: 'a', arguments: [] }),
      'arguments as a list',
      /\/params\/arguments must be object/,
    ),
    asked(
      toServer,
      'prompts/get',
      params({ name: 'a', arguments: { b: 1 } }),
      'a prompt argument that is a number',
      /arguments\/b must be string/,
    ),
    asked(
      toServer,
      'resources/read',
      params({ uri: 'not a uri' }),
      'a text that is not a URI',
      /uri must match format "uri"/,
    ),
    asked(
      toServer,
      'completion/complete',
      params({ ref: { type: 'ref/tool', name: 'a' }, argument: { name: 'a', value: '' } }),
      'a reference to a tool',
      noUnion('/params/ref'),
    ),
    answered('tools/list', result({}), 'no tools', /required property 'tools'/),
    answered('tools/list', result({ tools: [{ name: 'a' }] }), 'no input schema', /required property 'inputSchema'/),
    answered(
      'tools/list',
      result({ tools: [{ name: 'a', inputSchema: { type: 'string' } }] }),
      'an input schema that is not an object',
      /inputSchema\/type must be equal/,
    ),
    answered(
      'tools/call',
      result({ content: [{ type: 'text', text: 1 }] }),
      'a text that is a number',
      /content\/0\/text must be string/,
    ),
    answered(
      'tools/call',
      result({ content: [{ type: 'image', data: 'no base64!', mimeType: 'image/png' }] }),
      'data that is not base64',
      /data must match format "byte"/,
    ),
    answered(
      'resources/read',
      result({ contents: [{ uri: 'a:b', text: 'a', blob: 'aGk=' }] }),
      'text and blob',
      unknown('/contents/0/(text|blob)'),
    ),
    answered(
      'completion/complete',
      { ...(modern && done), completion: { values } },
      'more than 100 completions',
      /more than 100/,
    ),
    ...(revision === '2025-03-26' ? wrongBatches : []),
    ...(revision > '2025-03-26' ? [{ ...raw(toServer, [message], 'a batch', /has no batches/) }] : []),
    ...(modern
      ? wrongModern
      : [
          asked(
            toServer,
            'initialize',
            { protocolVersion: revision, capabilities: {} },
            'no clientInfo',
            /required property 'clientInfo'/,
          ),
        ]),
  ];
}

const wrongBatches: Case[] = [
  { what: 'an empty batch', direction: toServer, message: [], says: /at least one message/ },
  {
    what: 'a mixed batch',
    direction: toServer,
    message: [
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', id: 1, result: {} },
    ],
    says: /either requests/,
  },
  {
    what: 'initialize in a batch',
    direction: toServer,
    message: [{ jsonrpc: '2.0', id: 1, method: 'initialize', params: started({}) }],
    says: /never in a batch/,
  },
];

const wrongModern: Case[] = [
  asked(toServer, 'tools/list', {}, 'a request without _meta', /required property '_meta'/),
  asked(
    toServer,
    'tools/list',
    { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } },
    'a request without capabilities',
    /clientCapabilities'/,
  ),
  asked(
    toServer,
    'tools/list',
    { _meta: requestMeta({ 'io.modelcontextprotocol/protocolVersion': '2025-11-25' }) },
    'the claim of another revision',
    /claims 2025-11-25/,
  ),
  answered('tools/list', { ...cached, ttlMs: -1, tools: [] }, 'a negative ttlMs', /ttlMs must be >= 0/),
  answered(
    'tools/list',
    { ...cached, cacheScope: 'shared', tools: [] },
    'an unknown cacheScope',
    /cacheScope must be equal to one of/,
  ),
  answered('tasks/get', task({ status: 'completed' }), 'a completed task without result', /required property 'result'/),
  answered('tasks/get', task({ status: 'failed' }), 'a failed task without error', /required property 'error'/),
  answered('tasks/get', task({ status: 'input_required' }), 'no inputRequests', /required property 'inputRequests'/),
  answered('tasks/get', task({ status: 'done' }), 'an unknown status', /status must be equal to constant/),
  answered('tasks/get', task({ status: 'working', ttlMs: 0 }), 'a time to live of 0', /ttlMs must be >= 1/),
  answered('tasks/get', task({ status: 'working', ttl: 1 }), 'a ttl of 2025-11-25', unknown('/result/ttl')),
  answered('tasks/get', task({ status: 'working', resultType: 'task' }), 'a created task', /resultType must be equal/),
  answered(
    'tools/call',
    task({ status: 'completed', resultType: 'task', result: { content: [] } }),
    'a created task with its result',
    unknown('/result/result'),
  ),
  answered('prompts/get', task({ status: 'working', resultType: 'task' }), 'a task of a prompt', /required property/),
];

function task(more: Json): Json {
  const times = { createdAt: '2026-07-28T10:00:00Z', lastUpdatedAt: '2026-07-28T10:00:00Z', ttlMs: null };
  return { ...done, taskId: 'a', ...times, ...more };
}
