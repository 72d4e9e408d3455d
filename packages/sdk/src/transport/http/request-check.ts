import type { ErrorObject, JsonObject } from '../../protocol/jsonrpc.ts';
import type { RevisionsByEra } from '../../protocol/revision.ts';
import type { HeaderLookup } from '../../wire/headers.ts';
import type { MirroredParam } from '../../wire/param-headers.ts';
import type { Guard } from './host-guard.ts';

/** The settings of the server that the checks use. */
export interface HttpRules {
  readonly guard: Guard;
  /** The path of the endpoint. Undefined: the request was routed here, so any path is right. */
  readonly path: string | undefined;
  readonly supported: RevisionsByEra;
  /** Legacy clients get sessions; without them, each request stands alone. */
  readonly sessions: boolean;
  readonly limits: { readonly bodyBytes: number; readonly batch: number };
}

/** Why a check refuses a request: the status of the answer, and the error in its body. */
export interface Rejection extends ErrorObject {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** When a check runs: before authentication, before the body is read, or afterwards, depending on the body. */
export type Stage = 'access' | 'head' | 'body' | 'modern' | 'legacy' | 'tool call';

/** One check. */
export interface Check<Subject> {
  readonly order: string;
  readonly name: string;
  /** All statuses, with their codes, with which the check may answer. */
  readonly answers: readonly (readonly [status: number, code: number])[];
  check(subject: Subject, rules: HttpRules): Rejection | undefined;
}

/** The headers of a `tools/call`, and the arguments that they mirror. */
export interface MirroredCall {
  readonly header: HeaderLookup;
  /** The body. */
  readonly text: string;
  readonly mirrored: readonly MirroredParam[];
  readonly args: JsonObject;
}
