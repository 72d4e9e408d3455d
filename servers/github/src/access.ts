import type { CallContext, Context } from 'tenon';
import type { ApiContext } from '../../shared/api/api.ts';
import { apiErrorIn } from '../../shared/api/api-error.ts';
import { perClient } from '../../shared/per-client.ts';
import { createGithubClient, DEFAULT_URL, type Github, type GithubFor, type GithubOptions } from './github-client.ts';

export interface AccessOptions extends GithubOptions {
  /** The client id of an OAuth app with the device flow, with which users without a token can log in. */
  readonly clientId?: string | undefined;
}

/** The requests of calls, each with the token of its caller. */
export interface Access {
  of(ctx: Context & ApiContext): Github;
  /** Runs a call with its requests, and once more after a login if GitHub wants one. */
  run<T>(ctx: CallContext, act: (github: Github) => Promise<T>): Promise<T>;
}

/** Makes the access to GitHub. The server's own token is that of all clients; a login is of one client only, and is kept in memory. */
export function createAccess({ clientId, ...options }: AccessOptions): Access {
  const shared = createGithubClient(options);
  const stateOf = perClient<{ github?: GithubFor }>(() => ({}));
  const of: Access['of'] = (ctx) => (stateOf(ctx)?.github ?? shared)(ctx);
  return {
    of,
    async run(ctx, act) {
      const state = stateOf(ctx);
      try {
        return await act(of(ctx));
      } catch (error) {
        // Nothing was changed: GitHub or the check before it has refused the request.
        const isRefused = apiErrorIn(error)?.status === 401;
        const canLogIn = clientId !== undefined && options.token === undefined && ctx.client.can('elicitation.url');
        if (!isRefused || !canLogIn || state === undefined) throw error;
        const { createLogin } = await import('./login.ts');
        const { url = DEFAULT_URL, clock } = options;
        const token = await createLogin({ clientId, url, clock })(ctx);
        const github = createGithubClient({ ...options, token });
        state.github = github;
        return act(github(ctx));
      }
    },
  };
}
