import type { Implementation } from '../protocol/entities.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { enclose, type MessageText } from '../protocol/message-text.ts';
import { featuresOf, type Revision } from '../protocol/revision.ts';
import { complete } from '../wire/encode.ts';
import { encodeImplementation } from '../wire/encode-params.ts';
import type { CacheHint } from './cache-hint.ts';

/** Adds the members that every result of an era has. The parts that never change are encoded once. */
export interface Finisher {
  readonly serverInfo: JsonObject | undefined;
  /** The text of a result. */
  result(result: JsonObject, cache?: CacheHint): MessageText;
  /** The same for a result whose members are already encoded. */
  text(members: MessageText, cache?: CacheHint): MessageText;
}

/** Makes the finisher of a revision. */
export function createFinisher(revision: Revision, info: Implementation): Finisher {
  const modern = featuresOf(revision).era === 'modern';
  const serverInfo = modern ? encodeImplementation(info, revision) : undefined;
  const hint = (cache: CacheHint) => ({ ttlMs: cache.ttlMs ?? 0, cacheScope: cache.scope ?? ('private' as const) });
  const extra = (cache: CacheHint | undefined) => ({
    serverInfo,
    cache: cache && hint(cache),
  });
  // `{"resultType":…}` without its opening brace, to be appended to encoded members.
  const tails = new Map<string, string>();
  const tail = (cache: CacheHint | undefined): string => {
    const key = cache === undefined ? '' : `${cache.ttlMs ?? 0} ${cache.scope ?? ''}`;
    const known = tails.get(key);
    if (known !== undefined) return known;
    const text = JSON.stringify(complete({}, revision, extra(cache))).slice(1);
    if (tails.size < 64) tails.set(key, text);
    return text;
  };
  const text = (members: MessageText, cache: CacheHint | undefined): MessageText => {
    const rest = tail(cache);
    return enclose('{', members, members === '' || rest === '}' ? rest : `,${rest}`);
  };
  return {
    serverInfo,
    text,
    // The common members are encoded once; only a result that sets some of them itself is merged.
    result: (result, cache) =>
      result['_meta'] !== undefined ||
      result['resultType'] !== undefined ||
      result['ttlMs'] !== undefined ||
      result['cacheScope'] !== undefined
        ? JSON.stringify(complete(result, revision, extra(cache)))
        : text(JSON.stringify(result).slice(1, -1), cache),
  };
}
