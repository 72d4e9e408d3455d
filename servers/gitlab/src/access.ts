import {
  type Access as ServiceAccess,
  createAccess as createServiceAccess,
  deviceLogin,
} from '../../shared/api/access.ts';
import { createGitlabClient, DEFAULT_URL, type Gitlab, type GitlabOptions, SERVICE } from './gitlab-client.ts';

export interface AccessOptions extends GitlabOptions {
  /** The id of an OAuth application with the device flow, with which users without a token can log in. */
  readonly clientId?: string | undefined;
}

/** The requests of calls, each with the token of its caller. */
export type Access = ServiceAccess<Gitlab>;

/** Makes the access to GitLab. */
export function createAccess({ clientId, ...options }: AccessOptions): Access {
  const { url = DEFAULT_URL, clock } = options;
  return createServiceAccess({
    token: options.token,
    create: (token) => createGitlabClient({ ...options, token }),
    login: deviceLogin({
      service: SERVICE,
      pages: url.replace(/\/api\/v\d+\/*$/, ''),
      codePath: 'oauth/authorize_device',
      tokenPath: 'oauth/token',
      clientId,
      // GitLab has no smaller scope with which files, issues and merge requests can be written.
      scope: 'api',
      clock,
    }),
  });
}
