// Logging in with the browser: OAuth's device flow (RFC 8628). The user enters a short code on a page of the service, so neither the client
// nor this server sees a password, and no server has to be reachable from the browser.
import { type CallContext, ToolError } from 'tenon';
import { z } from 'zod';
import { createApi } from './api.ts';
import { type ApiClock, systemClock } from './clock.ts';
import { perClient } from '../per-client.ts';
import { pick } from './pick.ts';

/** How often the service may be asked whether the user is done, in seconds, if it says nothing else (RFC 8628, 3.2). */
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
type Code = z.infer<typeof CODE>;

export interface DeviceLoginOptions {
  /** The name of the service in messages. */
  readonly service: string;
  /** The address of the service's pages, which are on one origin. */
  readonly pages: string;
  /** The paths at which codes and tokens are requested. */
  readonly codePath: string;
  readonly tokenPath: string;
  /** The client id of an OAuth app with the device flow. */
  readonly clientId: string;
  /** What the token may do. */
  readonly scope: string;
  readonly clock?: ApiClock | undefined;
}

/** Makes a function that logs the user in and gives the token. Throws a `ToolError` if the user declines, or takes too long. */
export function createDeviceLogin(options: DeviceLoginOptions): (ctx: CallContext) => Promise<string> {
  const { service, pages, clientId, scope, clock = systemClock } = options;
  const { origin } = new URL(pages);
  // Errors of the flow come with 400 (RFC 8628, 3.5; RFC 6749, 5.2), and from GitHub with 200.
  const api = createApi({ service, url: pages, clock, statusOf: ({ status }) => (status === 400 ? 200 : status) });
  const declined = new ToolError(`The user declined to log in to ${service}.`);

  const waitForToken = async (ctx: CallContext, code: Code): Promise<string> => {
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
      const grant = pick(service, GRANT, await call.json(options.tokenPath, { method: 'POST', body }));
      if (grant.access_token != null) return grant.access_token;
      // RFC 8628, 3.5.
      if (grant.error === 'slow_down') seconds += 5;
      else if (grant.error === 'access_denied') throw declined;
      else if (grant.error !== 'authorization_pending') break;
    }
    throw new ToolError(`The login to ${service} did not succeed in time. Call the tool again to start another one.`);
  };

  // Calls that need a login while the user is asked, in an answer or by a request, ask for the same code.
  const stateOf = perClient<{ kept?: { readonly code: Code; readonly end: number } | undefined }>(() => ({}));
  const requestCode = async (ctx: CallContext): Promise<Code> => {
    const state = stateOf(ctx);
    if (state?.kept !== undefined && clock.now() < state.kept.end) return state.kept.code;
    const body = { client_id: clientId, scope };
    const code = pick(service, CODE, await api(ctx).json(options.codePath, { method: 'POST', body }));
    if (new URL(code.verification_uri).origin !== origin)
      throw new ToolError(`${service} named a page of another site.`);
    if (state !== undefined) state.kept = { code, end: clock.now() + code.expires_in * 1_000 };
    return code;
  };
  const askUser = async (ctx: CallContext, code: Code): Promise<{ complete(): unknown }> => {
    const message = `To log in to ${service}, enter the code ${code.user_code} on this page`;
    const answer = await ctx.visit('login', message, code.verification_uri);
    // It is not used again, whatever comes of it.
    const state = stateOf(ctx);
    if (state !== undefined) state.kept = undefined;
    if (answer.action !== 'accept') throw declined;
    return answer;
  };

  return async (ctx) => {
    const code = await ctx.once('code for the login', () => requestCode(ctx));
    const { complete } = await askUser(ctx, code);
    const token = await waitForToken(ctx, code);
    await complete();
    return token;
  };
}
