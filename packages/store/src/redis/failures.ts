import { causeOf } from '../network/driver.ts';
import { fullError, StoreError } from '../store-error.ts';
import type { RedisAddress } from './address.ts';

/** What Redis answers to a command that it did not run, and that it or another node will run: it loads its data, or another node takes over. */
const LATER = /^(?:LOADING|READONLY|MASTERDOWN|BUSY|NOREPLICAS|MOVED|ASK|TRYAGAIN|CLUSTERDOWN) /;
const NO_LOGIN = /^(?:WRONGPASS|NOAUTH) |^ERR (?:Client sent AUTH|invalid password|AUTH <password> called)/;

/** Is this an answer of Redis, and not a lost connection? */
export function isReply(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError';
}

/** Did Redis not run the command, so that it is worth trying again? */
export function isTemporary(error: unknown): boolean {
  return isReply(error) && LATER.test(error.message);
}

/** The node of a cluster that has the keys of a command, if Redis answered with it. */
export function movedTo(error: unknown): { readonly host: string; readonly port: number } | undefined {
  const [, host, port] = /^MOVED \d+ (.+):(\d+)$/.exec(isReply(error) ? error.message : '') ?? [];
  return host === undefined ? undefined : { host, port: Number(port) };
}

/** Translates an answer of Redis. Other errors are returned unchanged. */
export function explained(error: unknown, { place, prefix }: RedisAddress): unknown {
  if (!isReply(error)) return error;
  const { message } = error;
  const options = { cause: causeOf(error) };
  if (message.startsWith('OOM '))
    return fullError(`${place} has no memory left. Raise maxmemory; nothing that was stored is lost.`, options);
  if (NO_LOGIN.test(message))
    return new StoreError('failed', `${place} refused the user or password in the address: ${message}`, options);
  if (message.startsWith('NOPERM '))
    return new StoreError('failed', `${place} does not permit its user what a store needs: ${message}`, options);
  if (message.startsWith('WRONGTYPE '))
    return new StoreError(
      'not-a-store',
      `The keys of ${place} that begin with {${prefix}} belong to another program. Choose another ?prefix= in the address`,
      options,
    );
  return new StoreError('failed', `${place} refused a command: ${message}`, options);
}
