import { ConnectionError } from '../protocol/errors.ts';
import type { Notification, Request } from '../protocol/jsonrpc.ts';
import { featuresOf, LEGACY, type Revision } from '../protocol/revision.ts';
import { shown } from '../protocol/text.ts';
import { encodeClientCapabilities } from '../wire/capabilities.ts';
import { encodeImplementation } from '../wire/encode-params.ts';
import { decodeResult, serverInfoOf } from '../wire/decode.ts';
import type { NegotiationResult } from './server-connection.ts';
import type { RpcConnection, Inbound } from './rpc-connection.ts';
import type { Settings } from './options.ts';
import { LegacyConnection } from './legacy-connection.ts';
import type { Agreement } from './types.ts';

/** How many messages that arrive before the session begins are stored; further ones are dropped. */
const MAX_EARLY = 100;

/** Stores messages that arrive before the session begins, and passes them on in order once it has begun. */
function earlyInbox(rpc: RpcConnection): Inbound {
  const early: (Request | Notification)[] = [];
  const keep = (message: Request | Notification): void => {
    if (early.length < MAX_EARLY) early.push(message);
  };
  return {
    batch: true,
    request: (message) => (message.method === 'ping' ? rpc.respond(message.id, { result: {} }) : keep(message)),
    notification: keep,
    unreadable() {},
    handOver(inbound) {
      for (const message of early) {
        if ('id' in message) inbound.request(message);
        else inbound.notification(message);
      }
    },
  };
}

/**
 * The handshake of revisions up to 2025-11-25: `initialize`, its response, `notifications/initialized`. Nothing else is sent before that.
 * See "Lifecycle" of the specification.
 */
export async function handshake(rpc: RpcConnection, settings: Settings, offer: Revision): Promise<NegotiationResult> {
  const { info, capabilities, clock, timeout, maxTimeout } = settings;
  rpc.inbound = earlyInbox(rpc);
  const params = {
    protocolVersion: offer,
    capabilities: encodeClientCapabilities(capabilities, offer),
    clientInfo: encodeImplementation(info, offer),
  };
  const requestOptions = { timeout, deadline: clock.now() + maxTimeout, cancellable: false };
  const result = await rpc.request(rpc.nextId(), 'initialize', params, requestOptions);
  const answered = result['protocolVersion'];
  const revision = LEGACY.find((known) => known === answered);
  if (revision === undefined || (settings.revision !== undefined && revision !== settings.revision)) {
    throw new ConnectionError(
      'unsupported-revision',
      `The server wants protocol version ${shown(answered, 40)}, this client supports ${settings.revision ?? LEGACY.join(', ')}`,
    );
  }
  const decoded = decodeResult('initialize', result, revision);
  await rpc.notify('notifications/initialized');
  const agreement: Agreement = {
    revision,
    era: featuresOf(revision).era,
    server: serverInfoOf(result),
    capabilities: decoded['capabilities'] as Agreement['capabilities'],
    instructions: decoded['instructions'] as string | undefined,
  };
  return { rpc, agreement, start: (context) => new LegacyConnection(context) };
}
