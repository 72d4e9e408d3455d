import { fullError, StoreError } from '../store-error.ts';

/** Errors of Node for a server that cannot be reached, or whose connection broke. Others, such as those of TLS, do not go away by themselves. */
const LOST_CODES: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN'],
]);
/** Messages of the driver, which have no code. */
const LOST_MESSAGE = /^(?:Connection terminated|timeout exceeded when trying to connect|timeout expired)/;
const NOT_SENT_MESSAGE = /is not queryable$/;

/** Codes of PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html), as patterns. */
const STATES = {
  /** The server ends this connection, or does not accept it at the moment. */
  lost: /^(?:57P0[1-5]|08|53300)/,
  /** The transaction was rolled back because of another one. */
  conflict: /^40/,
  busy: /^(?:55P03|57014)/,
  readOnly: /^(?:25006|42501)/,
  gone: /^(?:42P01|42883|3F000)/,
  damaged: /^XX00[12]/,
  full: /^53100/,
  tooBig: /^54/,
} as const;

/**
 * What a failed statement means for the next attempt. `lost`: the connection broke, so the statement may have run. `not-run`: it has certainly
 * not changed anything, and may work in a moment, on another connection.
 */
export type Failure = 'lost' | 'not-run' | 'final';

/** A statement that took too long, so that its connection was cut. */
export class StatementTimeout extends Error {}

/** The code of an error that the server sent. */
function stateOf(error: unknown): string | undefined {
  return error instanceof Error && 'severity' in error && 'code' in error ? String(error.code) : undefined;
}

/** Sorts errors by what the next attempt can do. */
export function failureOf(error: unknown): Failure {
  const state = stateOf(error);
  // After a failover, a new connection may reach the server that accepts writes.
  if (state !== undefined)
    return STATES.lost.test(state) ? 'lost' : STATES.conflict.test(state) || state === '25006' ? 'not-run' : 'final';
  if (error instanceof StatementTimeout) return 'lost';
  // A name with several addresses: one error for each of them.
  const first = error instanceof AggregateError ? (error.errors as unknown[])[0] : error;
  if (!(first instanceof Error)) return 'final';
  if (NOT_SENT_MESSAGE.test(first.message)) return 'not-run';
  const { code = '' } = first as NodeJS.ErrnoException;
  return LOST_CODES.has(code) || LOST_MESSAGE.test(first.message) ? 'lost' : 'final';
}

/** The error for a database that could not be reached for a while. */
export function unavailable(name: string, ms: number, cause: unknown): StoreError {
  const why = cause === undefined ? '' : `: ${messageOf(cause)}`;
  const message = `${name} could not be reached for ${Math.round(ms)} ms${why}. Later operations try again.`;
  return new StoreError('unavailable', message, { cause });
}

/** The error for a statement that may have run. */
export function uncertain(name: string, what: string, cause: unknown): StoreError {
  const message =
    `The connection to ${name} broke while '${what}' ran (${messageOf(cause)}). It may or may not have happened, so it was not ` +
    'repeated. Later operations connect again.';
  return new StoreError('unavailable', message, { cause });
}

/** Translates an error of the database. Other errors are returned unchanged. */
export function explained(error: unknown, name: string): unknown {
  if (error instanceof StoreError || error instanceof RangeError || error instanceof TypeError) return error;
  const state = stateOf(error) ?? '';
  const cause = { cause: error };
  const said = messageOf(error);
  if (STATES.full.test(state))
    return fullError(`The disk of ${name} is full. Make room on it; nothing that was stored is lost.`, cause);
  if (STATES.tooBig.test(state)) return new RangeError(`The value is larger than ${name} can store: ${said}`, cause);
  if (STATES.busy.test(state))
    return new StoreError('busy', `${name} is busy: ${said}. Nothing was changed; try again later.`, cause);
  if (STATES.readOnly.test(state))
    return new StoreError(
      'read-only',
      `${name} cannot be written to: ${said}. The store needs a server that accepts writes, and a role with all rights on its schema.`,
      cause,
    );
  if (STATES.gone.test(state))
    return new StoreError('gone', `The tables of the store in ${name} were removed while it was open: ${said}`, cause);
  if (STATES.damaged.test(state)) return new StoreError('damaged', `${name} is damaged: ${said}`, cause);
  return new StoreError('failed', `${name} cannot be used: ${said}`, cause);
}

function messageOf(error: unknown): string {
  const first = error instanceof AggregateError ? (error.errors as unknown[])[0] : error;
  return first instanceof Error ? first.message : String(first);
}
