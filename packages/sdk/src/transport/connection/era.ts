import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { Principal } from '../../protocol/exchange.ts';
import type { Request } from '../../protocol/jsonrpc.ts';
import { MODERN_ONLY } from '../../protocol/methods.ts';
import { featuresOf, type Revision } from '../../protocol/revision.ts';
import { shown } from '../../protocol/text.ts';
import { hasClaim, readClaim } from '../../wire/claim.ts';
import type { Caller } from './calls.ts';
import type { Session } from './session.ts';

/** How a request is to be served. */
export type Route =
  | { readonly kind: 'modern'; readonly caller: Caller }
  | { readonly kind: 'initialize' }
  | { readonly kind: 'legacy'; readonly caller: Caller; readonly session: Session }
  | { readonly kind: 'pong' };

/** The revisions a server speaks, by era. */
export interface Spoken {
  readonly modern: readonly Revision[];
  readonly legacy: readonly Revision[];
}

/** Sorts revisions by era. */
export const spokenBy = (revisions: readonly Revision[]): Spoken => ({
  modern: revisions.filter((revision) => featuresOf(revision).era === 'modern'),
  legacy: revisions.filter((revision) => featuresOf(revision).era === 'legacy'),
});

/**
 * Decides the era of a request on a connection that both eras may share: a claim in `_meta` makes it modern,
 * whatever the connection agreed to before (Versioning, Compatibility matrix). Throws what the request is answered with.
 */
export const routeOf = (
  message: Request,
  session: Session | undefined,
  spoken: Spoken,
  principal: Principal | undefined,
  connection: object,
): Route => {
  const { method, params } = message;
  if (spoken.modern.length > 0) {
    if (hasClaim(params)) {
      const { revision, capabilities, client, logLevel } = readClaim(params, spoken.modern);
      return { kind: 'modern', caller: { revision, capabilities, client, logLevel, principal, session: connection } };
    }
    if (MODERN_ONLY.has(method)) throw missingClaim(method);
  }
  if (method === 'initialize') return { kind: 'initialize' };
  if (session !== undefined) return { kind: 'legacy', caller: session.caller, session };
  if (method === 'ping' && spoken.legacy.length > 0) return { kind: 'pong' };
  throw new ProtocolError(CODE.invalidParams, notGreeted(method, spoken));
};

const missingClaim = (method: string): ProtocolError =>
  new ProtocolError(
    CODE.invalidParams,
    `${shown(method)} needs "_meta" with "io.modelcontextprotocol/protocolVersion" and "io.modelcontextprotocol/clientCapabilities"`,
  );

const notGreeted = (method: string, { modern, legacy }: Spoken): string => {
  const ways = [
    ...(modern.length > 0
      ? [`put "io.modelcontextprotocol/protocolVersion" into the request's "_meta" (supported: ${modern.join(', ')})`]
      : []),
    ...(legacy.length > 0 ? [`send "initialize" first (supported: ${legacy.join(', ')})`] : []),
  ];
  return `${shown(method)} cannot be answered yet: ${ways.join(', or ')}`;
};
