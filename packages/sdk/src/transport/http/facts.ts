import type { ProtocolError } from '../../protocol/errors.ts';
import {
  isObject,
  type JsonObject,
  type Notification,
  type Request,
  type RequestId,
  type Sorted,
  sortMessage,
} from '../../protocol/jsonrpc.ts';
import { featuresOf, isRevision, type Era, type Revision } from '../../protocol/revision.ts';
import { type Claim, hasClaim } from '../../wire/claim.ts';
import { HEADER, type HeaderLookup, trimOws } from '../../wire/headers.ts';
import { JsonError, type JsonLimits, parseJson } from '../../wire/json.ts';
import type { Spoken } from '../connection/era.ts';
import type { Guard } from './guard.ts';

/** What is known of an HTTP request before its body. */
export interface Head {
  /** `POST`, in upper case. */
  readonly method: string;
  /** The path of the URL, as it was sent, without the query. */
  readonly path: string;
  /** The `Host` header, or what stands for it (`:authority`, the host of the URL). */
  readonly host: string | null | undefined;
  readonly header: HeaderLookup;
  /** The name of a header that was sent more than once although it has a single value. */
  readonly repeated: string | undefined;
}

/** What an HTTP request needs to know of a session: one that is there, lives, and belongs to whoever asks. */
export interface KnownSession {
  readonly revision: Revision;
}

/** A request whose sender is known. */
export interface Called extends Head {
  /** The session of its `Mcp-Session-Id`; undefined where there is none, or none for this sender. */
  readonly session: KnownSession | undefined;
}

/** What a body turned out to be. */
export type Body =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'broken'; readonly error: JsonError }
  | { readonly kind: 'oversize' };

/** Several messages in one body (2025-03-26). */
export interface Batch {
  readonly kind: 'batch';
  readonly items: readonly unknown[];
}

/** A POST with its body. */
export interface Posted extends Called {
  readonly body: Body;
  /** What the body says; undefined when it is no JSON. */
  readonly shape: Sorted | Batch | undefined;
  /** The `MCP-Protocol-Version` header. */
  readonly version: string | undefined;
}

/** A POST that is served by the rules of the modern era. */
export interface ModernPost extends Posted {
  readonly message: Request | Notification;
  /** A notification answers nothing, and needs no metadata of its own. */
  readonly asks: boolean;
  /** The version that `_meta` names. */
  readonly claimed: string | undefined;
  /** The metadata of a request, or why it is none. */
  readonly claim: Claim | ProtocolError | undefined;
}

/** A POST that is served by the rules of the legacy era. */
export interface LegacyPost extends Posted {
  readonly shape: Exclude<Sorted, { kind: 'invalid' }> | Batch;
}

/** What a server knows besides the request. */
export interface Lookup {
  readonly guard: Guard;
  /** The path of the endpoint. Undefined: whatever path a request has, somebody else brought it here. */
  readonly endpoint: string | undefined;
  readonly spoken: Spoken;
  /** Legacy clients get sessions; without, each of their requests stands alone. */
  readonly sessions: boolean;
  readonly limits: { readonly bodyBytes: number; readonly batch: number };
  /** Does the revision have this method, and does the server offer what it needs? */
  has(method: string, revision: Revision): boolean;
  /** The parameters that `Mcp-Name` repeats, where there are more than those of the core protocol. */
  readonly nameSources?: ReadonlyMap<string, string>;
}

/** Reads the text of a body within bounds. */
export const readBody = (text: string, limits: JsonLimits): Body => {
  try {
    return { kind: 'json', value: parseJson(text, limits) };
  } catch (error) {
    if (error instanceof JsonError) return { kind: 'broken', error };
    throw error;
  }
};

/** The facts of a POST whose body is there. */
export const postedOf = ({ method, path, host, header, repeated, session }: Called, body: Body): Posted => ({
  method,
  path,
  host,
  header,
  repeated,
  session,
  body,
  shape: body.kind === 'json' ? shapeOf(body.value) : undefined,
  version: versionIn(header),
});

const shapeOf = (value: unknown): Sorted | Batch =>
  Array.isArray(value) ? { kind: 'batch', items: value } : sortMessage(value);

/** The revision a request names in its headers. */
export const versionIn = (header: HeaderLookup): string | undefined => {
  const version = header(HEADER.version) ?? undefined;
  return version === undefined ? undefined : trimOws(version);
};

/**
 * The era of a message. A claim in `_meta` makes it modern, whatever the headers say; without one, a header that names
 * a modern revision, or one that nobody knows. What names nothing is legacy. `initialize` negotiates in its body: a revision in its header
 * that nobody knows says nothing. A server of one era takes everything for its own.
 */
export const eraOf = (
  { method, params }: { readonly method: string; readonly params?: JsonObject },
  version: string | undefined,
  { modern, legacy }: Spoken,
): Era => {
  if (modern.length === 0) return 'legacy';
  if (legacy.length === 0 || hasClaim(params)) return 'modern';
  if (version === undefined) return 'legacy';
  if (isRevision(version)) return featuresOf(version).era;
  return method === 'initialize' ? 'legacy' : 'modern';
};

/** The id that an answer to a body repeats; none where it is no request, or its id is none. */
export const idOf = ({ body, shape }: Posted): RequestId | undefined => {
  if (shape?.kind === 'request') return isExactId(shape.message.id) ? shape.message.id : undefined;
  if (shape?.kind !== 'invalid' || shape.id === undefined || !isExactId(shape.id)) return undefined;
  return body.kind === 'json' && isMeantAsAnswer(body.value) ? undefined : shape.id;
};

/** The id of an answer is one of ours: sent back, it would look like the answer to a request of the peer. */
const isMeantAsAnswer = (value: unknown): boolean =>
  isObject(value) &&
  !Object.hasOwn(value, 'method') &&
  (Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error'));

/** A text or an integer (JSON-RPC messages, "Requests"), and one that parsing has not rounded. */
export const isExactId = (id: RequestId): boolean => typeof id === 'string' || Number.isSafeInteger(id);
