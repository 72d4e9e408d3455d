import {
  type AnswerOf,
  type BodyOf,
  type PartsOf,
  type QueryOf,
  type Route,
  type RouteName,
  ROUTES,
  type Routes,
} from '../../../src/api/routes.ts';
import type { ErrorAnswer } from '../../../src/api/views.ts';

/** The inspector rejected a request, or could not be reached. */
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

type Given<Name extends string, T> = {} extends T ? { readonly [K in Name]?: T } : { readonly [K in Name]: T };

/** The options of a call. They may be omitted if no member is required. */
type CallOptions<R extends Route> = Given<'parts', PartsOf<R>> &
  (R extends { readonly query: unknown } ? Given<'query', QueryOf<R>> : unknown) &
  (R extends { readonly body: unknown } ? Given<'body', BodyOf<R>> : unknown) & { readonly signal?: AbortSignal };

type CallArguments<R extends Route> =
  {} extends CallOptions<R> ? readonly [options?: CallOptions<R>] : readonly [options: CallOptions<R>];

type JsonRouteName = { [K in RouteName]: Routes[K]['answer']['kind'] extends 'json' ? K : never }[RouteName];

/** A function for each route that answers with JSON. */
type Api = {
  readonly [K in JsonRouteName]: (...given: CallArguments<Routes[K]>) => Promise<AnswerOf<Routes[K]>>;
};

/** The options of a call of any route. */
interface AnyOptions {
  readonly parts?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** The path and query of a call. Arrays become comma-separated texts, as the query shapes expect. */
function addressOf({ path }: Route, { parts = {}, query = {} }: AnyOptions): string {
  const named = path.replace(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(parts[name] ?? ''));
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value));
  const text = params.toString();
  return text === '' ? named : `${named}?${text}`;
}

const listeners = new Set<() => void>();

/** Calls `listener` when the cookie of this page is no longer valid. */
export function onLoggedOut(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

async function failureOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => undefined)) as Partial<ErrorAnswer> | undefined;
  const { code = 'failed', message = `The inspector answered ${response.status}`, fix } = body?.error ?? {};
  return new ApiError(response.status, code, message, fix);
}

/** Sends a request. Rejects with an `ApiError` unless it succeeds. */
async function reach(address: string, init: RequestInit): Promise<Response> {
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
}

async function call(route: Route, options: AnyOptions = {}): Promise<unknown> {
  const { body = {}, signal = null } = options;
  const init: RequestInit =
    route.method === 'GET'
      ? { signal }
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body), signal };
  return (await reach(addressOf(route, options), init)).json();
}

/** The client of the API. Rejects with an `ApiError`, or with the reason of an aborted signal. */
export const api = Object.fromEntries(
  Object.entries(ROUTES)
    .filter(([, { answer }]) => answer.kind === 'json')
    .map(([name, route]) => [name, (options?: AnyOptions) => call(route, options)]),
) as unknown as Api;

/** The bytes of the event stream. */
export async function openEvents(signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  return (await reach(ROUTES.events.path, { signal })).body!;
}
