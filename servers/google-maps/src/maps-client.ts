// Requests to the web services of Google Maps.
import type { ZodType } from 'zod';
import { type ApiContext, createApi, type JsonRequest } from '../../shared/api/api.ts';
import type { ApiOptions } from '../../shared/api/api-options.ts';
import { pick } from '../../shared/api/pick.ts';
import type { WholeReply } from '../../shared/api/reply-cache.ts';

export const SERVICE = 'Google Maps';
export const DEFAULT_URL = 'https://maps.googleapis.com/maps/api';
export const KEY_VARIABLE = 'GOOGLE_MAPS_API_KEY';

const KEY_HELP = `The user can set ${KEY_VARIABLE} to a key from https://console.cloud.google.com/google/maps-apis/credentials in the server's environment.`;

export interface MapsOptions {
  /** The address of the services. Default: `https://maps.googleapis.com/maps/api`. */
  readonly url?: string | undefined;
  readonly key?: string | undefined;
  readonly limits?: ApiOptions['limits'];
  readonly clock?: ApiOptions['clock'];
}

/** What the words for errors mean as statuses of HTTP. Google sends them with 200. */
const STATUSES: ReadonlyMap<string, number> = new Map([
  ['INVALID_REQUEST', 422],
  ['MAX_ELEMENTS_EXCEEDED', 422],
  ['MAX_DIMENSIONS_EXCEEDED', 422],
  ['MAX_WAYPOINTS_EXCEEDED', 422],
  ['MAX_ROUTE_LENGTH_EXCEEDED', 422],
  ['NOT_FOUND', 404],
  ['DATA_NOT_AVAILABLE', 404],
  ['REQUEST_DENIED', 403],
  // No limit that ends soon: of the day, or because of the bill.
  ['OVER_DAILY_LIMIT', 403],
  ['OVER_QUERY_LIMIT', 429],
  ['UNKNOWN_ERROR', 500],
]);

/** An answer that is larger is no error, in bytes. */
const MAX_ERROR_BYTES = 64 * 1024;

function statusOf({ status, bytes }: WholeReply): number {
  if (status !== 200 || bytes.length > MAX_ERROR_BYTES) return status;
  try {
    const answer = JSON.parse(Buffer.from(bytes).toString()) as { readonly status?: unknown } | null;
    return STATUSES.get(String(answer?.status)) ?? status;
  } catch {
    // Whoever reads the answer reports that it is not JSON.
    return status;
  }
}

/** Requests one of the services, and gives the fields of a shape. */
export type Maps = <T>(service: string, query: JsonRequest['query'], shape: ZodType<T>) => Promise<T>;

/** Makes the requests to Google Maps. */
export function createMapsClient({ url = DEFAULT_URL, key, limits, clock }: MapsOptions): (ctx: ApiContext) => Maps {
  const api = createApi({
    service: SERVICE,
    url,
    token: {
      value: key,
      help: KEY_HELP,
      add: (token, request) => request.url.searchParams.set('key', token),
    },
    limits,
    clock,
    statusOf,
  });
  return (ctx) => async (service, query, shape) =>
    pick(SERVICE, shape, await api(ctx).json(`${service}/json`, { query }));
}
