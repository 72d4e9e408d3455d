import type { Fields } from './fly.ts';

/** Fields of a request for a stream. */
export const GET_FIELDS: Fields = { accept: 'text/event-stream' };
/** The longest wait a server can ask for, in milliseconds. */
export const MOST_WAIT_MS = 5 * 60_000;

/** A status with which a server says that it does not do this, and will not. */
export const isRefusal = (status: number): boolean => status >= 400 && status < 500 && status !== 408 && status !== 429;
