import { CODE, ProtocolError } from '../../protocol/errors.ts';
import { isObject } from '../../protocol/jsonrpc.ts';
import { META } from '../../protocol/meta.ts';
import type { Change } from '../../server/changes.ts';
import type { Engine } from '../../server/engine.ts';
import { notificationText } from '../../wire/text.ts';
import type { RunningCall } from './running-call.ts';
import { changeText, changingLists, tooManyUris } from './updates.ts';

/** What a modern client subscribed to (`subscriptions/listen`). */
export interface Subscription {
  /** The resources that it watches. */
  readonly uris: ReadonlySet<string>;
  /** The acknowledgement: the part of the filter that the server will announce. */
  readonly acknowledgement: string;
  /** Did it ask for such a change? */
  wants(change: Change): boolean;
  /** The notification of a change. */
  notice(change: Change): string;
  /** The text of the result that ends it in good order. */
  result(): string;
}

/** How a list is named in a filter. */
const FIELDS = { tools: 'toolsListChanged', prompts: 'promptsListChanged', resources: 'resourcesListChanged' } as const;

/** Reads the filter of a request, as far as the server offers what it names to this caller. */
export async function readSubscription(engine: Engine, call: RunningCall): Promise<Subscription> {
  const wanted = call.params['notifications'];
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
    for (const uri of new Set<string>(asked)) if (await engine.hasResource(uri, call)) uris.add(uri);
  }

  const { id, revision } = call;
  const tag = { _meta: { [META.subscriptionId]: id } };
  const notifications = {
    ...Object.fromEntries([...lists].map((list) => [FIELDS[list], true])),
    ...(uris.size === 0 ? {} : { resourceSubscriptions: [...uris] }),
  };
  return {
    uris,
    acknowledgement: notificationText('notifications/subscriptions/acknowledged', { ...tag, notifications }),
    wants: (change) => ('uri' in change ? uris.has(change.uri) : lists.has(change.list)),
    notice: (change) => changeText(change, tag),
    result: () => engine.finish(tag, revision),
  };
}
