import { ProtocolError } from '../../protocol/errors.ts';
import type { ErrorObject } from '../../protocol/jsonrpc.ts';
import { readClaim } from '../../wire/claim.ts';
import type { HttpExchange } from './http-exchange.ts';
import type { Check, HttpRules, MirroredCall } from './request-check.ts';
import { CHECKS } from './request-checks.ts';
import { eraOf } from './era.ts';

/** The response to a request that was refused and, for the log, the check that failed. */
export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly error: ErrorObject;
  readonly order: string;
  readonly check: string;
}

/** The rejection by the first check that fails; undefined when all pass. */
function firstRefusal<Subject>(
  checks: readonly Check<Subject>[],
  subject: Subject,
  rules: HttpRules,
): Refusal | undefined {
  for (const check of checks) {
    const rejection = check.check(subject, rules);
    if (rejection === undefined) continue;
    const { status, headers = {}, ...error } = rejection;
    return { status, headers, error, order: check.order, check: check.name };
  }
  return undefined;
}

/** The checks that need nothing but the request line, `Host` and `Origin`. They run before anything else is read. */
export function refuseAccess(http: HttpExchange, rules: HttpRules): Refusal | undefined {
  return firstRefusal(CHECKS.access, http, rules);
}

/** The checks that need the headers of an authenticated request. */
export function refuseHead(http: HttpExchange, rules: HttpRules): Refusal | undefined {
  return firstRefusal(CHECKS.head, http, rules);
}

/** The checks of a POST whose body has been read. Also determines its era, and the claim of a modern request. */
export function refusePost(http: HttpExchange, rules: HttpRules): Refusal | undefined {
  const refusal = firstRefusal(CHECKS.body, http, rules);
  if (refusal !== undefined) return refusal;
  const { body } = http;
  const single = body.kind === 'request' || body.kind === 'notification';
  if (!single || eraOf(body, http.version, rules.supported) === 'legacy')
    return firstRefusal(CHECKS.legacy, http, rules);
  http.era = 'modern';
  // Notifications carry no metadata.
  if (body.kind === 'request') {
    try {
      http.claim = readClaim(body.meta, rules.supported);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      http.claimError = error;
    }
  }
  return firstRefusal(CHECKS.modern, http, rules);
}

/** The check that the headers of a `tools/call` match its arguments. */
export function refuseToolCall(call: MirroredCall, rules: HttpRules): Refusal | undefined {
  return firstRefusal(CHECKS['tool call'], call, rules);
}
