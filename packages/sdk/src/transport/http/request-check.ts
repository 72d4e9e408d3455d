import type { ErrorObject, JsonObject } from '../../protocol/jsonrpc.ts';
import type { RevisionsByEra } from '../../protocol/revision.ts';
import type { HeaderLookup } from '../../wire/headers.ts';
import type { MirroredParam } from '../../wire/param-headers.ts';
import type { Guard } from './host-guard.ts';
import type { Body, HttpExchange } from './http-exchange.ts';

/** The settings of the server that the checks use. */
export interface HttpRules {
  readonly guard: Guard;
  /** The path of the endpoint. Undefined: the request was routed here, so any path is right. */
  readonly path: string | undefined;
  readonly supported: RevisionsByEra;
  /** Legacy clients get sessions; without them, each request stands alone. */
  readonly sessions: boolean;
  /** The methods of the endpoint: GET and DELETE belong to sessions. */
  readonly methods: readonly string[];
  readonly limits: { readonly bodyBytes: number; readonly batch: number };
}

/** Why a check refuses a request: the status of the answer, and the error in its body. */
export interface Rejection extends ErrorObject {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One check. */
export interface Check<Subject> {
  readonly order: string;
  readonly name: string;
  /** The HTTP methods for which it runs; all where this is missing. */
  readonly methods?: readonly string[];
  /** The kinds of bodies for which it runs; all where this is missing. */
  readonly kinds?: readonly BodyKind[];
  /** All statuses, with their codes, with which the check may answer. */
  readonly answers: readonly (readonly [status: number, code: number])[];
  check(subject: Subject, rules: HttpRules): Rejection | undefined;
}

export type BodyKind = Body['kind'];

/** An exchange whose body is of one of these kinds. */
export type ExchangeWith<Kind extends BodyKind> = HttpExchange & {
  readonly body: Extract<Body, { readonly kind: Kind }>;
};

/** An exchange with a request or a notification: only these belong to 2026-07-28. */
export type ModernExchange = ExchangeWith<'request' | 'notification'>;

/** The headers of a `tools/call`, and the arguments that they mirror. */
export interface MirroredCall {
  readonly header: HeaderLookup;
  /** The body. */
  readonly text: string;
  readonly mirrored: readonly MirroredParam[];
  readonly args: JsonObject;
}

/** The checks by when they run: before authentication, before the body is read, or afterwards, depending on the body. */
export interface Checks {
  readonly access: readonly Check<HttpExchange>[];
  readonly head: readonly Check<HttpExchange>[];
  readonly body: readonly Check<HttpExchange>[];
  readonly modern: readonly Check<ModernExchange>[];
  readonly legacy: readonly Check<HttpExchange>[];
  readonly 'tool call': readonly Check<MirroredCall>[];
}

export type Stage = keyof Checks;
