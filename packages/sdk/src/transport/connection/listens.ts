import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { Exchange } from '../../protocol/exchange.ts';
import { isObject, type JsonObject, type RequestId } from '../../protocol/jsonrpc.ts';
import { META } from '../../protocol/meta.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { Change, ChangingList } from '../../server/changes.ts';
import type { Engine } from '../../server/engine.ts';
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

/** The lists whose changes a server with these capabilities tells. */
export const changingLists = (capabilities: ServerCapabilities): ChangingList[] =>
  LISTS.filter(({ list }) => capabilities[list]?.listChanged === true).map(({ list }) => list);

/** Reads the filter of a request and keeps what the server offers this caller. */
export const honoured = async (engine: Engine, params: JsonObject, exchange: Exchange): Promise<Filter> => {
  const wanted = params['notifications'];
  if (!isObject(wanted)) throw new ProtocolError(CODE.invalidParams, '"notifications" must be an object');
  const uris = wanted['resourceSubscriptions'] ?? [];
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string')) {
    throw new ProtocolError(CODE.invalidParams, '"notifications.resourceSubscriptions" must be a list of URIs');
  }
  if (uris.length > engine.limits.subscriptionUris) throw tooManyUris(engine);
  const capabilities = engine.capabilities();
  const offered = changingLists(capabilities);
  const lists = LISTS.filter(({ field, list }) => wanted[field] === true && offered.includes(list)).map(({ list }) => list);
  const known = new Set<string>();
  if (capabilities.resources?.subscribe === true) {
    for (const uri of new Set<string>(uris)) if (await engine.hasResource(uri, exchange)) known.add(uri);
  }
  return { lists: new Set(lists), uris: known };
};

/** The error for a client that wants to watch more resources than a connection may. */
export const tooManyUris = ({ limits }: Engine): ProtocolError =>
  new ProtocolError(CODE.invalidParams, `A connection may watch at most ${limits.subscriptionUris} resources`);

/** The acknowledgement: what of the filter the server will tell. */
export const acknowledgement = ({ id, filter }: Listen): string => {
  const notifications: JsonObject = {};
  for (const { field, list } of LISTS) if (filter.lists.has(list)) notifications[field] = true;
  if (filter.uris.size > 0) notifications['resourceSubscriptions'] = [...filter.uris];
  return notificationText('notifications/subscriptions/acknowledged', { ...tagged(id), notifications });
};

/** Did a subscription ask for such a change? */
export const wants = ({ filter }: Listen, change: Change): boolean => ('uri' in change ? filter.uris.has(change.uri) : filter.lists.has(change.list));

/** The notification of a change, for a subscription or for a session. */
export const noticeOf = (change: Change, listen?: Listen): string => {
  const params = listen === undefined ? undefined : tagged(listen.id);
  return 'uri' in change
    ? notificationText('notifications/resources/updated', { ...params, uri: change.uri })
    : notificationText(`notifications/${change.list}/list_changed`, params);
};

/** The result that ends a subscription in good order. */
export const farewell = ({ id }: Listen, engine: Engine, revision: Revision): string =>
  responseText(id, engine.finish(tagged(id), revision));

const tagged = (id: RequestId): JsonObject => ({ _meta: { [META.subscriptionId]: id } });
