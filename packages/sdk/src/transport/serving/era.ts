import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { Principal } from '../../protocol/exchange.ts';
import type { Meta } from '../../protocol/meta.ts';
import { MODERN_ONLY } from '../../protocol/methods.ts';
import { type Era, featuresOf, isRevision, type RevisionsByEra } from '../../protocol/revision.ts';
import { shown } from '../../protocol/text.ts';
import { hasClaim, readClaim } from '../../wire/claim.ts';
import type { Caller } from './running-call.ts';
import type { Session } from './session.ts';

/** What decides the era of a message: a claim in its `_meta`, or its method. */
interface EraFacts {
  readonly method: string;
  readonly meta: Meta;
}

/**
 * The era of a message over HTTP. A claim in `_meta` makes it modern, whatever the headers say; without one, a header that names a modern
 * revision, or an unknown one. A message that names no revision is legacy. `initialize` negotiates in its body: an unknown revision in its
 * header means nothing. A server of one era takes every message as one of its era.
 */
export function eraOf(
  { method, meta }: EraFacts,
  version: string | undefined,
  { modern, legacy }: RevisionsByEra,
): Era {
  if (modern.length === 0) return 'legacy';
  if (legacy.length === 0 || hasClaim(meta)) return 'modern';
  if (version === undefined) return 'legacy';
  if (isRevision(version)) return featuresOf(version).era;
  return method === 'initialize' ? 'legacy' : 'modern';
}

/** How a request on a channel is served. */
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
 * (Versioning, "Compatibility matrix"). Throws what the request is answered with.
 */
export function routeOf(
  { method, meta }: EraFacts,
  session: Session | undefined,
  supported: RevisionsByEra,
  principal: Principal | undefined,
  connection: object,
): Route {
  if (supported.modern.length > 0) {
    if (hasClaim(meta)) {
      const { revision, capabilities, client, logLevel } = readClaim(meta, supported.modern);
      return { kind: 'modern', caller: { revision, capabilities, client, logLevel, principal, session: connection } };
    }
    if (MODERN_ONLY.has(method)) throw missingClaim(method);
  }
  if (method === 'initialize') return INITIALIZE;
  if (session !== undefined) return { kind: 'legacy', caller: session.caller };
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
