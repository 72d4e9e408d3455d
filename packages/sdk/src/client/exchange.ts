import { PeerError, ProtocolError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import { META, metaOf, PROGRESS_TOKEN } from '../protocol/meta.ts';
import { ASKING_METHODS } from '../protocol/methods.ts';
import { shown } from '../protocol/text.ts';
import { claimMeta } from '../wire/claim.ts';
import { decodeResult, isInputRequired } from '../wire/decode.ts';
import { encodeParams } from '../wire/encode.ts';
import { Refusal } from './answer.ts';
import { type Conversation, lastOf, type Opening, termsOf } from './conversation.ts';
import type { Terms } from './correlate.ts';
import { takeCharge } from './handshake.ts';
import { createListens } from './listens.ts';
import { createNotices, unreadable } from './notices.ts';
import { fulfil } from './rounds.ts';
import type { CallOptions } from './types.ts';

/** A connection on a revision without a handshake: each request says who sends it and what that can do; only the client sends requests. */
export const openExchange = (opening: Opening): Conversation => {
  const { calls, agreement, settings, answerer, report } = opening;
  const { revision, server } = agreement;
  const { info, capabilities } = settings;
  let { logLevel } = settings;
  let claim = claimMeta({ revision, capabilities, client: info, logLevel });

  const metaFor = (
    id: number,
    params: JsonObject | undefined,
    { meta, onProgress, logLevel }: CallOptions,
  ): JsonObject => {
    const own: JsonObject = { ...metaOf(params), ...meta, ...claim };
    if (onProgress !== undefined) own[PROGRESS_TOKEN] = id;
    if (logLevel !== undefined) own[META.logLevel] = logLevel;
    return own;
  };

  const send = (
    method: string,
    params: JsonObject | undefined,
    options: CallOptions,
    terms: Terms,
  ): Promise<JsonObject> => {
    const id = calls.nextId();
    return calls.request(id, method, { ...params, _meta: metaFor(id, params, options) }, terms);
  };

  /** Asks, and asks again with the answers as long as the server wants to know something. */
  const rounds = (
    method: string,
    params: JsonObject | undefined,
    options: CallOptions,
    terms: Terms,
    first: JsonObject,
  ): Promise<JsonObject> =>
    fulfil(first, {
      method,
      clock: settings.clock,
      limits: settings.limits,
      last: terms.last,
      signal: options.signal,
      async answer(name, { method, params }, signal) {
        try {
          return await answerer.answer({ method, params, name }, revision, server, signal);
        } catch (error) {
          // There is no way to answer with an error: a call that asks too much fails here.
          if (error instanceof Refusal) throw new PeerError(`The server asked what it may not ask: ${error.message}`);
          throw error;
        }
      },
      again: (answers) => send(method, { ...params, ...answers }, options, terms),
    });

  const exchange = async (
    method: string,
    params: JsonObject | undefined,
    options: CallOptions,
    onRound?: () => void,
  ): Promise<JsonObject> => {
    const terms = termsOf(settings, options, lastOf(settings, options));
    const first = await send(method, params, options, terms);
    if (!isInputRequired(first) || !ASKING_METHODS.has(method)) return first;
    onRound?.();
    return rounds(method, params, options, terms, first);
  };
  const leftOut = (problem: string): void =>
    report('warn', 'bad-entry', `A part of a list is malformed and left out: ${problem}`);

  const listens = createListens(opening, (id, params, terms) =>
    calls.request(id, 'subscriptions/listen', { ...params, _meta: claim }, terms),
  );
  const notices = createNotices(settings, report);
  takeCharge(calls, {
    batch: false,
    request: ({ method }) =>
      report(
        'warn',
        'unexpected-request',
        `A server sends no requests in ${revision}; ${shown(method, 60)} is ignored`,
      ),
    notification(message) {
      if (!listens.take(message)) notices(message);
    },
    unreadable: unreadable(report),
  });

  return {
    agreement,
    calls,
    raw: (method, params, options) => exchange(method, params, options),
    request: (method, params, options, onRound) =>
      exchange(method, encodeParams(method, params, revision), options, onRound).then((result) =>
        decodeResult(method, result, revision, { report: leftOut }),
      ),
    follow: listens.follow,
    // There is no `ping`; any answer shows that the server lives.
    async ping(options) {
      await exchange('server/discover', undefined, options).catch((error: unknown) => {
        if (!(error instanceof ProtocolError)) throw error;
      });
    },
    async setLogLevel(level) {
      logLevel = level;
      claim = claimMeta({ revision, capabilities, client: info, logLevel });
    },
    // The next question for roots is answered with the new ones; there is nobody to tell.
    async rootsChanged() {},
  };
};
