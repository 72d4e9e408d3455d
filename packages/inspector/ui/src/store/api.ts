import type { ErrorAnswer } from '../../../src/api/views.ts';

/** The server of the web said no, or could not be reached. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly fix: string | undefined;
  constructor(status: number, code: string, message: string, fix?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.fix = fix;
  }
}

export interface ApiOptions {
  /** What stands for `:id`, `:kind` in the address. */
  readonly at?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly signal?: AbortSignal;
}

/** The whole address of a route of `ROUTES`. */
const addressOf = (route: string, { at = {}, query = {} }: ApiOptions = {}): string => {
  const path = route.replace(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(at[name] ?? ''));
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value));
  const text = params.toString();
  return text === '' ? path : `${path}?${text}`;
};

const listeners = new Set<() => void>();

/** Is told when the server no longer knows this page. */
export const onLoggedOut = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

const failureOf = async (response: Response): Promise<ApiError> => {
  const body = (await response.json().catch(() => undefined)) as Partial<ErrorAnswer> | undefined;
  const { code = 'failed', message = `The inspector answered ${response.status}`, fix } = body?.error ?? {};
  return new ApiError(response.status, code, message, fix);
};

/** An answer that is no refusal. */
const reach = async (address: string, init: RequestInit): Promise<Response> => {
  let response: Response;
  try {
    response = await fetch(address, { ...init, credentials: 'same-origin', redirect: 'error' });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(
      0,
      'unreachable',
      'The inspector does not answer',
      'Is the command in the terminal still running?',
    );
  }
  if (response.status === 401) for (const listener of listeners) listener();
  if (!response.ok) throw await failureOf(response);
  return response;
};

const send = async <T>(address: string, init: RequestInit): Promise<T> => {
  const response = await reach(address, init);
  return (response.status === 204 ? undefined : await response.json()) as T;
};

export const get = <T>(route: string, options: ApiOptions = {}): Promise<T> =>
  send<T>(addressOf(route, options), { signal: options.signal ?? null });

export const post = <T = unknown>(route: string, body: unknown, options: ApiOptions = {}): Promise<T> =>
  send<T>(addressOf(route, options), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: options.signal ?? null,
  });

/** The bytes of an answer that goes on. */
export const getStream = async (route: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> =>
  (await reach(route, { signal })).body!;
