// What is special about GitHub's limits and refusals.
import { doubling, type LimitedReply, retryAfter, untilReset, waitByStatus } from '../../shared/api/rate-limits.ts';

/** The wait that GitHub's guide asks for after a secondary limit without Retry-After, in milliseconds. */
const SECONDARY_WAIT_MS = 60_000;

/**
 * GitHub refuses with 403 or 429: with Retry-After, with no remaining requests until a time in seconds since 1970, or with a message about
 * a secondary limit ("Rate limits for the REST API", "Exceeding the rate limit").
 */
export function waitForGithub(reply: LimitedReply): number | undefined {
  const { status, body, attempt } = reply;
  if (status !== 403 && status !== 429) return waitByStatus(reply);
  const asked = retryAfter(reply);
  if (asked !== undefined) return asked;
  const untilEnd = untilReset(reply, 'x-ratelimit');
  if (untilEnd !== undefined) return untilEnd;
  return status === 429 || /secondary rate limit|abuse detection/i.test(body)
    ? doubling(SECONDARY_WAIT_MS, attempt)
    : undefined;
}

/** Searches have limits of their own ("Rate limits for the REST API", "About primary rate limits"). */
export function limitOfGithub({ pathname }: URL): string {
  return /\/search\/(\w+)$/.exec(pathname)?.[1] ?? 'core';
}

/** Which permissions a token would need. */
export function noteOnRefusal(headers: Headers, status: number): string | undefined {
  const scopes = headers.get('x-accepted-github-permissions') ?? headers.get('x-accepted-oauth-scopes');
  if (![403, 404].includes(status) || scopes === null || scopes === '') return undefined;
  return `This needs a token with: ${scopes.slice(0, 200)}.`;
}
