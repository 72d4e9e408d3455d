// The access token of the user. The file of the credentials is read for each request, because another process may have refreshed the token,
// and the user may have logged in again.
import { ToolError } from 'tenon';
import { ApiError } from '../../shared/api/api-error.ts';
import { type ApiClock, systemClock } from '../../shared/api/clock.ts';
import { type Google, SERVICE } from './google.ts';
import {
  CREDENTIALS_VARIABLE,
  type Credentials,
  type LoginFiles,
  readCredentials,
  readKeys,
  writeCredentials,
} from './login-files.ts';

export const LOGIN_HELP =
  'The user can log in with the command `tenon run gdrive auth`, with the same variables in its environment as this server.';

/** How long before its expiry a token is no longer used, in milliseconds. */
const SKEW_MS = 60_000;
/** Refusals after which another login helps (RFC 6749, 5.2). */
const LOGIN_REFUSED = new Set<string | undefined>(['invalid_grant', 'invalid_client', 'unauthorized_client']);

export interface AccessToken {
  /** The token that was given last. */
  readonly value: string | undefined;
  /** Gives a token, which is refreshed if it expires. Rejects with an `ApiError` of status 401 if the user has to log in. */
  get(signal: AbortSignal): Promise<string>;
  /** Gives another token than the one that Drive has refused. */
  renew(refused: string, signal: AbortSignal): Promise<string>;
}

export interface AccessTokenOptions {
  readonly files: LoginFiles;
  readonly google: Google;
  readonly clock?: ApiClock | undefined;
}

/** The error for the model if a token could not be refreshed. */
function refreshError(error: unknown): Error {
  const { name, oauthError, message, code, syscall } = error as NodeJS.ErrnoException & { oauthError?: string };
  if (syscall !== undefined)
    return new ToolError(
      `New credentials cannot be stored beside the file that ${CREDENTIALS_VARIABLE} names (${code}).`,
    );
  if (name !== 'AuthError') return error as Error;
  if (LOGIN_REFUSED.has(oauthError))
    return new ApiError(`Google no longer accepts the login. ${message} ${LOGIN_HELP}`, 401);
  return new ApiError(`The login at Google could not be refreshed. ${message} Try again later.`);
}

/** Waits for a promise that others wait for, too, until the signal ends this wait. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

/** Makes the access token of the user whose credentials are in a file. */
export function createAccessToken({ files, google, clock = systemClock }: AccessTokenOptions): AccessToken {
  let value: string | undefined;
  let refreshing: Promise<string> | undefined;

  const usable = (credentials: Credentials, refused: string | undefined): string | undefined => {
    const { access_token: token, expiry_date: end } = credentials;
    const isFresh = end == null || end - SKEW_MS > clock.now();
    return token != null && token !== refused && isFresh ? token : undefined;
  };
  const read = async (): Promise<Credentials> => {
    const credentials = await readCredentials(files);
    if (credentials === undefined) throw new ApiError(`Not logged in to ${SERVICE}. ${LOGIN_HELP}`, 401);
    return credentials;
  };
  const refresh = async (refused: string | undefined): Promise<string> => {
    // Another process, or another call, may have been faster.
    const credentials = await read();
    const token = usable(credentials, refused);
    if (token !== undefined) return token;
    if (credentials.refresh_token == null)
      throw new ApiError(`The login to ${SERVICE} has expired. ${LOGIN_HELP}`, 401);
    const { createGoogleLogin } = await import('./google-login.ts');
    const login = await createGoogleLogin(google, await readKeys(files));
    const fresh = await login.refresh(credentials);
    await writeCredentials(files, fresh);
    return fresh.access_token!;
  };
  const refreshOnce = async (refused: string | undefined): Promise<string> => {
    const { withLock } = await import('tenon/internal');
    return withLock(`${files.credentials}.lock`, () => refresh(refused)).catch((error: unknown) => {
      throw refreshError(error);
    });
  };
  const renew = async (refused: string | undefined, signal: AbortSignal): Promise<string> => {
    refreshing ??= refreshOnce(refused).finally(() => {
      refreshing = undefined;
    });
    return (value = await untilAborted(refreshing, signal));
  };
  return {
    get value() {
      return value;
    },
    async get(signal) {
      const token = usable(await read(), undefined);
      if (token === undefined) return renew(undefined, signal);
      return (value = token);
    },
    renew,
  };
}
