import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { Exchange } from '../../protocol/exchange.ts';
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts';
import { META } from '../../protocol/meta.ts';
import type { Change } from '../../server/changes.ts';
import type { Engine } from '../../server/engine.ts';
import { notificationText, responseText } from '../../wire/text.ts';
import { changingLists, noticeOf, tooManyUris } from './notices.ts';

/** A subscription of a modern client (`subscriptions/listen`). */
export interface Listen {
  /** How many resources it watches. */
  readonly watched: number;
  /** The acknowledgement: what of the filter the server will tell. */
  readonly acknowledgement: string;
  /** Did it ask for such a change? */
  wants(change: Change): boolean;
  /** The notification of a change. */
  notice(change: Change): string;
  /** The result that ends it in good order. */
  farewell(): string;
}

/** How a list is named in a filter. */
const FIELDS = { tools: 'toolsListChanged', prompts: 'promptsListChanged', resources: 'resourcesListChanged' } as const;

/** Makes the subscription a request asks for, as far as the server offers it to this caller. */
export const createListen = async (engine: Engine, params: JsonObject, exchange: Exchange): Promise<Listen> => {
  const wanted = params['notifications'];
  if (!isObject(wanted)) throw new ProtocolError(CODE.invalidParams, '"notifications" must be an object');
  const asked = wanted['resourceSubscriptions'] ?? [];
  if (!Array.isArray(asked) || !asked.every((uri) => typeof uri === 'string')) {
    throw new ProtocolError(CODE.invalidParams, '"notifications.resourceSubscriptions" must be a list of URIs');
  }
  if (asked.length > engine.limits.subscriptionUris) throw tooManyUris(engine);

  const capabilities = engine.capabilities();
  const lists = new Set(changingLists(capabilities).filter((list) => wanted[FIELDS[list]] === true));
  const uris = new Set<string>();
  if (capabilities.resources?.subscribe === true) {
    for (const uri of new Set<string>(asked)) if (await engine.hasResource(uri, exchange)) uris.add(uri);
  }

  const { id, revision } = exchange;
  const tag = { _meta: { [META.subscriptionId]: id } };
  const notifications = {
    ...Object.fromEntries([...lists].map((list) => [FIELDS[list], true])),
    ...(uris.size === 0 ? {} : { resourceSubscriptions: [...uris] }),
  };
  return {
    watched: uris.size,
    acknowledgement: notificationText('notifications/subscriptions/acknowledged', { ...tag, notifications }),
    wants: (change) => ('uri' in change ? uris.has(change.uri) : lists.has(change.list)),
    notice: (change) => noticeOf(change, tag),
    farewell: () => responseText(id, engine.finish(tag, revision)),
  };
};
