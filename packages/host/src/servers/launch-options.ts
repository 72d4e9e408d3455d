import type { ClientAuth } from 'tenon/auth';
import type { ConnectOptions } from 'tenon/client';
import type { ServerConfig } from '../config/server-config.ts';
import type { HostOptions, Login } from '../options.ts';
import { rootUri } from './client-options.ts';

/** The login of a configuration, in the words of `tenon/auth`. Undefined: it says nothing of one. */
const loginOf = ({ launch }: ServerConfig): Login | undefined => {
  if (!('oauth' in launch) || launch.oauth === undefined) return undefined;
  const { clientId: id, clientSecret: secret, issuer, scopes } = launch.oauth;
  if (id === undefined && scopes === undefined) return undefined;
  const more = {
    ...(secret === undefined ? {} : { secret }),
    ...(issuer === undefined ? {} : { issuer }),
  };
  return {
    ...(id === undefined ? {} : { client: { id, ...more } }),
    ...(scopes === undefined ? {} : { scopes }),
  };
};

const authOf = (
  config: ServerConfig,
  login: HostOptions['login'],
  reportProblem: (message: string) => void,
): { auth?: ClientAuth } => {
  const wanted = loginOf(config);
  if (wanted === undefined) return {};
  if (login !== undefined) return { auth: login(wanted, config) };
  reportProblem(
    'What its configuration says about the login ("oauth") is not used: this program does not log in with it',
  );
  return {};
};

/** Headers of the configuration beside those of the program. Where both name one, the configuration counts. */
const headersOf = ({ launch }: ServerConfig, given: ConnectOptions['headers']): Pick<ConnectOptions, 'headers'> => {
  const own = 'headers' in launch ? launch.headers : {};
  if (Object.keys(own).length === 0) return {};
  const names = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  const others = (headers: Readonly<Record<string, string>> = {}): Record<string, string> =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase())));
  return {
    headers:
      typeof given === 'function' ? async () => ({ ...others(await given()), ...own }) : { ...others(given), ...own },
  };
};

/** What is known once the start was approved and variables are filled in: headers, the login, folders. `own`: what the program gives. */
export const launchOptions = (
  config: ServerConfig,
  own: ConnectOptions,
  { login }: Pick<HostOptions, 'login'>,
  reportProblem: (message: string) => void,
): ConnectOptions => {
  const { roots } = config;
  return {
    ...headersOf(config, own.headers),
    ...authOf(config, login, reportProblem),
    ...(roots === undefined ? {} : { roots: () => roots.map(rootUri) }),
  };
};
