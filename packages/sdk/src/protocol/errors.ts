import type { ErrorCode } from './error-codes.ts';
import type { ErrorObject } from './jsonrpc.ts';
import type { CallToolResult } from './results.ts';

/** The JSON-RPC error codes of MCP. */
export const CODE = {
  /** The message is not JSON (JSON-RPC 2.0). */
  parseError: -32700,
  /** The message is not a valid JSON-RPC message (JSON-RPC 2.0). */
  invalidRequest: -32600,
  /** The method does not exist, or its feature is not offered (JSON-RPC 2.0). */
  methodNotFound: -32601,
  /** The params are invalid, or name something that does not exist (JSON-RPC 2.0). */
  invalidParams: -32602,
  /** The receiver failed (JSON-RPC 2.0). */
  internalError: -32603,
  /** The resource does not exist (revisions up to 2025-11-25; later ones use `invalidParams`). */
  resourceNotFound: -32002,
  /** The call needs the user to visit a page first (2025-11-25 only). */
  urlElicitationRequired: -32042,
  /** A header of the HTTP request differs from the body that it repeats (2026-07-28). */
  headerMismatch: -32020,
  /** The client did not declare a capability that the call needs; `data.requiredCapabilities` names it (2026-07-28). */
  missingCapability: -32021,
  /** The server does not support the revision of the request; `data.supported` lists those that it does (2026-07-28). */
  unsupportedVersion: -32022,
  /** A user rejected a sampling request (revisions up to 2025-11-25). */
  rejected: -1,
} as const;

/** On the errors of this package: the name of their class. The same in all installed copies. */
const CLASS = Symbol.for('tenon.error');

/** What all errors of this package have in common. */
export abstract class CodedError<Code extends string | number> extends Error {
  /** The name of the class. A class that extends one of this package has none of its own. */
  declare protected static readonly className: string;
  override readonly name: string;
  /** Stable, and enough to tell apart what happened: docs/errors.md lists the codes of each class. */
  readonly code: Code;

  constructor(code: Code, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    (this as { [CLASS]?: string })[CLASS] = this.name = new.target.className;
    this.code = code;
  }

  /** Recognises the errors of all installed copies of this package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (super[Symbol.hasInstance](value)) return true;
    const { [CLASS]: name } = Object(value) as { readonly [CLASS]?: unknown };
    return Object.hasOwn(this, 'className') && name === this.className;
  }
}

/** A protocol error: the peer receives its code, message and data unchanged. `code` is the JSON-RPC code: one of `CODE`, or any other integer. */
export class ProtocolError extends CodedError<number> {
  protected static override readonly className = 'ProtocolError';
  declare readonly name: 'ProtocolError';
  /** Details, as a JSON value; undefined if there is none. */
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(code, message);
    this.data = data;
  }

  /** The error object of a response. */
  toJSON(): ErrorObject {
    return { code: this.code, message: this.message, data: this.data };
  }
}

/**
 * An error of a tool, for the model: if a handler throws it, its message becomes a result with `isError: true`. On the client `call` throws
 * it, with the whole result as `result`.
 */
export class ToolError extends CodedError<ErrorCode<'ToolError'>> {
  protected static override readonly className = 'ToolError';
  declare readonly name: 'ToolError';
  /** On the client: the whole result, with `isError: true`. A handler can pass one to set its other members. */
  readonly result: CallToolResult | undefined;

  constructor(message: string, options?: { cause?: unknown; result?: CallToolResult }) {
    super('tool-failed', message, options?.cause);
    this.result = options?.result;
  }
}

/** A server, tool, resource or prompt whose definition is invalid. Thrown when it is defined, never during a call. */
export class DefinitionError extends CodedError<ErrorCode<'DefinitionError'>> {
  protected static override readonly className = 'DefinitionError';
  declare readonly name: 'DefinitionError';
}

/** Details of a connection that failed. */
export interface ConnectionErrorOptions {
  /** The error behind this one. */
  readonly cause?: unknown;
  /** The status of the HTTP response. */
  readonly status?: number | undefined;
  /** Its `www-authenticate` header: how to authenticate. */
  readonly challenge?: string | undefined;
  /** What happened to the request: `no`, the server did not act on it; `unknown`, it may have. */
  readonly processed?: 'no' | 'unknown';
  /** How long the server asks to wait before the request is sent again, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** The connection is gone (closed on purpose, by the peer, or by a crash, with details in `cause`), or a request could not be delivered. */
export class ConnectionError extends CodedError<ErrorCode<'ConnectionError'>> {
  protected static override readonly className = 'ConnectionError';
  declare readonly name: 'ConnectionError';
  /** The status of the HTTP response; undefined if there was none. */
  readonly status: number | undefined;
  /** Its `www-authenticate` header, which says how to authenticate; undefined if there was none. */
  readonly challenge: string | undefined;
  /** What happened to the request: `no`, the server did not act on it; `unknown`, it may have. Undefined if no request was under way. */
  readonly processed: 'no' | 'unknown' | undefined;
  /**
   * How long the server asks to wait before the request is sent again, in milliseconds (`Retry-After` of status 429 and 503); at most a day.
   * Undefined if it does not say.
   */
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode<'ConnectionError'>, message: string, options: ConnectionErrorOptions = {}) {
    super(code, message, options.cause);
    this.status = options.status;
    this.challenge = options.challenge;
    this.processed = options.processed;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** No response in time. The request was cancelled on the wire. */
export class TimeoutError extends CodedError<ErrorCode<'TimeoutError'>> {
  protected static override readonly className = 'TimeoutError';
  declare readonly name: 'TimeoutError';
}

/** The peer broke the protocol: its message is not valid in the agreed revision. */
export class PeerError extends CodedError<ErrorCode<'PeerError'>> {
  protected static override readonly className = 'PeerError';
  declare readonly name: 'PeerError';
}
