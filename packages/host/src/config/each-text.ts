import type { Launch, LoginSettings, ServerConfig } from './server-config.ts';

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

function mapLogin({ clientId, clientSecret, issuer, scopes }: LoginSettings, change: MapText): LoginSettings {
  return {
    ...(clientId === undefined ? {} : { clientId: change(clientId, 'oauth') }),
    ...(clientSecret === undefined ? {} : { clientSecret: change(clientSecret, 'secret') }),
    ...(issuer === undefined ? {} : { issuer: change(issuer, 'oauth') }),
    ...(scopes === undefined ? {} : { scopes: scopes.map((text) => change(text, 'oauth')) }),
  };
}

function mapLaunch(launch: Launch, change: MapText): Launch {
  if (launch.kind === 'value') return launch;
  if (launch.kind === 'stdio') {
    const { envFile, cwd } = launch;
    return {
      ...launch,
      command: change(launch.command, 'command'),
      args: launch.args.map((text) => change(text, 'args')),
      env: mapValues(launch.env, 'env', change),
      ...(envFile === undefined ? {} : { envFile: change(envFile, 'envFile') }),
      ...(cwd === undefined ? {} : { cwd: change(cwd, 'cwd') }),
    };
  }
  const { oauth } = launch;
  return {
    ...launch,
    url: change(launch.url, 'url'),
    headers: mapValues(launch.headers, 'headers', change),
    ...(oauth === undefined ? {} : { oauth: mapLogin(oauth, change) }),
  };
}

/** Applies `change` to each text of a server that can contain variables. Names of variables, headers and tools cannot. */
export function mapTexts(config: ServerConfig, change: MapText): ServerConfig {
  if (config.literal === true) return config;
  const { launch, roots } = config;
  return {
    ...config,
    launch: mapLaunch(launch, change),
    ...(roots === undefined ? {} : { roots: roots.map((text) => change(text, 'roots')) }),
  };
}
