import type { JsonObject } from '../protocol/jsonrpc.ts';

/** The server asked for what it may not ask for, or asked badly. Its fault, and told to it as such. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** A question of the server, whichever way it came. */
export interface Asked {
  readonly method: string;
  readonly params: JsonObject;
  /** What the server calls it. */
  readonly name: string | undefined;
}
