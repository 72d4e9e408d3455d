import type { JsonObject } from '../protocol/jsonrpc.ts';
import { enclose, type MessageText } from '../protocol/message-text.ts';
import { META, metaOf } from '../protocol/meta.ts';
import { featuresOf, type Revision } from '../protocol/revision.ts';
import { type CacheHint, wholeMs } from './cache-hint.ts';
import { encodeJson } from './json.ts';
import { notificationText } from './text.ts';

export type { CacheHint } from './cache-hint.ts';

/** The members of the result of a tool that is one text, encoded: they are the same in every revision. */
export function textResultMembers(text: string): MessageText {
  return enclose('"content":[{"type":"text","text":', JSON.stringify(text), '}]');
}

/**
 * The finished result of a request. Modern revisions get `resultType`, the server's `Implementation` and, for cacheable results, `cache`;
 * legacy ones get none of these.
 */
export function complete(
  result: JsonObject,
  revision: Revision,
  extra: { serverInfo?: JsonObject; cache?: CacheHint },
): JsonObject {
  if (featuresOf(revision).era === 'legacy') return withoutModernMembers(result);
  const out: JsonObject = { ...result, resultType: 'complete' };
  if (extra.serverInfo !== undefined) out['_meta'] = { [META.serverInfo]: extra.serverInfo, ...metaOf(result) };
  if (extra.cache !== undefined) {
    out['ttlMs'] = wholeMs(extra.cache.ttlMs);
    out['cacheScope'] = extra.cache.cacheScope;
  }
  return out;
}

const MODERN_MEMBERS = ['resultType', 'ttlMs', 'cacheScope'] as const;

function withoutModernMembers(result: JsonObject): JsonObject {
  const named = Object.hasOwn(metaOf(result), META.serverInfo);
  if (!named && !MODERN_MEMBERS.some((member) => Object.hasOwn(result, member))) return result;
  const { resultType: _type, ttlMs: _ttl, cacheScope: _scope, ...rest } = result;
  if (!named) return rest;
  const { [META.serverInfo]: _server, ...meta } = metaOf(result);
  return { ...rest, _meta: meta };
}

/** A result that is not the last one of its call: a request for input (`inputRequests`, `requestState`), or a task. */
export function interimResult(
  resultType: 'input_required' | 'task',
  members: JsonObject,
  serverInfo: JsonObject | undefined,
): JsonObject {
  return { resultType, ...members, _meta: serverInfo && { [META.serverInfo]: serverInfo } };
}

/** The text of a notification, as `revision` defines it. Throws a `JsonError` for params that JSON cannot represent. */
export function encodeNotification(method: string, params: JsonObject, revision: Revision): string {
  if (method === 'notifications/progress') return progressText(params, revision);
  if (featuresOf(revision).era === 'modern' || !Object.hasOwn(metaOf(params), META.subscriptionId))
    return notificationText(method, params);
  const { [META.subscriptionId]: _subscription, ...meta } = metaOf(params);
  return notificationText(method, { ...params, _meta: meta });
}

/** The progress token that was written last, and the text up to it: a call reports progress many times in a row. */
let lastToken: unknown;
let lastHead = '';

function progressHead(token: unknown): string {
  if (token !== lastToken) {
    lastToken = token;
    // `join` gives a text in one piece, which is faster to use again and again than a concatenation.
    lastHead = [
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":',
      JSON.stringify(token),
      ',"progress":',
    ].join('');
  }
  return lastHead;
}

/** Streams have many of them, so the text is written directly, member by member. */
function progressText({ progressToken, progress, total, message, _meta }: JsonObject, revision: Revision): string {
  const whole = total === undefined ? '' : `,"total":${total as number}`;
  const text = message !== undefined && featuresOf(revision).progressMessage ? `,"message":${encodeJson(message)}` : '';
  const meta = _meta === undefined ? '' : `,"_meta":${encodeJson(_meta)}`;
  return `${progressHead(progressToken)}${progress as number}${whole}${text}${meta}}}`;
}
