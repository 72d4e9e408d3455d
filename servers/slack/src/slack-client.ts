// Requests to Slack: the methods of its API, with the arguments and answers that Slack's own library declares.
import { type ApiContext, createApi } from '../../shared/api/api.ts';
import type { ApiOptions } from '../../shared/api/api-options.ts';
import { pick } from '../../shared/api/pick.ts';
import { z } from 'zod';
import { METHODS, type Methods } from './slack-methods.ts';
import { noteOnRefusal, statusOfSlack } from './slack-rules.ts';

export const SERVICE = 'Slack';
export const TOKEN_VARIABLE = 'SLACK_BOT_TOKEN';

const DEFAULT_URL = 'https://slack.com/api';
const TOKEN_HELP = `The user can set ${TOKEN_VARIABLE} to the bot token of an app from https://api.slack.com/apps in the server's environment.`;

const ANSWER = z.looseObject({ ok: z.literal(true) });

/** The requests of one call. */
export interface Slack {
  /** Requests a method. Rejects with an `ApiError` if Slack refuses. */
  ask<M extends keyof Methods>(method: M, parameters: Methods[M]['arguments']): Promise<Methods[M]['response']>;
  report(message: string): Promise<void>;
}

export interface SlackClientOptions {
  /** The address of the API. Default: `https://slack.com/api`. */
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  readonly limits?: ApiOptions['limits'];
  readonly clock?: ApiOptions['clock'];
}

/** Gives the requests of a call. */
export type SlackFor = (ctx: ApiContext) => Slack;

/** Makes the requests to Slack. */
export function createSlackClient({ url = DEFAULT_URL, token, limits, clock }: SlackClientOptions): SlackFor {
  const api = createApi({
    service: SERVICE,
    url,
    token: { value: token, help: TOKEN_HELP },
    headers: { 'user-agent': 'tenon-server-slack' },
    limits,
    clock,
    statusOf: statusOfSlack,
    // "Rate limits": each method has a limit of its own.
    limitOf: ({ pathname }) => pathname,
    noteOn: noteOnRefusal,
  });
  return (ctx) => {
    const { json, report } = api(ctx);
    return {
      async ask(method, parameters) {
        const isRead = METHODS[method].verb === 'GET';
        const values = parameters as Readonly<Record<string, string | number | boolean | undefined>>;
        const answer = await json(method, isRead ? { query: values } : { method: 'POST', body: values });
        return pick(SERVICE, ANSWER, answer) as never;
      },
      report,
    };
  };
}
