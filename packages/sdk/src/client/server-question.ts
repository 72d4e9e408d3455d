import { PeerError } from '../protocol/errors.ts';
import type { JsonObject } from '../protocol/jsonrpc.ts';
import type { CallToolResult, GetPromptResult, ReadResourceResult } from '../protocol/results.ts';

/** The server sent a question that is invalid or that this client does not support. Reported to the server. */
export class RefusedQuestion extends Error {
  override readonly name = 'RefusedQuestion';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The error of a call whose question was refused: an input response cannot be an error, so the call itself fails. */
export function asPeerError(error: unknown): unknown {
  return error instanceof RefusedQuestion
    ? new PeerError('forbidden-question', `The server sent a question that is not allowed: ${error.message}`)
    : error;
}

/** The results of the methods whose calls may ask for input. */
export interface AskingResults {
  /** The result of a tool call. */
  'tools/call': CallToolResult;
  /** The result of a prompt. */
  'prompts/get': GetPromptResult;
  /** The result of a read. */
  'resources/read': ReadResourceResult;
}

/**
 * A call that waits for answers (2026-07-28). It is plain JSON, so it can be stored. Any client of the same server with the same credentials
 * can continue it with `resume`, for as long as the server accepts its state.
 */
export interface SuspendedCall<M extends keyof AskingResults = keyof AskingResults> {
  /** The method of the call. */
  readonly method: M;
  /** The params of the call, without the answers. */
  readonly params: JsonObject;
  /** The server's questions (`inputRequests` of its result), by the names that it gave them. */
  readonly inputRequests: Readonly<
    Record<
      string,
      {
        /** The method of the question: `elicitation/create`, `sampling/createMessage` or `roots/list`. */
        readonly method: string;
        /** The params of the question. */
        readonly params: JsonObject;
      }
    >
  >;
  /** Opaque state of the server, if it sent any. */
  readonly state: string | undefined;
}

/** A question of the server: a separate request, or an input request in a result. */
export interface ServerQuestion {
  /** The call that it belongs to, where the revision tells. */
  readonly call?: SuspendedCall;
  readonly method: string;
  readonly params: JsonObject;
  /** The server's name for it. */
  readonly name: string | undefined;
}
