import type { ClientAuth } from 'oauth4webapi';
import { AuthError } from '../protocol/auth-error.ts';
import { reasonOf } from '../protocol/text.ts';
import { resourceSpellings } from './resource-spellings.ts';
import { INTROSPECTION_ANSWER } from './documents/documents.ts';
import { readAnswer, sourceOf } from './documents/read-answer.ts';
import { PeerSlots } from './peer-limits.ts';
import type { InvalidToken, TokenInfo, VerifyToken } from './protected-resource.ts';
import { checkClient } from './registration.ts';
import { authenticate, preregisteredIdentity } from './token-endpoint.ts';
import { claimText, infoOf } from './token-info.ts';
import { createOwnWeb } from './web.ts';

/** How far the clocks of this server and the authorization server may differ, in seconds. */
const TOLERANCE_S = 30;
/** How many tokens of one peer, and of all, are introspected at once. */
const MAX_AT_ONCE_OF_PEER = 20;
const MAX_AT_ONCE = 200;

/** Options of `introspection`. */
export interface IntrospectionOptions {
  /** The issuer of the tokens. A response that names another issuer is refused. */
  readonly issuer: string;
  /** The URL of the introspection endpoint. */
  readonly endpoint: string;
  /** The client credentials of this server at the authorization server. */
  readonly client: {
    /** The client id. */
    readonly id: string;
    /** The client secret. It is sent as HTTP Basic or, if the server refuses that, in the body (RFC 6749, section 2.3.1). */
    readonly secret: string;
  };
  /** The audience of the tokens, if it is not the URL of the server. Default: that URL. */
  readonly audience?: string | readonly string[];
}

/**
 * Verifies opaque access tokens by asking the authorization server about each of them (token introspection: RFC 7662). `client` is how this
 * server authenticates there. A token is refused without the right audience in `aud`. Rejects with an `AuthError` when the response of the
 * authorization server does not conform to RFC 7662, and when more than 20 tokens of one caller, or 200 in total, are introspected at once.
 * Throws a `TypeError` for an `endpoint` that is neither https nor on this machine, and for a `client` that cannot be registered anywhere.
 *
 * @example
 * ```ts
 * import { introspection, protectedResource } from 'tenon/auth';
 *
 * const issuer = 'https://as.example.com';
 * const auth = protectedResource({
 *   resource: 'https://mcp.example.com/mcp',
 *   authorizationServers: [issuer],
 *   verify: introspection({
 *     issuer,
 *     endpoint: 'https://as.example.com/introspect',
 *     client: { id: 'notes-server', secret: process.env['CLIENT_SECRET'] ?? '' },
 *   }),
 * });
 * ```
 */
export function introspection({ issuer, endpoint, client, audience }: IntrospectionOptions): VerifyToken {
  checkClient(client);
  const web = createOwnWeb(endpoint, '`endpoint`', 'token');
  const slots = new PeerSlots(MAX_AT_ONCE_OF_PEER, MAX_AT_ONCE);
  const atOnce = new Map<string, Promise<TokenInfo | InvalidToken>>();
  const what = 'The introspection endpoint';

  const send = async (token: string, auth: ClientAuth): Promise<Response> => {
    const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' });
    const body = new URLSearchParams({ token, token_type_hint: 'access_token' });
    await auth({ issuer }, { client_id: client.id }, body, headers);
    try {
      return await web.fetch(endpoint, { method: 'POST', headers, body: body.toString() });
    } catch (error) {
      if (error instanceof AuthError) throw error;
      const why = error instanceof Error ? reasonOf(error) : 'unknown reason';
      throw new AuthError('invalid-response', 'token', `${what} cannot be reached: ${why}`, { cause: error });
    }
  };

  const introspect = async (token: string, resource: string): Promise<TokenInfo | InvalidToken> => {
    const {
      answer: { read, document },
    } = await authenticate(preregisteredIdentity({ issuer }, client), async (auth) =>
      readAnswer(await send(token, auth), INTROSPECTION_ANSWER, { what, step: 'token' }),
    );
    if (!read.active) return { invalid: 'It is not active' };
    const { aud, exp, nbf, iss } = read;
    const now = Date.now() / 1_000;
    const wanted = audience === undefined ? resourceSpellings(resource) : [audience].flat();
    if (![aud ?? []].flat().some((one) => wanted.includes(one)))
      return { invalid: `Its audience is ${claimText(aud)}` };
    if (iss !== undefined && iss !== issuer) return { invalid: `Its issuer is ${claimText(iss)}` };
    if (exp !== undefined && exp < now - TOLERANCE_S) return { invalid: 'It has expired' };
    if (nbf !== undefined && nbf > now + TOLERANCE_S) return { invalid: 'It is not valid yet' };
    return infoOf(issuer, document.value, read, sourceOf('The answer of the introspection endpoint', 'token'));
  };

  return (token, resource, request) => {
    // Concurrent requests with the same token share one introspection.
    const key = `${resource} ${token}`;
    const same = atOnce.get(key);
    if (same !== undefined) return same;
    const asked = slots.run(request?.peer, () => introspect(token, resource));
    if (asked === undefined)
      return Promise.reject(
        new AuthError('invalid-response', 'token', 'Too many tokens are being introspected at once'),
      );
    atOnce.set(key, asked);
    const forget = (): void => void atOnce.delete(key);
    asked.then(forget, forget);
    return asked;
  };
}
