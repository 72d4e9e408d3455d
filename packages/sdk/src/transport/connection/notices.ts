import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { JsonObject } from '../../protocol/jsonrpc.ts';
import type { Change, ChangingList } from '../../server/changes.ts';
import type { Engine } from '../../server/engine.ts';
import { notificationText } from '../../wire/text.ts';

const LISTS: readonly ChangingList[] = ['tools', 'prompts', 'resources'];

/** The lists whose changes a server with these capabilities tells. */
export const changingLists = (capabilities: ServerCapabilities): ChangingList[] =>
  LISTS.filter((list) => capabilities[list]?.listChanged === true);

const SETS = new Map<string, ReadonlySet<string>>();

/** The set of some of these lists. There are few, so that sessions share them. */
export const listSet = (names: readonly string[]): ReadonlySet<string> => {
  const known = LISTS.filter((list) => names.includes(list));
  const key = known.join();
  const set = SETS.get(key) ?? new Set(known);
  SETS.set(key, set);
  return set;
};

/** The notification of a change; `params` are what it has besides. */
export const noticeOf = (change: Change, params?: JsonObject): string =>
  'uri' in change
    ? notificationText('notifications/resources/updated', { ...params, uri: change.uri })
    : notificationText(`notifications/${change.list}/list_changed`, params);

/** The error for a client that wants to watch more resources than a connection may. */
export const tooManyUris = ({ limits }: Engine): ProtocolError =>
  new ProtocolError(CODE.invalidParams, `A connection may watch at most ${limits.subscriptionUris} resources`);
