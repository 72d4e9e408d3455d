import { Failure } from './failure.ts';
import { loginFix } from './login-fix.ts';

/** The answer of a server that refused a request. */
interface RefusedAnswer {
  readonly status?: number | undefined;
  /** The value of `www-authenticate`. */
  readonly challenge?: string | undefined;
}

const MAX_SCOPES = 20;
const MAX_EVIDENCE_LENGTH = 2_000;

/** The scopes of a space-separated list. */
function scopesIn(list: string | undefined): string[] {
  return list?.split(' ').filter((scope) => scope !== '') ?? [];
}

/**
 * Those of the wanted scopes that a login does not have. `granted`: its scopes, separated by spaces (RFC 6749, section 3.3) or, as GitHub
 * does it, by commas. A name may contain a comma, so both readings count.
 */
export function scopesMissing(wanted: readonly string[], granted: string | undefined): string[] {
  const known = [...scopesIn(granted), ...scopesIn(granted?.replaceAll(',', ' '))];
  return wanted.filter((scope) => !known.includes(scope));
}

/** The server knows the token, which lacks a scope for the request (RFC 6750, section 3.1). */
export function lacksScope({ status, challenge }: RefusedAnswer): boolean {
  return status === 403 && /\berror="?insufficient_scope\b/.test(challenge ?? '');
}

/** The scopes that the request needs. */
export function scopesRequired({ challenge }: RefusedAnswer): string[] {
  return scopesIn(/\bscope="([^"]*)"/.exec(challenge ?? '')?.[1]).slice(0, MAX_SCOPES);
}

/** The status and the challenge, as evidence. */
export function evidenceOf({ status, challenge }: RefusedAnswer): string {
  return `HTTP status ${status}${challenge === undefined ? '' : `, WWW-Authenticate: ${challenge.slice(0, MAX_EVIDENCE_LENGTH)}`}`;
}

/** The value of `--scope`. The names come from the server, so only those that a shell cannot interpret become part of a command. */
function scopeOption(scopes: readonly string[]): string {
  return scopes.length > 0 && scopes.every((scope) => /^[\w.:/@+-]+$/.test(scope)) ? scopes.join(',') : '<scopes>';
}

/** The failure of a request for which the stored login lacks scopes. `missing`: those of the challenge that were not granted. */
export function loginLacksScope(answer: RefusedAnswer, server: string, missing: readonly string[]): Failure {
  const what = missing.length === 0 ? 'a scope' : `the scope${missing.length === 1 ? '' : 's'} ${missing.join(', ')}`;
  return new Failure('auth', 'insufficient_scope', `You are logged in, but the token lacks ${what}`, {
    blame: 'you',
    evidence: evidenceOf(answer),
    fix: `${loginFix(server, missing.length === 1 ? 'Log in with it' : 'Log in with them')} --scope ${scopeOption(missing)}`,
  });
}

/** The failure of a request whose token, from `--header` or after a login, lacks scopes. */
export function tokenLacksScope(answer: RefusedAnswer): Failure {
  const required = scopesRequired(answer);
  const what = required.length === 0 ? 'others' : required.join(', ');
  return new Failure('auth', 'insufficient_scope', `The token lacks a scope: the server requires ${what}`, {
    blame: 'you',
    evidence: evidenceOf(answer),
    fix: "Send a token with these scopes: --header 'Authorization: Bearer …', or log in with an account that can have them.",
  });
}
