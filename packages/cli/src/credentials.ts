import { join } from 'node:path';
import process from 'node:process';
import type { Browser, OAuth, OAuthOptions, TokenStore } from 'tenon/auth';
import type { CommandLine } from './command-line.ts';
import type { Screen } from './screen.ts';
import { stateFolder } from './state-folder.ts';

/** Where the logins of this user are kept. */
export const openTokens = async (): Promise<TokenStore> => {
  const { fileTokens } = await import('tenon/auth');
  const { TENON_TOKENS: path = join(stateFolder(), 'tokens.json'), TENON_TOKENS_SECRET: secret } = process.env;
  return fileTokens(path, secret === undefined ? {} : { secret });
};

/** The name of a server among the logins. */
export const keyOf = (url: string): string => {
  const key = new URL(url);
  key.hash = '';
  return key.href;
};

/** Nobody logs in without having said so. */
const noBrowser = (AuthError: typeof import('tenon/auth').AuthError): Browser => ({
  open() {
    throw new AuthError('authorization', 'nobody has logged in');
  },
});

/**
 * Makes the credentials for servers at URLs: those that are kept; with --auth, or when logging in, new ones from the user. `more`: what a
 * configuration says of the login.
 */
export const credentialsMaker = async (
  line: CommandLine,
  screen: Screen,
  login: boolean,
): Promise<(more?: Pick<OAuthOptions, 'client' | 'scopes'>) => OAuth> => {
  const { AuthError, loopback, oauth, pasting } = await import('tenon/auth');
  const browser = !login
    ? noBrowser(AuthError)
    : line.given.has('paste')
      ? pasting()
      : loopback({ show: ({ href }) => screen.line(`Log in with your browser: ${href}`) });
  const scopes = line
    .value('scope')
    ?.split(/[\s,]+/)
    .filter((scope) => scope !== '');
  const store = await openTokens();
  return (more = {}) => {
    const wanted = [...(more.scopes ?? []), ...(scopes ?? [])];
    return oauth({ browser, store, name: 'tenon', ...more, ...(wanted.length === 0 ? {} : { scopes: wanted }) });
  };
};

/** The credentials for one such server. */
export const credentialsFor = async (line: CommandLine, screen: Screen, login: boolean): Promise<OAuth> =>
  (await credentialsMaker(line, screen, login))();
