import type { JsonObject } from './jsonrpc.ts';
import type { Meta } from './meta.ts';
import type { Revision } from './revision.ts';

/**
 * Code around a question that is sent as a separate request, up to 2025-11-25: on the server around sending it, on the client around
 * answering it. It returns the answer.
 */
export type QuestionStep<Go> = (question: AskedQuestion, go: Go) => Promise<JsonObject>;

/** A question that is sent as a separate request. */
export interface AskedQuestion {
  /** Its method, such as `elicitation/create`. */
  readonly method: string;
  /** The `_meta` of the request. */
  readonly _meta: Meta;
  /** The revision of the protocol. */
  readonly revision: Revision;
}

/** Sends a question. The argument is added to the `_meta` of the request. */
export type SendQuestion = (more?: Readonly<Record<string, unknown>>) => Promise<JsonObject>;
