// Requests to GitLab.
import { type ApiContext, createApi, type JsonRequest, parseJson } from '../../shared/api/api.ts';
import type { ApiOptions } from '../../shared/api/api-options.ts';
import { hasNextLink } from '../../shared/api/pages.ts';
import { type LimitedReply, retryAfter, untilReset, waitByStatus } from '../../shared/api/rate-limits.ts';

export const SERVICE = 'GitLab';
export const DEFAULT_URL = 'https://gitlab.com/api/v4';
export const TOKEN_VARIABLES = ['GITLAB_PERSONAL_ACCESS_TOKEN', 'GITLAB_TOKEN'] as const;

const TOKEN_HELP = `The user can set ${TOKEN_VARIABLES[0]} to a token from https://gitlab.com/-/user_settings/personal_access_tokens, or from the same page of their own GitLab, in the server's environment.`;

/** A part of a list. */
export interface GitlabPage {
  readonly items: readonly unknown[];
  readonly hasNext: boolean;
  /** The length of the whole list. GitLab does not count lists of more than 10,000. */
  readonly total: number | null;
}

/** The requests of one call. Each rejects with an `ApiError` if the answer is not a success. */
export interface Gitlab {
  /** The token that they are sent with. */
  readonly token: string | undefined;
  ask(path: string, request?: JsonRequest): Promise<unknown>;
  page(path: string, query: JsonRequest['query']): Promise<GitlabPage>;
  bytes(path: string, query: JsonRequest['query']): Promise<Uint8Array>;
  /** Requests only the headers. */
  headers(path: string, query: JsonRequest['query']): Promise<Headers>;
  report(message: string): Promise<void>;
}

export interface GitlabOptions {
  /** The address of the API. Default: `https://gitlab.com/api/v4`. */
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  readonly limits?: ApiOptions['limits'];
  readonly clock?: ApiOptions['clock'];
}

/** GitLab refuses with 429, and says how long in Retry-After or when in RateLimit-Reset ("Rate limits", "Response headers"). */
function waitForGitlab(reply: LimitedReply): number | undefined {
  if (reply.status !== 429) return waitByStatus(reply);
  return retryAfter(reply) ?? untilReset(reply, 'ratelimit') ?? waitByStatus(reply);
}

/** The path of a project's part. */
export function inProject(project: string, ...parts: readonly string[]): string {
  return ['projects', project, ...parts].map((part) => encodeURIComponent(part)).join('/');
}

/** Makes the requests to GitLab. */
export function createGitlabClient({ url = DEFAULT_URL, token, limits, clock }: GitlabOptions) {
  const api = createApi({
    service: SERVICE,
    url,
    token: { value: token, help: TOKEN_HELP, isOptionalToRead: true },
    headers: { 'user-agent': 'tenon-server-gitlab' },
    limits,
    clock,
    waitFor: waitForGitlab,
  });
  return (ctx: ApiContext): Gitlab => {
    const call = api(ctx);
    return {
      token,
      ask: call.json,
      async page(path, query) {
        const response = await call.send(path, { query });
        const items = parseJson(await response.text(), SERVICE);
        const total = response.headers.get('x-total');
        return {
          items: Array.isArray(items) ? items : [items],
          hasNext: hasNextLink(response.headers),
          total: total !== null && /^\d+$/.test(total) ? Number(total) : null,
        };
      },
      bytes: async (path, query) => new Uint8Array(await (await call.send(path, { query })).arrayBuffer()),
      headers: async (path, query) => (await call.send(path, { method: 'HEAD', query })).headers,
      report: call.report,
    };
  };
}
