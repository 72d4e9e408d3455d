import type { ClientAuth } from 'tenon/auth';
import type { ConnectOptions } from 'tenon/client';
import { loginOf } from '../config/login.ts';
import type { ServerConfig } from '../config/server-config.ts';
import type { HostOptions } from '../options.ts';
import { withoutUndefined } from '@tenon/values/without-undefined';
import { rootUri } from './client-options.ts';

function authOf(
  config: ServerConfig,
  login: HostOptions['login'],
  reportProblem: (message: string) => void,
): { auth?: ClientAuth } {
  const settings = loginOf(config);
  if (settings === undefined) return {};
  if (login !== undefined) return { auth: login(settings, config) };
  reportProblem('The login settings of its configuration ("oauth") are not used: this program has no `login` option');
  return {};
}

/** The headers of the configuration and of the program. The configuration takes precedence. */
function headersOf({ launch }: ServerConfig, given: ConnectOptions['headers']): Pick<ConnectOptions, 'headers'> {
  const own = 'headers' in launch ? launch.headers : {};
  if (Object.keys(own).length === 0) return {};
  const names = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  const withoutConfigured = (headers: Readonly<Record<string, string>> = {}): Record<string, string> =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase())));
  return {
    headers:
      typeof given === 'function'
        ? async () => ({ ...withoutConfigured(await given()), ...own })
        : { ...withoutConfigured(given), ...own },
  };
}

/**
 * The options that are known once the start was approved and variables are filled in: headers, login, roots. `own`: the options of the
 * program.
 */
export function launchOptions(
  config: ServerConfig,
  own: ConnectOptions,
  { login }: Pick<HostOptions, 'login'>,
  reportProblem: (message: string) => void,
): ConnectOptions {
  const { roots } = config;
  return withoutUndefined<ConnectOptions>({
    ...headersOf(config, own.headers),
    ...authOf(config, login, reportProblem),
    roots: roots === undefined ? undefined : () => roots.map(rootUri),
  });
}
