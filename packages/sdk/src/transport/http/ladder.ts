import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { Notification, Request, RequestId, Response } from '../../protocol/jsonrpc.ts';
import { metaOf, META } from '../../protocol/meta.ts';
import type { Era, Revision } from '../../protocol/revision.ts';
import { type Claim, readClaim } from '../../wire/claim.ts';
import { ASSUMED_REVISION } from '../../wire/headers.ts';
import {
  type Batch,
  type Body,
  type Called,
  eraOf,
  type Head,
  idOf,
  type LegacyPost,
  type Lookup,
  type ModernPost,
  type Posted,
  postedOf,
} from './facts.ts';
import { BODY } from './ladder-body.ts';
import { DOOR, HEAD } from './ladder-head.ts';
import { LEGACY } from './ladder-legacy.ts';
import { MODERN, TOOL_CALL, type ToolCall } from './ladder-modern.ts';
import { firstRefusal, type Refusal, type Rung } from './ladder-rung.ts';

/**
 * The order in which a request is held against the rules. The first check that fails answers, and nothing after it is looked at.
 * Between them, who serves HTTP answers OPTIONS (rank 2), finds out who is calling (rank 3) and reads the body;
 * the method itself is after them.
 */
export const LADDER: readonly { readonly stage: string; readonly rungs: readonly Omit<Rung<never>, 'check'>[] }[] = [
  { stage: 'door', rungs: DOOR },
  { stage: 'head', rungs: HEAD },
  { stage: 'body', rungs: BODY },
  { stage: 'modern', rungs: MODERN },
  { stage: 'legacy', rungs: LEGACY },
  { stage: 'tool call', rungs: TOOL_CALL },
];

/** Why a request may not come in; undefined if it may. Asked first, before the body and before anything else is read. */
export const refuseAtDoor = (head: Head, lookup: Lookup): Refusal | undefined => firstRefusal(DOOR, head, lookup);

/** Why a request of a known sender cannot be served, as far as its headers tell. */
export const refuseHead = (called: Called, lookup: Lookup): Refusal | undefined => firstRefusal(HEAD, called, lookup);

/** Why the headers of a `tools/call` do not fit its arguments, once the tool is known. */
export const refuseToolCall = (call: ToolCall, lookup: Lookup): Refusal | undefined =>
  firstRefusal(TOOL_CALL, call, lookup);

/** What a POST turned out to be. */
export type Admission =
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly id: RequestId | undefined }
  /** A request of the modern era: served by itself. */
  | { readonly kind: 'modern'; readonly message: Request; readonly claim: Claim }
  /** A notification of the modern era: 202, and that is all. */
  | { readonly kind: 'noted'; readonly message: Notification }
  /** Begins a session, or where there are none, only answers. */
  | { readonly kind: 'initialize'; readonly message: Request }
  /** A message of the legacy era, in its session or standing alone. */
  | {
      readonly kind: 'legacy';
      readonly message: Request | Notification | Response | Batch;
      readonly revision: Revision;
    };

/**
 * Holds a POST whose body is there against the rules, and tells how to serve it.
 *
 * @example
 * ```ts
 * const admission = admitPost(called, readBody(text, limits), lookup);
 * if (admission.kind === 'refused') respond(admission.refusal.status, errorText(admission.id, admission.refusal.error));
 * ```
 */
export const admitPost = (called: Called, body: Body, lookup: Lookup): Admission => {
  const posted = postedOf(called, body);
  const refusal = firstRefusal(BODY, posted, lookup);
  if (refusal !== undefined) return refused(refusal, posted);
  const shape = posted.shape as LegacyPost['shape'];
  const single = shape.kind === 'request' || shape.kind === 'notification';
  if (single && eraOf(shape.message, posted.version, lookup.spoken) === 'modern')
    return admitModern(posted, shape, lookup);
  return admitLegacy({ ...posted, shape }, lookup);
};

const refused = (refusal: Refusal, posted: Posted): Admission => ({ kind: 'refused', refusal, id: idOf(posted) });

const admitModern = (
  posted: Posted,
  { kind, message }: { readonly kind: 'request' | 'notification'; readonly message: Request | Notification },
  lookup: Lookup,
): Admission => {
  const asks = kind === 'request';
  const version = metaOf(message.params)[META.protocolVersion];
  const claimed = typeof version === 'string' ? version : undefined;
  const claim = asks ? claimOf(message, lookup) : undefined;
  const post: ModernPost = { ...posted, message, asks, claimed, claim };
  const refusal = firstRefusal(MODERN, post, lookup);
  if (refusal !== undefined) return refused(refusal, posted);
  return asks ? { kind: 'modern', message: message as Request, claim: claim as Claim } : { kind: 'noted', message };
};

const claimOf = ({ params }: Request | Notification, { spoken }: Lookup): Claim | ProtocolError => {
  try {
    return readClaim(params, spoken.modern);
  } catch (error) {
    if (error instanceof ProtocolError) return error;
    throw error;
  }
};

const admitLegacy = (post: LegacyPost, lookup: Lookup): Admission => {
  const { shape, session, version } = post;
  const refusal = firstRefusal(LEGACY, post, lookup);
  if (refusal !== undefined) return refused(refusal, post);
  if (shape.kind === 'request' && shape.message.method === 'initialize')
    return { kind: 'initialize', message: shape.message };
  const revision = session?.revision ?? (version as Revision | undefined) ?? ASSUMED_REVISION;
  return { kind: 'legacy', message: shape.kind === 'batch' ? shape : shape.message, revision };
};

const STATUS: ReadonlyMap<number, number> = new Map<number, number>([
  [CODE.parseError, 400],
  [CODE.invalidRequest, 400],
  [CODE.headerMismatch, 400],
  [CODE.missingCapability, 400],
  [CODE.unsupportedVersion, 400],
  [CODE.methodNotFound, 404],
]);

/**
 * The status of an error with which a method answers, as long as nothing of the answer has been sent.
 * Errors that say what is wrong with a call, not with the request, are answers like any other: 200. So are all of the legacy era.
 */
export const statusOf = (code: number, era: Era): number => (era === 'modern' ? (STATUS.get(code) ?? 200) : 200);
