// What the command lines of servers for web APIs have in common.
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

/**
 * The address of an API that a user has given; undefined for none. Throws an `Error` for the user if it is not like the example. It does not
 * repeat the address, which may have a password in it.
 */
export function addressOf(given: string | undefined, example: string): string | undefined {
  if (given === undefined || given === '') return undefined;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (
    !/^https?:$/.test(url?.protocol ?? '') ||
    url!.username !== '' ||
    url!.password !== '' ||
    url!.search !== '' ||
    url!.hash !== ''
  )
    throw new Error(`The address of the API must be like ${example}`);
  return url!.href;
}
