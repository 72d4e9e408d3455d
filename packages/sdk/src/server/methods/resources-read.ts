import type { ResourceContents } from '../../protocol/content.ts';
import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { RequestContext } from '../../protocol/request-context.ts';
import type { JsonObject } from '../../protocol/jsonrpc.ts';
import { shown } from '../../protocol/text.ts';
import { encodeReadResult } from '../../wire/encode.ts';
import { runHandler } from '../run-handler.ts';
import { contents, isContents } from '../content.ts';
import type { Engine, Raw } from '../engine.ts';
import type { CacheHint } from '../cache-hint.ts';
import type { ResourceOptions } from '../resource.ts';
import { handlerFailure } from './handler-failure.ts';
import { notFound } from './not-found.ts';
import { stringParam } from './params.ts';

/** `resources/read`. */
export async function readResource(engine: Engine, params: JsonObject, request: RequestContext): Promise<Raw> {
  const uri = stringParam(params, 'uri');
  const found = await engine.catalog.resource(uri, engine.viewer(request));
  if (found === undefined) throw notFound(uri, request);
  const { options, handler } = found.resource.resource;
  try {
    const outcome = await runHandler(
      engine,
      request,
      params,
      { method: 'resources/read', name: uri, args: null },
      (ctx) => handler(Object.fromEntries(found.variables) as never, ctx),
    );
    if ('requests' in outcome) return outcome;
    if (outcome.value === undefined) throw notFound(uri, request);
    const items = itemsOf(uri, options.mimeType, outcome.value);
    return { result: encodeReadResult({ contents: items }, request.revision), cache: cacheOf(options) };
  } catch (error) {
    throw handlerFailure(engine, request, `Resource '${shown(uri)}'`, error);
  }
}

/** A resource that only some callers may see is never shared between callers, even if its author says `public`. */
function cacheOf({ cache = {}, visible }: ResourceOptions): CacheHint {
  return visible === undefined ? cache : { ...cache, scope: 'private' };
}

function itemsOf(uri: string, mimeType: string | undefined, value: unknown): ResourceContents[] {
  if (typeof value === 'string' || value instanceof Uint8Array) return [contents(uri, value, { mimeType })];
  if (isContents(value)) return [value];
  // An empty array is a JSON value; `contents` must not be empty (Resources, Error Handling).
  if (Array.isArray(value) && value.length > 0 && value.every(isContents)) return value;
  const json = JSON.stringify(value);
  if (json === undefined) throw new ProtocolError(CODE.internalError, 'The resource is not JSON');
  return [contents(uri, json, { mimeType: mimeType ?? 'application/json' })];
}
