// Requests to the API of Brave Search.
import { createApi } from '../../shared/api/api.ts';
import type { ApiOptions } from '../../shared/api/api-options.ts';
import { type LimitedReply, retryAfter, waitByStatus } from '../../shared/api/rate-limits.ts';

export const SERVICE = 'Brave Search';
export const DEFAULT_URL = 'https://api.search.brave.com/res/v1';
export const KEY_VARIABLE = 'BRAVE_API_KEY';

const KEY_HELP = `The user can set ${KEY_VARIABLE} to a key from https://api-dashboard.search.brave.com/app/keys in the server's environment.`;

export interface BraveOptions {
  /** The address of the API. Default: `https://api.search.brave.com/res/v1`. */
  readonly url?: string | undefined;
  readonly key?: string | undefined;
  readonly limits?: ApiOptions['limits'];
  readonly clock?: ApiOptions['clock'];
}

function numbersIn(headers: Headers, name: string): number[] {
  const text = headers.get(name) ?? '';
  return /^\s*\d{1,9}(?:\s*,\s*\d{1,9})*\s*$/.test(text) ? text.split(',').map(Number) : [];
}

/**
 * A plan has several limits, such as one per second and one per month, whose rests and ends are lists in the headers ("Rate limiting"). The wait
 * is until the last of those that are used up has ended.
 */
function waitForBrave(reply: LimitedReply): number | undefined {
  if (reply.status !== 429) return waitByStatus(reply);
  const resets = numbersIn(reply.headers, 'x-ratelimit-reset');
  const rests = numbersIn(reply.headers, 'x-ratelimit-remaining');
  const usedUp = resets.filter((_, at) => rests[at] === 0);
  const seconds = usedUp.length > 0 ? Math.max(...usedUp) : resets[0];
  return retryAfter(reply) ?? (seconds === undefined ? waitByStatus(reply) : seconds * 1_000);
}

/** Makes the requests to Brave Search. */
export function createBraveClient({ url = DEFAULT_URL, key, limits, clock }: BraveOptions) {
  return createApi({
    service: SERVICE,
    url,
    token: {
      value: key,
      help: KEY_HELP,
      add: (token, { headers }) => headers.set('x-subscription-token', token),
    },
    limits,
    clock,
    waitFor: waitForBrave,
  });
}
