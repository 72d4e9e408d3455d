import {
  type Access as ServiceAccess,
  createAccess as createServiceAccess,
  deviceLogin,
} from '../../shared/api/access.ts';
import { createGithubClient, DEFAULT_URL, type Github, type GithubOptions, SERVICE } from './github-client.ts';

export interface AccessOptions extends GithubOptions {
  /** The client id of an OAuth app with the device flow, with which users without a token can log in. */
  readonly clientId?: string | undefined;
}

/** The requests of calls, each with the token of its caller. */
export type Access = ServiceAccess<Github>;

/** The address of the pages: `https://github.com` for `https://api.github.com`, else that of the Enterprise server. */
export function pagesOf(apiUrl: string): string {
  const url = new URL(apiUrl);
  url.hostname = url.hostname.replace(/^api\./, '');
  return url.origin;
}

/** Makes the access to GitHub. */
export function createAccess({ clientId, ...options }: AccessOptions): Access {
  const { url = DEFAULT_URL, clock } = options;
  return createServiceAccess({
    token: options.token,
    create: (token) => createGithubClient({ ...options, token }),
    login: deviceLogin({
      service: SERVICE,
      pages: pagesOf(url),
      codePath: 'login/device/code',
      tokenPath: 'login/oauth/access_token',
      clientId,
      // Everything in repositories. GitHub has no smaller scope that includes private ones.
      scope: 'repo',
      clock,
    }),
  });
}
