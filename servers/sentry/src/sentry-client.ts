// Requests to Sentry.
import { ToolError } from 'tenon';
import { z } from 'zod';
import { apiErrorIn } from '../../shared/api/api-error.ts';
import { type ApiContext, createApi } from '../../shared/api/api.ts';
import type { ApiOptions } from '../../shared/api/api-options.ts';
import { pick } from '../../shared/api/pick.ts';
import { doubling, type LimitedReply, retryAfter, untilReset, waitByStatus } from '../../shared/api/rate-limits.ts';
import { type IssueAddress, issueAddress } from './issue-address.ts';

export const SERVICE = 'Sentry';
export const TOKEN_VARIABLES = ['SENTRY_AUTH_TOKEN', 'SENTRY_TOKEN'] as const;

const DEFAULT_URL = 'https://sentry.io/api/0/';
const TOKEN_HELP = `The user can set ${TOKEN_VARIABLES[0]} to a token from the settings of Sentry, with the scopes event:read and org:read.`;
const NAME_IT = 'Give the URL of the issue, or start the server with --organization.';
/** In how many organizations an issue is searched. */
const MAX_ORGANIZATIONS = 10;

const ORGANIZATIONS = z.array(z.object({ slug: z.string().regex(/^[\w-]+$/) }));

export interface SentryClientOptions {
  /** The address of the API. Default: `https://sentry.io/api/0/`. */
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  /** The organization of issues that are given by their IDs. Default: the organizations that the token can see. */
  readonly organization?: string | undefined;
  readonly limits?: ApiOptions['limits'];
  readonly clock?: ApiOptions['clock'];
}

/** An issue and its latest event, as Sentry gives them. */
export interface FoundIssue {
  readonly issue: unknown;
  /** Undefined: it has none any more. */
  readonly event: unknown;
}

/** Finds an issue by its ID or URL. Rejects with a `ToolError` if it is not there. */
export type FindIssue = (ctx: ApiContext, given: string) => Promise<FoundIssue>;

/** Sentry says when a limit ends in a header of its own ("Rate Limits"). */
function waitForSentry(reply: LimitedReply): number | undefined {
  if (reply.status !== 429) return waitByStatus(reply);
  return retryAfter(reply) ?? untilReset(reply, 'x-sentry-rate-limit') ?? doubling(1_000, reply.attempt);
}

/** Nothing instead of an error, if there is no such thing. */
async function unlessMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (apiErrorIn(error)?.status === 404) return undefined;
    throw error;
  }
}

/** Makes the requests to Sentry. */
export function createFindIssue(options: SentryClientOptions): FindIssue {
  const { url = DEFAULT_URL, token, limits, clock } = options;
  const base = new URL(url);
  const api = createApi({
    service: SERVICE,
    url: base,
    token: { value: token, help: TOKEN_HELP },
    headers: { 'user-agent': 'tenon-server-sentry' },
    limits,
    clock,
    waitFor: waitForSentry,
  });

  /** The organizations in which an issue may be. */
  const organizationsFor = async (ctx: ApiContext, { organization }: IssueAddress): Promise<readonly string[]> => {
    const named = organization ?? options.organization;
    if (named !== undefined) return [named];
    const found = pick(SERVICE, ORGANIZATIONS, await api(ctx).json('organizations/'));
    if (found.length === 0) throw new ToolError(`The token can see no organization. ${NAME_IT}`);
    if (found.length > MAX_ORGANIZATIONS)
      throw new ToolError(`The token can see more than ${MAX_ORGANIZATIONS} organizations. ${NAME_IT}`);
    return found.map(({ slug }) => slug);
  };

  return async (ctx, given) => {
    const address = issueAddress(given, base);
    const { json } = api(ctx);
    const organizations = await organizationsFor(ctx, address);
    for (const [at, organization] of organizations.entries()) {
      const path = `organizations/${organization}/issues/${address.id}/`;
      const isLast = at === organizations.length - 1;
      const issue = isLast ? await json(path) : await unlessMissing(() => json(path));
      // An issue outlives its events.
      if (issue !== undefined) return { issue, event: await unlessMissing(() => json(`${path}events/latest/`)) };
    }
    throw new ToolError('There is no such issue.');
  };
}
