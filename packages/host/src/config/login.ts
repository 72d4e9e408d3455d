import type { OAuthOptions } from 'tenon/auth';
import { withoutUndefined } from '@tenon/values/without-undefined';
import type { ServerConfig } from './server-config.ts';

/** The login settings of a configuration: `client` and `scopes` as `oauth` of `tenon/auth` takes them. */
export interface Login extends Pick<OAuthOptions, 'client' | 'scopes'> {
  /** The port of the redirect URI, for `loopback` of `tenon/auth`. Default: any free port. */
  readonly callbackPort?: number;
}

/**
 * The login settings of a configuration, in the form of `tenon/auth`. Undefined if it has none.
 *
 * @example
 * ```ts
 * import { loginOf, parseEntry, FORMATS } from '@tenon/host/formats';
 *
 * const oauth = { clientId: 'by-hand' };
 * const { server } = parseEntry(FORMATS.cursor, 'docs', { url: 'https://docs.example/mcp', oauth });
 * if (server !== undefined) console.log(loginOf(server)?.client?.id); // by-hand
 * ```
 */
export function loginOf({ launch }: Pick<ServerConfig, 'launch'>): Login | undefined {
  if (!('oauth' in launch) || launch.oauth === undefined) return undefined;
  const { clientId: id, clientSecret: secret, issuer, scopes, callbackPort } = launch.oauth;
  if (id === undefined && scopes === undefined && callbackPort === undefined) return undefined;
  return withoutUndefined<Login>({
    client: id === undefined ? undefined : withoutUndefined({ id, secret, issuer }),
    scopes,
    callbackPort,
  });
}
