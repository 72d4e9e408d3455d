import { AuthError } from '../../protocol/auth-error.ts';
import { CODE, ConnectionError } from '../../protocol/errors.ts';
import { isObject } from '../../protocol/jsonrpc.ts';
import type { Limits } from '../../protocol/limits.ts';
import { reasonOf, shown } from '../../protocol/text.ts';
import { parseText } from '../../wire/parse-text.ts';

/** Is the body of an error answer an error of JSON-RPC that says more than the status? */
export const saysMore = (text: string, status: number, inSession: boolean, limits: Limits): boolean => {
  const parsed = parseText(text, limits);
  if ('problem' in parsed || !isObject(parsed.value) || !isObject(parsed.value['error'])) return false;
  const { code } = parsed.value['error'];
  if (typeof code !== 'number') return false;
  // Only servers of the modern era have these, whatever the status.
  if (code === CODE.headerMismatch || code === CODE.missingCapability || code === CODE.unsupportedVersion) return true;
  if (status === 401 || status === 403 || status >= 500) return false;
  return !(status === 404 && inSession);
};

/** The error for a session that the server does not know any more. */
export const sessionGone = (): ConnectionError =>
  new ConnectionError('The server does not know the session any more', { status: 404, processed: 'no' });

/** The error for a status. */
export const refused = (
  status: number,
  challenge: string | undefined,
  text: string | undefined,
  limits: Limits,
): ConnectionError => {
  const said = text === undefined ? '' : saidBy(text, limits);
  const more = { status, ...(challenge === undefined ? {} : { challenge }) };
  if (status === 401 || (status === 403 && challenge !== undefined))
    return new ConnectionError(`The server wants authorization (status ${status})${said}`, {
      ...more,
      processed: 'no',
    });
  return new ConnectionError(`The server answered with status ${status}${said}`, {
    ...more,
    processed: status < 500 ? 'no' : 'unknown',
  });
};

/** The error for a connection that failed. */
export const broken = (error: Error, delivered: boolean): ConnectionError =>
  error instanceof AuthError ? unauthorized(error) : unreachable(error, delivered);

const unauthorized = (error: AuthError): ConnectionError =>
  new ConnectionError(`The server wants authorization, and there is none: ${error.message}`, {
    cause: error,
    status: 401,
    processed: 'no',
  });

const unreachable = (error: Error, delivered: boolean): ConnectionError =>
  new ConnectionError(`The server could not be reached: ${reasonOf(error)}`, {
    cause: error,
    processed: delivered ? 'unknown' : 'no',
  });

/** What an error answer says in words. */
const saidBy = (text: string, limits: Limits): string => {
  const parsed = parseText(text, limits);
  const error = 'problem' in parsed || !isObject(parsed.value) ? undefined : parsed.value['error'];
  const message = isObject(error) ? error['message'] : undefined;
  return typeof message === 'string' && message !== '' ? `: ${shown(message)}` : '';
};
