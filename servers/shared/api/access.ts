import { type CallContext, type Context, ToolError } from 'tenon';
import { perClient } from '../per-client.ts';
import { type ApiContext } from './api.ts';
import { apiErrorIn } from './api-error.ts';
import type { DeviceLoginOptions } from './device-login.ts';

/** Gives the requests of a call. */
export type RequestsFor<Requests> = (ctx: ApiContext) => Requests;

export interface AccessOptions<Requests> {
  /** The server's own token, which is used for all clients. */
  readonly token: string | undefined;
  /** Makes the requests that are sent with a token. */
  readonly create: (token: string | undefined) => RequestsFor<Requests>;
  /** Logs a user in and gives the token. Undefined: there is no login. */
  readonly login?: ((ctx: CallContext) => Promise<string>) | undefined;
}

/** The requests of calls, each with the token of its caller. */
export interface Access<Requests> {
  of(ctx: Context & ApiContext): Requests;
  /** Runs a call with its requests, and once more after a login if the service wants one. */
  run<T>(ctx: CallContext, act: (requests: Requests) => Promise<T>): Promise<T>;
}

/** What is known of a client. */
interface ClientState<Requests> {
  requests?: RequestsFor<Requests>;
  /** The login that is in progress. */
  login?: Promise<void> | undefined;
}

/** Waits until a promise is settled, and gives its error; undefined if it has none. The signal ends the wait. */
function errorOf(promise: Promise<void>, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason as Error);
    if (signal.aborted) return leave();
    signal.addEventListener('abort', leave, { once: true });
    const end = (error?: unknown): void => {
      signal.removeEventListener('abort', leave);
      resolve(error);
    };
    promise.then(() => end(), end);
  });
}

/** Makes the access to a service. The server's own token is that of all clients; a login is of one client only, and is kept in memory. */
export function createAccess<Requests>({ token, create, login }: AccessOptions<Requests>): Access<Requests> {
  const shared = create(token);
  const stateOf = perClient<ClientState<Requests>>(() => ({}));
  const of: Access<Requests>['of'] = (ctx) => (stateOf(ctx)?.requests ?? shared)(ctx);
  /** Logs a client in. A call that needs the login of another one waits for it, and fails like it if the user declines. */
  const logIn = async (state: ClientState<Requests>, ctx: CallContext, start: NonNullable<typeof login>) => {
    for (let other = state.login; other !== undefined; other = state.login) {
      const error = await errorOf(other, ctx.signal);
      if (error === undefined) return;
      if (error instanceof ToolError) throw error;
      // The other call was cancelled, or it asks in its answer.
      if (state.login === other) state.login = undefined;
    }
    const own = (async () => {
      state.requests = create(await start(ctx));
    })();
    state.login = own;
    try {
      await own;
    } finally {
      if (state.login === own) state.login = undefined;
    }
  };
  return {
    of,
    async run(ctx, act) {
      const state = stateOf(ctx);
      try {
        return await act(of(ctx));
      } catch (error) {
        // Nothing was changed: the service or the check before it has refused the request.
        const isRefused = apiErrorIn(error)?.status === 401;
        const canLogIn = login !== undefined && token === undefined && ctx.client.can('elicitation.url');
        if (!isRefused || !canLogIn || state === undefined) throw error;
        await logIn(state, ctx, login);
        return act(of(ctx));
      }
    },
  };
}

/** A login with OAuth's device flow, whose code is loaded with the first one. Undefined without a client id. */
export function deviceLogin({
  clientId,
  ...options
}: Omit<DeviceLoginOptions, 'clientId'> & {
  readonly clientId: string | undefined;
}): AccessOptions<unknown>['login'] {
  if (clientId === undefined) return undefined;
  let start: Promise<(ctx: CallContext) => Promise<string>> | undefined;
  return async (ctx) => {
    start ??= import('./device-login.ts').then(({ createDeviceLogin }) => createDeviceLogin({ ...options, clientId }));
    return (await start)(ctx);
  };
}

/** Makes a function that makes handlers of tools, which get the requests of their call. */
export function createHandlers<Requests>(access: Access<Requests>) {
  return function withRequests<In, Out>(act: (requests: Requests, input: In, ctx: CallContext) => Promise<Out>) {
    return (input: In, ctx: CallContext): Promise<Out> => access.run(ctx, (requests) => act(requests, input, ctx));
  };
}
