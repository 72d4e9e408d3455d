import { CODE, ProtocolError } from '../../protocol/errors.ts';
import { MODERN_ONLY } from '../../protocol/methods.ts';
import type { RevisionsByEra } from '../../protocol/revision.ts';
import { shown } from '../../protocol/text.ts';
import { hasClaim, readClaim } from '../../wire/claim.ts';
import type { IncomingRequest } from '../serving/message.ts';
import type { Caller, CallerSession, Peer } from '../serving/server-call.ts';
import type { Session } from '../serving/session.ts';

/** How to serve a request on a channel. */
export type Route =
  | { readonly kind: 'modern'; readonly caller: Caller }
  | { readonly kind: 'legacy'; readonly caller: Caller }
  | { readonly kind: 'initialize' }
  /** A `ping` before `initialize`. */
  | { readonly kind: 'ping' };

const INITIALIZE: Route = { kind: 'initialize' };
const PING: Route = { kind: 'ping' };

/**
 * Decides the era of a request on a channel that both eras may share: a claim in `_meta` makes it modern, whatever was agreed in `initialize`
 * (Versioning, "Compatibility matrix"). `connection` is the session of modern requests. Throws the error with which the request is answered.
 */
export function routeOf(
  { method, meta }: Pick<IncomingRequest, 'method' | 'meta'>,
  session: Session | undefined,
  supported: RevisionsByEra,
  peer: Peer,
  connection: CallerSession,
): Route {
  if (supported.modern.length > 0) {
    if (hasClaim(meta)) {
      const { revision, capabilities, client, logLevel } = readClaim(meta, supported);
      const { principal, quotaKey } = peer;
      return {
        kind: 'modern',
        caller: { revision, capabilities, client, logLevel, principal, quotaKey, session: connection },
      };
    }
    if (MODERN_ONLY.has(method)) throw missingClaim(method);
  }
  if (method === 'initialize') return INITIALIZE;
  if (session !== undefined) return { kind: 'legacy', caller: session };
  if (method === 'ping' && supported.legacy.length > 0) return PING;
  throw new ProtocolError(CODE.invalidParams, notInitialized(method, supported));
}

function missingClaim(method: string): ProtocolError {
  return new ProtocolError(
    CODE.invalidParams,
    `${shown(method)} needs "_meta" with "io.modelcontextprotocol/protocolVersion" and "io.modelcontextprotocol/clientCapabilities"`,
  );
}

function notInitialized(method: string, { modern, legacy }: RevisionsByEra): string {
  const ways: string[] = [];
  if (modern.length > 0)
    ways.push(
      `put "io.modelcontextprotocol/protocolVersion" into the request's "_meta" (supported: ${modern.join(', ')})`,
    );
  if (legacy.length > 0) ways.push(`send "initialize" first (supported: ${legacy.join(', ')})`);
  return `${shown(method)} cannot be answered yet: ${ways.join(', or ')}`;
}
