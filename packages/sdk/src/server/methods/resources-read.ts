import type { ResourceContents } from '../../protocol/content.ts';
import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { RequestContext } from '../../protocol/request-context.ts';
import type { JsonObject } from '../../protocol/jsonrpc.ts';
import { andThen, type Maybe, settle } from '../../protocol/maybe.ts';
import { shown } from '../../protocol/text.ts';
import { encodeReadResult, textContentsMembers } from '../../wire/encode-results.ts';
import { runHandler } from '../run-handler.ts';
import { contents, isContents } from '../content.ts';
import type { Engine, RawResult } from '../engine.ts';
import type { CacheHint } from '../cache-hint.ts';
import type { ResourceOptions } from '../resource.ts';
import { findQueryProblem, findReadable, type ReadableResource } from './find-readable.ts';
import { handlerFailure } from './handler-failure.ts';
import { notFound } from './not-found.ts';
import { stringParam } from './params.ts';

/** `resources/read`. */
export function readResource(engine: Engine, params: JsonObject, request: RequestContext): Maybe<RawResult> {
  const uri = stringParam(params, 'uri');
  const viewer = engine.viewer(request);
  return andThen(findReadable(engine.catalog, uri, viewer), (found) => {
    if (found === undefined)
      return findQueryProblem(engine.catalog, uri, viewer).then((problem) => {
        throw notFound(uri, request, problem);
      });
    return settle<RawResult, RawResult>(
      () => read(engine, params, request, uri, found),
      (raw) => raw,
      (error) => {
        throw handlerFailure(engine, request, `Resource '${shown(uri)}'`, error);
      },
    );
  });
}

function read(
  engine: Engine,
  params: JsonObject,
  request: RequestContext,
  uri: string,
  found: ReadableResource,
): Maybe<RawResult> {
  const { options, handler } = found.resource.resource;
  const outcome = runHandler(engine, request, params, { method: 'resources/read', name: uri, args: null }, (ctx) =>
    handler((found.variables.size === 0 ? {} : Object.fromEntries(found.variables)) as never, ctx),
  );
  return andThen(outcome, (ended) => {
    if ('requests' in ended) return ended;
    if (ended.value === undefined) throw notFound(uri, request);
    const { value } = ended;
    const cache = cacheOf(options);
    if (typeof value === 'string') return { text: textContentsMembers(found.uri, options.mimeType, value), cache };
    const items = itemsOf(found.uri, options.mimeType, value);
    return { result: encodeReadResult({ contents: items }, request.revision), cache };
  });
}

/** A resource that only some callers may see is never shared between callers, even if its author says `public`. */
function cacheOf({ cache = {}, visible }: ResourceOptions): CacheHint {
  return visible === undefined ? cache : { ...cache, scope: 'private' };
}

function itemsOf(uri: string, mimeType: string | undefined, value: unknown): ResourceContents[] {
  if (value instanceof Uint8Array) return [contents(uri, value, { mimeType })];
  if (isContents(value)) return [value];
  // An empty array is a JSON value; `contents` must not be empty (Resources, Error Handling).
  if (Array.isArray(value) && value.length > 0 && value.every(isContents)) return value;
  const json = JSON.stringify(value);
  if (json === undefined) throw new ProtocolError(CODE.internalError, 'The resource is not JSON');
  return [contents(uri, json, { mimeType: mimeType ?? 'application/json' })];
}
