// Requests to GitHub through Octokit, with the parameters and answers that GitHub's description of its API declares.
import type { Endpoints } from '@octokit/types';
import { apiErrorIn } from '../../shared/api/api-error.ts';
import { type Api, type ApiContext, createApi, parseJson } from '../../shared/api/api.ts';
import type { ApiOptions } from '../../shared/api/api-options.ts';
import { hasNextLink } from '../../shared/api/pages.ts';
import { limitOfGithub, noteOnRefusal, waitForGithub } from './github-rules.ts';

export const SERVICE = 'GitHub';
export const DEFAULT_URL = 'https://api.github.com';
export const TOKEN_VARIABLES = ['GITHUB_PERSONAL_ACCESS_TOKEN', 'GITHUB_TOKEN'] as const;

const TOKEN_HELP = `The user can set ${TOKEN_VARIABLES[0]} to a token from https://github.com/settings/tokens in the server's environment.`;

/** Raw contents of a file. */
const RAW = 'application/vnd.github.raw+json';

type Route = keyof Endpoints;
type Parameters<R extends Route> = Endpoints[R]['parameters'];
type Data<R extends Route> = Endpoints[R]['response']['data'];

/** An answer with the part of its headers that matters. */
export interface GithubAnswer<T> {
  readonly data: T;
  readonly hasNext: boolean;
}

/** The requests of one call. */
export interface Github {
  /** The token that they are sent with. */
  readonly token: string | undefined;
  /** Requests a route. Rejects with an `ApiError` if the answer is not a success. */
  ask<R extends Route>(route: R, parameters: Parameters<R>): Promise<GithubAnswer<Data<R>>>;
  /** Requests the raw contents of a file. */
  raw<R extends Route>(route: R, parameters: Parameters<R>): Promise<Uint8Array>;
  report(message: string): Promise<void>;
}

export interface GithubOptions {
  /** The address of the API. Default: `https://api.github.com`; on GitHub Enterprise Server `https://HOST/api/v3`. */
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  readonly limits?: ApiOptions['limits'];
  readonly clock?: ApiOptions['clock'];
}

/** Gives the requests of a call. */
export type GithubFor = (ctx: ApiContext) => Github;

/** Octokit with the `fetch` of one call. It does not read the body, so that numbers stay numbers and wrong JSON is an error. */
async function open(api: Api, ctx: ApiContext, url: string) {
  const { request } = await import('@octokit/request');
  const call = api(ctx);
  return request.defaults({
    baseUrl: url,
    headers: { 'user-agent': 'tenon-server-github', 'x-github-api-version': '2022-11-28' },
    request: { fetch: call.fetch, parseSuccessResponseBody: false },
  });
}

/** Makes the requests to GitHub. */
export function createGithubClient({ url = DEFAULT_URL, token, limits, clock }: GithubOptions): GithubFor {
  const address = url.replace(/\/+$/, '');
  const api = createApi({
    service: SERVICE,
    url: address,
    token: { value: token, help: TOKEN_HELP, isOptionalToRead: true },
    limits,
    clock,
    waitFor: waitForGithub,
    limitOf: limitOfGithub,
    noteOn: noteOnRefusal,
  });
  return (ctx) => {
    const send = async (route: Route, parameters: object, accept?: string) => {
      const request = await open(api, ctx, address);
      const headers = accept === undefined ? {} : { accept };
      try {
        const { data, headers: received } = await request(route as 'GET /user', { ...parameters, headers } as never);
        return {
          response: new Response(data as unknown as ReadableStream | ''),
          headers: new Headers(received as never),
        };
      } catch (error) {
        ctx.signal.throwIfAborted();
        throw apiErrorIn(error) ?? error;
      }
    };
    return {
      token,
      async ask(route, parameters) {
        const { response, headers } = await send(route, parameters);
        const text = await response.text();
        const data = text === '' ? undefined : parseJson(text, SERVICE, route.split(' ')[0]);
        return { data: data as never, hasNext: hasNextLink(headers) };
      },
      async raw(route, parameters) {
        const { response } = await send(route, parameters, RAW);
        return new Uint8Array(await response.arrayBuffer());
      },
      report: (message) => api(ctx).report(message),
    };
  };
}
