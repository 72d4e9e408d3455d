import type { Launch, LoginSettings, ServerConfig } from './server-config.ts';
import { withoutUndefined } from '@tenon/values/without-undefined';

/** The use of a text in a server's configuration. `secret`: the client secret, which only the authorization server receives. */
export type TextPlace =
  | 'command'
  | 'args'
  | 'cwd'
  | 'env'
  | 'envFile'
  | 'url'
  | 'headers'
  | 'oauth'
  | 'secret'
  | 'roots';

/** Changes one text of a server. `name` is the name of a variable or header. */
export type MapText = (text: string, into: TextPlace, name?: string) => string;

function mapValues(record: Readonly<Record<string, string>>, into: TextPlace, change: MapText): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([name, text]) => [name, change(text, into, name)]));
}

function changeOptional(text: string | undefined, into: TextPlace, change: MapText): string | undefined {
  return text === undefined ? undefined : change(text, into);
}

function mapLogin(login: LoginSettings, change: MapText): LoginSettings {
  const { clientId, clientSecret, issuer, scopes } = login;
  return withoutUndefined({
    ...login,
    clientId: changeOptional(clientId, 'oauth', change),
    clientSecret: changeOptional(clientSecret, 'secret', change),
    issuer: changeOptional(issuer, 'oauth', change),
    scopes: scopes?.map((text) => change(text, 'oauth')),
  });
}

function mapLaunch(launch: Launch, change: MapText): Launch {
  if (launch.kind === 'value') return launch;
  if (launch.kind === 'stdio') {
    const { envFile, cwd } = launch;
    return withoutUndefined({
      ...launch,
      command: change(launch.command, 'command'),
      args: launch.args.map((text) => change(text, 'args')),
      env: mapValues(launch.env, 'env', change),
      envFile: changeOptional(envFile, 'envFile', change),
      cwd: changeOptional(cwd, 'cwd', change),
    });
  }
  const { oauth } = launch;
  return withoutUndefined({
    ...launch,
    url: change(launch.url, 'url'),
    headers: mapValues(launch.headers, 'headers', change),
    oauth: oauth === undefined ? undefined : mapLogin(oauth, change),
  });
}

/** Applies `change` to each text of a server that can contain variables. Names of variables, headers and tools cannot. */
export function mapTexts(config: ServerConfig, change: MapText): ServerConfig {
  if (config.literal === true) return config;
  const { launch, roots } = config;
  return withoutUndefined({
    ...config,
    launch: mapLaunch(launch, change),
    roots: roots?.map((text) => change(text, 'roots')),
  });
}
