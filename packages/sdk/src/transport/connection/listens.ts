import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { Exchange } from '../../protocol/exchange.ts';
import { isObject, type JsonObject, type RequestId } from '../../protocol/jsonrpc.ts';
import { META } from '../../protocol/meta.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { Change } from '../../server/changes.ts';
import { encodedInfo } from '../../server/create-engine.ts';
import type { Engine } from '../../server/engine.ts';
import { complete } from '../../wire/encode.ts';
import { notificationText, responseText } from '../../wire/text.ts';

/** What a client wants to hear about (`subscriptions/listen`), as far as the server can tell it. */
export interface Filter {
  readonly lists: ReadonlySet<string>;
  readonly uris: ReadonlySet<string>;
}

/** A subscription of a modern client. */
export interface Listen {
  readonly id: RequestId;
  readonly filter: Filter;
}

/** How a list is named in a filter, and which method tells that it changed. */
const LISTS = [
  { field: 'toolsListChanged', list: 'tools' },
  { field: 'promptsListChanged', list: 'prompts' },
  { field: 'resourcesListChanged', list: 'resources' },
] as const;

/** Reads the filter of a request and keeps what the server offers this caller. */
export const honoured = async (engine: Engine, params: JsonObject, exchange: Exchange): Promise<Filter> => {
  const wanted = params['notifications'];
  if (!isObject(wanted)) throw new ProtocolError(CODE.invalidParams, '"notifications" must be an object');
  const uris = wanted['resourceSubscriptions'] ?? [];
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string')) {
    throw new ProtocolError(CODE.invalidParams, '"notifications.resourceSubscriptions" must be a list of URIs');
  }
  if (uris.length > engine.limits.subscriptionUris) {
    throw new ProtocolError(CODE.invalidParams, `A subscription may name at most ${engine.limits.subscriptionUris} resources`);
  }
  const capabilities = engine.capabilities();
  const lists = LISTS.filter(({ field, list }) => wanted[field] === true && capabilities[list]?.listChanged === true).map(({ list }) => list);
  const known = new Set<string>();
  if (capabilities.resources?.subscribe === true) {
    for (const uri of new Set<string>(uris)) if (await engine.hasResource(uri, exchange)) known.add(uri);
  }
  return { lists: new Set(lists), uris: known };
};

/** The acknowledgement: what of the filter the server will tell. */
export const acknowledgement = ({ id, filter }: Listen): string => {
  const notifications: JsonObject = {};
  for (const { field, list } of LISTS) if (filter.lists.has(list)) notifications[field] = true;
  if (filter.uris.size > 0) notifications['resourceSubscriptions'] = [...filter.uris];
  return notificationText('notifications/subscriptions/acknowledged', { ...tagged(id), notifications });
};

/** The notification a subscription gets for a change; undefined when it did not ask for it. */
export const noticeFor = ({ id, filter }: Listen, change: Change): string | undefined => {
  if ('uri' in change) return filter.uris.has(change.uri) ? notificationText('notifications/resources/updated', { ...tagged(id), uri: change.uri }) : undefined;
  return filter.lists.has(change.list) ? notificationText(`notifications/${change.list}/list_changed`, tagged(id)) : undefined;
};

/** The result that ends a subscription in good order. */
export const farewell = ({ id }: Listen, engine: Engine, revision: Revision): string =>
  responseText(id, JSON.stringify(complete(tagged(id), revision, { serverInfo: encodedInfo(engine, revision) })));

const tagged = (id: RequestId): JsonObject => ({ _meta: { [META.subscriptionId]: id } });
