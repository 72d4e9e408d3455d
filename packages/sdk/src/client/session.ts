import type { JsonObject } from '../protocol/jsonrpc.ts';
import { metaOf, PROGRESS_TOKEN } from '../protocol/meta.ts';
import { featuresOf } from '../protocol/revision.ts';
import { decodeResult } from '../wire/decode.ts';
import { encodeParams } from '../wire/encode.ts';
import { type Conversation, lastOf, type Opening, termsOf } from './conversation.ts';
import { takeCharge } from './handshake.ts';
import { createNotices, unreadable } from './notices.ts';
import { createServerRequests } from './server-requests.ts';
import { createSubscriptions } from './subscriptions.ts';
import type { CallOptions } from './types.ts';

/** Params with the `_meta` a caller asked for. */
const withMeta = (
  params: JsonObject | undefined,
  id: number,
  { meta, onProgress }: CallOptions,
): JsonObject | undefined => {
  if (meta === undefined && onProgress === undefined) return params;
  const progress = onProgress === undefined ? {} : { [PROGRESS_TOKEN]: id };
  return { ...params, _meta: { ...metaOf(params), ...meta, ...progress } };
};

/** A connection on a revision with a handshake: what was agreed holds for every request, and the server sends requests too. */
export const openSession = (opening: Opening): Conversation => {
  const { calls, agreement, settings, listener, report } = opening;
  const { revision, capabilities } = agreement;

  const raw: Conversation['raw'] = (method, params, options) => {
    const id = calls.nextId();
    return calls.request(
      id,
      method,
      withMeta(params, id, options),
      termsOf(settings, options, lastOf(settings, options)),
    );
  };
  const leftOut = (problem: string): void =>
    report('warn', 'bad-entry', `A part of a list is malformed and left out: ${problem}`);

  const subscriptions = createSubscriptions(capabilities, listener, (method, uri) => raw(method, { uri }, {}));
  const requests = createServerRequests(opening);
  const notices = createNotices(settings, report);
  takeCharge(calls, {
    batch: featuresOf(revision).batch,
    request: requests.take,
    notification(message) {
      if (message.method === 'notifications/cancelled') requests.cancel(message.params);
      else if (!subscriptions.take(message)) notices(message);
    },
    unreadable: unreadable(report),
  });
  void calls.ended.then(requests.stop);

  const setLogLevel: Conversation['setLogLevel'] = async (level) => {
    await raw('logging/setLevel', { level }, {});
  };
  if (settings.logLevel !== undefined && capabilities.logging !== undefined) {
    setLogLevel(settings.logLevel).catch((error: unknown) =>
      report('warn', 'log-level', 'The server did not take the log level', error),
    );
  }

  return {
    agreement,
    calls,
    raw,
    request: (method, params, options) =>
      raw(method, encodeParams(method, params, revision), options).then((result) =>
        decodeResult(method, result, revision, { report: leftOut }),
      ),
    follow: subscriptions.follow,
    async ping(options) {
      await raw('ping', undefined, options);
    },
    setLogLevel,
    async rootsChanged() {
      await calls.notify('notifications/roots/list_changed');
    },
  };
};
