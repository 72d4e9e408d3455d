import { anonymous, type Denial } from '../../protocol/auth.ts';
import { isPrincipalId } from '../../protocol/identity.ts';
import type { Principal } from '../../protocol/request-context.ts';

/** The meaning of an `auth` function's result for the request. */
export type Access =
  | { readonly principal: Principal | undefined }
  /** `fault`: the mistake in the `auth` function; only for the log. */
  | { readonly denial: Denial; readonly fault?: string };

/** Reads the result of an `auth` function. Only a principal or `anonymous` lets a request in. */
export function readAccess(found: unknown): Access {
  if (found === anonymous) return { principal: undefined };
  if (typeof found !== 'object' || found === null) return UNKNOWN_CALLER;
  const { id, status, message, headers, cause } = found as Partial<Principal & Denial>;
  if (isErrorStatus(status))
    return {
      denial: { status, message: typeof message === 'string' ? message : REFUSED, headers, cause },
    };
  if (status !== undefined)
    return {
      ...UNKNOWN_CALLER,
      fault:
        '`auth` returned an object with a `status` that is not an HTTP error: return { id, scopes, claims } for a known caller',
    };
  if (isPrincipalId(id)) return { principal: found as Principal };
  return { ...UNKNOWN_CALLER, fault: '`auth` returned an object without an `id` that is a string and not blank' };
}

const REFUSED = 'Access is refused';
const UNKNOWN_CALLER = {
  denial: { status: 401, message: 'Authentication is required', headers: { 'www-authenticate': 'Bearer' } },
} as const;

function isErrorStatus(status: unknown): status is number {
  return Number.isInteger(status) && (status as number) >= 400 && (status as number) <= 599;
}
