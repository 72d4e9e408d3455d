import { join } from 'node:path';
import process from 'node:process';
import type { Login } from '@tenon/host';
import type { Browser, Grant, OAuth, OAuthOptions, TokenStore } from 'tenon/auth';
import type { CommandLine } from '../command-line/command-line.ts';
import type { Screen } from '../terminal/screen.ts';
import { loginWords } from '../command-line/server-command.ts';
import { stateFolder } from '../command-line/state-folder.ts';
import { lacksScope, loginLacksScope, scopesMissing, scopesRequired } from '../failure/scopes.ts';

/** Opens the store of this user's logins. */
export async function openTokens(): Promise<TokenStore> {
  const { fileTokens } = await import('tenon/auth');
  const { TENON_TOKENS: path = join(stateFolder(), 'tokens.json'), TENON_TOKENS_SECRET: secret } = process.env;
  return fileTokens(path, { secret });
}

/** How long to wait for another command before reporting it, in milliseconds. */
const WAIT_MS = 1_000;
const WAITING = 'Waiting for another tenon command that is logging in to this server; its browser may still be open';

/** Reports when the store waits for another command: one whose browser is still open holds the lock until its login ends. */
function reportWaiting(store: TokenStore, screen: Screen): TokenStore {
  const { lock } = store;
  if (lock === undefined) return store;
  return {
    ...store,
    async lock(key, run) {
      const timer = setTimeout(() => screen.line(WAITING), WAIT_MS);
      try {
        return await lock(key, () => {
          clearTimeout(timer);
          return run();
        });
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** The URL of a server without its hash, as tokens are stored for it. */
export function serverOf(url: string): string {
  const server = new URL(url);
  server.hash = '';
  return server.href;
}

/** The stored login at a server. `login`: the login settings of its configuration, whose client has logins of its own. */
export async function storedLogin(url: string, login: Login | undefined): Promise<Grant | undefined> {
  const { userGrantKey } = await import('tenon/internal/auth');
  return (await openTokens()).get(userGrantKey(serverOf(url), login?.client));
}

type AuthErrorClass = typeof import('tenon/auth').AuthError;

/** The scopes of `--scope`. */
export function scopesOf(line: CommandLine): readonly string[] {
  return (
    line
      .value('scope')
      ?.split(/[\s,]+/)
      .filter((scope) => scope !== '') ?? []
  );
}

/** Rejects logins: the browser is opened only with `--auth` or `tenon login`. */
function noBrowser(AuthError: AuthErrorClass): Browser {
  return {
    open() {
      throw new AuthError('login-unavailable', 'authorization', 'not logged in');
    },
  };
}

/** Says which scopes the stored login lacks, where a login with more scopes would be necessary. */
function withoutLogin(auth: OAuth, login: Login, line: CommandLine, AuthError: AuthErrorClass): OAuth {
  return {
    ...auth,
    async challenged(refusal) {
      try {
        return await auth.challenged(refusal);
      } catch (error) {
        if (!(error instanceof AuthError) || error.code !== 'login-unavailable' || !lacksScope(refusal)) throw error;
        const stored = await storedLogin(refusal.server, login);
        const missing = scopesMissing(scopesRequired(refusal), stored?.scope);
        const cause = loginLacksScope(refusal, loginWords(line, refusal.server), missing);
        throw new AuthError('login-unavailable', 'authorization', cause.message, { cause });
      }
    },
  };
}

/** The login settings of a configuration, and what records the requests of logins. */
type CredentialsOptions = Login & Pick<OAuthOptions, 'wrapFetch'>;
type MakeCredentials = (more?: CredentialsOptions) => OAuth;

/**
 * Returns a function that makes the credentials for a server at a URL. Stored logins are used; a new login is possible only with `--auth`
 * or `tenon login`.
 */
export async function credentialsMaker(line: CommandLine, screen: Screen, login: boolean): Promise<MakeCredentials> {
  const { AuthError, loopback, oauth, pasteRedirect } = await import('tenon/auth');
  const browserFor = (port: number | undefined): Browser => {
    if (!login) return noBrowser(AuthError);
    if (!line.given.has('paste'))
      return loopback({ port, show: ({ href }) => screen.line(`Log in with your browser: ${href}`) });
    return pasteRedirect(port === undefined ? {} : { redirectUri: `http://127.0.0.1:${port}/callback` });
  };
  const scopes = scopesOf(line);
  const store = reportWaiting(await openTokens(), screen);
  return (more = {}) => {
    const { client, callbackPort, wrapFetch } = more;
    const auth = oauth({
      browser: browserFor(callbackPort),
      store,
      name: 'tenon',
      client,
      scopes: [...(more.scopes ?? []), ...scopes],
      wrapFetch,
    });
    return login ? auth : withoutLogin(auth, more, line, AuthError);
  };
}

/** The credentials for a server at a URL. */
export async function credentialsFor(
  line: CommandLine,
  screen: Screen,
  login: boolean,
  more?: CredentialsOptions,
): Promise<OAuth> {
  return (await credentialsMaker(line, screen, login))(more);
}
