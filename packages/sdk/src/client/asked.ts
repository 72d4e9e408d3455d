import type { JsonObject } from '../protocol/jsonrpc.ts';
import type { CallToolResult, GetPromptResult, ReadResourceResult } from '../protocol/results.ts';

/** The server asked for what it may not ask for, or asked badly. Its fault, and told to it as such. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** What the calls that may ask something end in. */
export interface AskingResults {
  'tools/call': CallToolResult;
  'prompts/get': GetPromptResult;
  'resources/read': ReadResourceResult;
}

/**
 * A call that waits for answers (2026-07-28). Plain JSON: it can be kept, and any client of the same server with the same credentials
 * can go on with it by `resume`, as long as the server takes its state.
 */
export interface SuspendedCall<M extends keyof AskingResults = keyof AskingResults> {
  readonly method: M;
  readonly params: JsonObject;
  /** What the server asks, by the names it gives its questions. */
  readonly questions: Readonly<Record<string, { readonly method: string; readonly params: JsonObject }>>;
  /** For the server alone. */
  readonly state: string | undefined;
}

/** A question of the server, whichever way it came. */
export interface Asked {
  /** The call it belongs to, where the revision says which. */
  readonly call?: SuspendedCall;
  readonly method: string;
  readonly params: JsonObject;
  /** What the server calls it. */
  readonly name: string | undefined;
}
