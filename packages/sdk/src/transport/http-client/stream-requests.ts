import type { Fields } from './http-sender.ts';

/** Header fields of a request for a stream. */
export const GET_FIELDS: Fields = { accept: 'text/event-stream' };

/** Does a status mean that repeating the request is useless? */
export function isPermanentRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}
