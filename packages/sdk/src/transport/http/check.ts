import type { ErrorObject, JsonObject } from '../../protocol/jsonrpc.ts';
import type { RevisionsByEra } from '../../protocol/revision.ts';
import type { HeaderLookup } from '../../wire/headers.ts';
import type { MirroredParam } from '../../wire/param-headers.ts';
import type { Guard } from './guard.ts';

/** What the checks know of the server. */
export interface HttpRules {
  readonly guard: Guard;
  /** The path of the endpoint. Undefined: the request was routed here, whatever its path is. */
  readonly path: string | undefined;
  readonly supported: RevisionsByEra;
  /** Legacy clients get sessions; without, each of their requests is served by itself. */
  readonly sessions: boolean;
  readonly limits: { readonly bodyBytes: number; readonly batch: number };
  /** The parameters that `Mcp-Name` repeats, where there are more than those of the core protocol. */
  readonly nameSources?: ReadonlyMap<string, string>;
}

/** Why a check refuses a request: the status of the answer, and the error in its body. */
export interface Rejection extends ErrorObject {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** When a check is made: before the sender is known, before the body is read, then by what the body is. */
export type Stage = 'door' | 'head' | 'body' | 'modern' | 'legacy' | 'tool call';

/** One check. */
export interface Check<Subject> {
  readonly order: string;
  readonly name: string;
  /** Every status, with its code, that the check can answer. */
  readonly answers: readonly (readonly [status: number, code: number])[];
  check(subject: Subject, rules: HttpRules): Rejection | undefined;
}

/** The headers of a `tools/call`, with the arguments that they mirror. */
export interface MirroredCall {
  readonly header: HeaderLookup;
  /** The body. */
  readonly text: string;
  readonly mirrored: readonly MirroredParam[];
  readonly args: JsonObject;
}
