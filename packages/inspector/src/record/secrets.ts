import process from 'node:process';
import { isSecretVariable } from './secret-names.ts';

/** How a server is reached: at an address, or as a process. */
interface Launch {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly inheritEnv?: readonly string[];
}

/**
 * The values that are passed to a server and must not be shown: of headers, of the query of its address, and of variables whose name tells of a
 * secret. Throws a `TypeError` if the address is no URL.
 *
 * @example
 * ```ts
 * import { secretsOf } from '@tenon/inspector/trace';
 *
 * secretsOf({ env: { API_TOKEN: 'abc', LANG: 'en' } }); // ['abc']
 * ```
 */
export function secretsOf({ url, headers = {}, env = {}, inheritEnv = [] }: Launch): string[] {
  if (url !== undefined) return [...Object.values(headers), ...new URL(url).searchParams.values()];
  const named = Object.entries(env).filter(([name]) => isSecretVariable(name));
  const inherited = inheritEnv.filter(isSecretVariable);
  return [...named.map(([, value]) => value), ...inherited.map((name) => process.env[name] ?? '')];
}
