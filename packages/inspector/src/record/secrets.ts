import process from 'node:process';
import { isSecretVariable } from './secret-names.ts';

/** How a server is reached: at a URL, or as a process. */
interface Launch {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly login?: { readonly client?: { readonly secret?: string } | undefined } | undefined;
  readonly env?: Readonly<Record<string, string>>;
  readonly inheritEnv?: readonly string[];
}

/**
 * The secret values that are passed to a server: all headers, all values in the query of its URL, the secret of the client that logs
 * in, and the variables with secret names. Throws a `TypeError` if the URL is invalid.
 *
 * @example
 * ```ts
 * import { secretsOf } from '@tenon/inspector/trace';
 *
 * secretsOf({ env: { API_TOKEN: 'abc', LANG: 'en' } }); // ['abc']
 * ```
 */
export function secretsOf({ url, headers = {}, login, env = {}, inheritEnv = [] }: Launch): string[] {
  if (url !== undefined)
    return [
      ...Object.values(headers),
      ...new URL(url).searchParams.values(),
      ...(login?.client?.secret === undefined ? [] : [login.client.secret]),
    ];
  const named = Object.entries(env).filter(([name]) => isSecretVariable(name));
  const inherited = inheritEnv.filter(isSecretVariable);
  return [...named.map(([, value]) => value), ...inherited.map((name) => process.env[name] ?? '')];
}
