// Logging in with the browser: OAuth's device flow (RFC 8628), as GitHub has it ("Authorizing OAuth apps", "Device flow"). The user enters a
// short code on a page of GitHub, so neither the client nor this server sees a password, and no server has to be reachable from the browser.
import { type CallContext, ToolError } from 'tenon';
import { z } from 'zod';
import { createApi } from '../../shared/api/api.ts';
import { type ApiClock, systemClock } from '../../shared/api/clock.ts';
import { pick } from '../../shared/api/pick.ts';
import { SERVICE } from './github-client.ts';

/** What the token may do: everything in repositories. GitHub has no smaller scope that includes private ones. */
const SCOPE = 'repo';
/** How often GitHub may be asked whether the user is done, in seconds, if it says nothing else (RFC 8628, 3.2). */
const INTERVAL_SECONDS = 5;

const CODE = z.object({
  device_code: z.string().min(1),
  user_code: z.string().min(1).max(40),
  verification_uri: z.url({ protocol: /^https?$/ }),
  expires_in: z.number().min(1).max(3_600),
  interval: z.number().min(1).max(60).default(INTERVAL_SECONDS),
});
const GRANT = z.object({
  access_token: z
    .string()
    .regex(/^[\x21-\x7e]+$/)
    .nullish(),
  error: z.string().nullish(),
});

export interface LoginOptions {
  /** The client id of an OAuth app with the device flow. */
  readonly clientId: string;
  /** The address of the API. */
  readonly url: string;
  readonly clock?: ApiClock | undefined;
}

/** The address of the pages: `https://github.com` for `https://api.github.com`, else that of the Enterprise server. */
export function pagesOf(apiUrl: string): string {
  const url = new URL(apiUrl);
  url.hostname = url.hostname.replace(/^api\./, '');
  return url.origin;
}

/** Makes a function that logs the user in and gives the token. Throws a `ToolError` if the user declines, or takes too long. */
export function createLogin({
  clientId,
  url,
  clock = systemClock,
}: LoginOptions): (ctx: CallContext) => Promise<string> {
  const pages = pagesOf(url);
  const api = createApi({ service: SERVICE, url: pages, clock });

  const waitForToken = async (ctx: CallContext, code: z.infer<typeof CODE>): Promise<string> => {
    const call = api(ctx);
    const body = {
      client_id: clientId,
      device_code: code.device_code,
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    };
    const end = clock.now() + code.expires_in * 1_000;
    for (let seconds = code.interval; clock.now() < end;) {
      await call.report('Waiting until the user has entered the code');
      await clock.sleep(seconds * 1_000, ctx.signal);
      const grant = pick(SERVICE, GRANT, await call.json('login/oauth/access_token', { method: 'POST', body }));
      if (grant.access_token != null) return grant.access_token;
      // RFC 8628, 3.5.
      if (grant.error === 'slow_down') seconds += 5;
      else if (grant.error === 'access_denied') throw new ToolError('The user declined to log in to GitHub.');
      else if (grant.error !== 'authorization_pending') break;
    }
    throw new ToolError('The login to GitHub did not succeed in time. Call the tool again to start another one.');
  };

  return async (ctx) => {
    const code = await ctx.once('code for the login', async () => {
      const body = { client_id: clientId, scope: SCOPE };
      return pick(SERVICE, CODE, await api(ctx).json('login/device/code', { method: 'POST', body }));
    });
    if (new URL(code.verification_uri).origin !== pages) throw new ToolError('GitHub named a page of another site.');
    const message = `To log in to GitHub, enter the code ${code.user_code} on this page`;
    const { action, complete } = await ctx.visit('login', message, code.verification_uri);
    if (action !== 'accept') throw new ToolError('The user declined to log in to GitHub.');
    const token = await waitForToken(ctx, code);
    await complete();
    return token;
  };
}
