// What the command lines of servers for web APIs have in common.
import process from 'node:process';
import type { ParsedArguments } from '../command.ts';
import type { ApiLimits } from './api-options.ts';

/** The option `--max-wait`. */
export function maxWaitOption(service: string) {
  const about = `how long a request may wait for a limit of ${service}, in seconds; default: 300`;
  return { 'max-wait': { type: 'string', about } } as const;
}

/** The limits that the command line changes. */
export function limitsOf(given: ParsedArguments): Partial<ApiLimits> {
  const maxWait = given.number('max-wait', [0, 86_400]);
  return maxWait === undefined ? {} : { maxWaitMs: maxWait * 1_000 };
}

export interface AddressSource {
  /** The option that gives it. Default: `api-url`. */
  readonly option?: string;
  /** The variable that gives it if the option does not. */
  readonly variable?: string;
  /** A correct one, for the error. */
  readonly example: string;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * The address of an API that a user has given; undefined for none. Throws an `Error` for the user if it is not like the example. It does not
 * repeat the address, which may have a password in it.
 */
export function addressOf(
  given: ParsedArguments,
  { option = 'api-url', variable, example }: AddressSource,
): string | undefined {
  const address = given.text(option) ?? (variable === undefined ? undefined : process.env[variable]);
  if (address === undefined || address === '') return undefined;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (
    !/^https?:$/.test(url?.protocol ?? '') ||
    url!.username !== '' ||
    url!.password !== '' ||
    url!.search !== '' ||
    url!.hash !== ''
  )
    throw new Error(`The address of the API must be like ${example}`);
  if (url!.protocol === 'http:' && !LOOPBACK.test(url!.hostname))
    given.warn(`the token is sent to ${url!.host} without encryption: use https`);
  return url!.href;
}
