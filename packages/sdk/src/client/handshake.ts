import { ConnectionError } from '../protocol/errors.ts';
import type { Notification, Request } from '../protocol/jsonrpc.ts';
import { featuresOf, LEGACY, type Revision } from '../protocol/revision.ts';
import { shown } from '../protocol/text.ts';
import { encodeClientCapabilities } from '../wire/capabilities.ts';
import { encodeImplementation } from '../wire/encode-params.ts';
import { decodeResult, serverInfoOf } from '../wire/decode.ts';
import type { Agreed } from './conversation.ts';
import type { Calls, Inbound } from './correlate.ts';
import type { Settings } from './options.ts';
import { Session } from './session.ts';
import type { Agreement } from './types.ts';

/** Most messages a server may send before the session begins. */
const EARLY = 100;

/** Keeps what arrives too early, and hands it over in order when the session takes its place. */
const earlyInbox = (calls: Calls): Inbound => {
  const early: (Request | Notification)[] = [];
  const keep = (message: Request | Notification): void => {
    if (early.length < EARLY) early.push(message);
  };
  return {
    batch: true,
    request: (message) => (message.method === 'ping' ? calls.respond(message.id, { result: {} }) : keep(message)),
    notification: keep,
    unreadable() {},
    handOver(inbound) {
      for (const message of early) {
        if ('id' in message) inbound.request(message);
        else inbound.notification(message);
      }
    },
  };
};

/**
 * The handshake of revisions up to 2025-11-25: `initialize`, its answer, `notifications/initialized`. Nothing else is sent before.
 * See "Lifecycle" of the specification.
 */
export const handshake = async (calls: Calls, settings: Settings, offer: Revision): Promise<Agreed> => {
  const { info, capabilities, clock, timeout, maxTimeout } = settings;
  calls.inbound = earlyInbox(calls);
  const params = {
    protocolVersion: offer,
    capabilities: encodeClientCapabilities(capabilities, offer),
    clientInfo: encodeImplementation(info, offer),
  };
  const terms = { timeout, last: clock.now() + maxTimeout, cancellable: false };
  const result = await calls.request(calls.nextId(), 'initialize', params, terms);
  const answered = result['protocolVersion'];
  const revision = LEGACY.find((known) => known === answered);
  if (revision === undefined || (settings.revision !== undefined && revision !== settings.revision)) {
    throw new ConnectionError(
      `The server wants to speak protocol version ${shown(answered, 40)}, this client speaks ${settings.revision ?? LEGACY.join(', ')}`,
    );
  }
  const decoded = decodeResult('initialize', result, revision);
  await calls.notify('notifications/initialized');
  const agreement: Agreement = {
    revision,
    era: featuresOf(revision).era,
    server: serverInfoOf(result),
    capabilities: decoded['capabilities'] as Agreement['capabilities'],
    instructions: decoded['instructions'] as string | undefined,
  };
  return { calls, agreement, converse: (opening) => new Session(opening) };
};
