import type { AuthRequest } from '../../protocol/auth.ts';
import type { ProtocolError } from '../../protocol/errors.ts';
import type { Principal } from '../../protocol/request-context.ts';
import type { RequestId } from '../../protocol/jsonrpc.ts';
import type { Era } from '../../protocol/revision.ts';
import type { Claim } from '../../wire/claim.ts';
import { HEADER, trimOws } from '../../wire/headers.ts';
import { JsonError, type JsonLimits, parseJson } from '../../wire/json.ts';
import { idToRepeat, type IncomingMessage, readMessage } from '../serving/message.ts';
import type { HttpSession } from './legacy/http-session.ts';
import { type AcceptedKinds, readAccept } from './media-types.ts';
import { quotaKeyOf } from './quota-key.ts';
import type { Headers, HttpReply, HttpRequest, UnreadableBody } from './http-message.ts';

/** Several messages in one body (2025-03-26). */
export interface Batch {
  readonly kind: 'batch';
  readonly messages: readonly IncomingMessage[];
}

/** The body of a POST. */
export type Body =
  | IncomingMessage
  | Batch
  | { readonly kind: 'unread' }
  | { readonly kind: 'oversize' }
  | { readonly kind: 'not JSON'; readonly error: JsonError };

const UNREAD: Body = { kind: 'unread' };
const OVERSIZE: Body = { kind: 'oversize' };
const NOT_UTF8: Body = { kind: 'not JSON', error: new JsonError('syntax', 'The body is not valid UTF-8') };

/** Reads the text of a body within the limits. */
export function readBody(text: string | UnreadableBody, limits: JsonLimits): Body {
  if (typeof text !== 'string') return text.unreadable === 'too large' ? OVERSIZE : NOT_UTF8;
  try {
    const value = parseJson(text, limits);
    return Array.isArray(value) ? { kind: 'batch', messages: value.map(readMessage) } : readMessage(value);
  } catch (error) {
    if (error instanceof JsonError) return { kind: 'not JSON', error };
    throw error;
  }
}

/**
 * One HTTP request with its reply, and its state while it is served: each property is read once and stored here. Properties that are
 * determined after the headers are undefined until then: the principal, the session, the body, and the results of the body's checks.
 */
export class HttpExchange {
  readonly request: HttpRequest;
  readonly reply: HttpReply;
  /** Which kinds of response the client accepts. */
  readonly accepts: AcceptedKinds;
  /** The `MCP-Protocol-Version` header. */
  readonly version: string | undefined;
  /** The `Mcp-Session-Id` header; undefined where it is missing or empty. */
  readonly sessionId: string | undefined;
  /** Headers of every response to this request. */
  headers: Headers | undefined;
  principal: Principal | undefined;
  /** The session of its `Mcp-Session-Id`; undefined if there is none, or it belongs to another principal. */
  session: HttpSession | undefined;
  /** Whether there is such a session is unknown, because the store is unavailable. */
  sessionUnavailable = false;
  body: Body = UNREAD;
  /** The text of the body, until all checks that need it have run. */
  text = '';
  era: Era = 'legacy';
  /** The claim of a modern request. */
  claim: Claim | undefined;
  /** Why a modern request has no claim. */
  claimError: ProtocolError | undefined;
  readonly #addressHeader: string | undefined;
  readonly #useOnce: AuthRequest['useOnce'];
  /** Stored when it is first read: a lost connection no longer has an address. */
  #quotaKey: string | undefined;

  /** `addressHeader`: the header in which a proxy sends the client's address. `useOnce`: as in `AuthRequest`. */
  constructor(request: HttpRequest, reply: HttpReply, addressHeader?: string, useOnce?: AuthRequest['useOnce']) {
    const { header } = request;
    this.request = request;
    this.reply = reply;
    this.accepts = readAccept(header('accept'));
    const version = header(HEADER.version);
    this.version = typeof version === 'string' ? trimOws(version) : undefined;
    const session = header(HEADER.session);
    this.sessionId = typeof session === 'string' && session !== '' ? session : undefined;
    this.headers = undefined;
    this.principal = undefined;
    this.session = undefined;
    this.claim = undefined;
    this.claimError = undefined;
    this.#addressHeader = addressHeader;
    this.#useOnce = useOnce;
    this.#quotaKey = undefined;
  }

  /** The key under which the sender's resource use is counted; undefined if the sender is unknown. Read it only after authentication. */
  get quotaKey(): string | undefined {
    return (this.#quotaKey ??= quotaKeyOf(this.principal, this.request, this.#addressHeader));
  }

  /** The request as `auth` functions and gatekeepers read it. */
  get caller(): AuthRequest {
    const { method, path, header } = this.request;
    const peer = quotaKeyOf(undefined, this.request, this.#addressHeader);
    return { method, path, header, peer, useOnce: this.#useOnce };
  }

  /** The id that an error repeats: the id of a request, or of a malformed request. */
  get id(): RequestId | undefined {
    const { body } = this;
    return body.kind === 'request' || body.kind === 'invalid' ? idToRepeat(body) : undefined;
  }
}
