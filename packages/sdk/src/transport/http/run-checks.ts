import { ProtocolError } from '../../protocol/errors.ts';
import type { ErrorObject } from '../../protocol/jsonrpc.ts';
import { readClaim } from '../../wire/claim.ts';
import type { HttpExchange } from './http-exchange.ts';
import type { BodyKind, Check, HttpRules, MirroredCall, ModernExchange } from './request-check.ts';
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

// Which checks run for a method or a kind of body is known before any request.
const METHOD_CHECKS = new Map(['GET', 'POST', 'DELETE'].map((method) => [method, headChecks(method)]));
const OTHER_METHOD_CHECKS = headChecks('');
const BODY_CHECKS = checksByKind(CHECKS.body);
const MODERN_CHECKS = checksByKind(CHECKS.modern);
const LEGACY_CHECKS = checksByKind(CHECKS.legacy);

function headChecks(method: string): readonly Check<HttpExchange>[] {
  return CHECKS.head.filter(({ methods }) => methods?.includes(method) ?? true);
}

function checksByKind<Subject>(
  checks: readonly Check<Subject>[],
): Readonly<Record<BodyKind, readonly Check<Subject>[]>> {
  const select = (kind: BodyKind): readonly Check<Subject>[] =>
    checks.filter(({ kinds }) => kinds?.includes(kind) ?? true);
  return {
    request: select('request'),
    notification: select('notification'),
    response: select('response'),
    batch: select('batch'),
    invalid: select('invalid'),
    oversize: select('oversize'),
    'not JSON': select('not JSON'),
    unread: select('unread'),
  };
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
  return firstRefusal(METHOD_CHECKS.get(http.request.method) ?? OTHER_METHOD_CHECKS, http, rules);
}

/** The checks of a POST whose body has been read. Also determines its era, and the claim of a modern request. */
export function refusePost(http: HttpExchange, rules: HttpRules): Refusal | undefined {
  const refusal = firstRefusal(BODY_CHECKS[http.body.kind], http, rules);
  if (refusal !== undefined) return refusal;
  const { body } = http;
  const single = body.kind === 'request' || body.kind === 'notification';
  if (!single || eraOf(body, http.version, rules.supported) === 'legacy')
    return firstRefusal(LEGACY_CHECKS[body.kind], http, rules);
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
  return firstRefusal(MODERN_CHECKS[body.kind], http as ModernExchange, rules);
}

/** The check that the headers of a `tools/call` match its arguments. */
export function refuseToolCall(call: MirroredCall, rules: HttpRules): Refusal | undefined {
  return firstRefusal(CHECKS['tool call'], call, rules);
}
