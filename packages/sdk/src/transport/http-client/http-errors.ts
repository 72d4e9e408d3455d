import { AuthError } from '../../protocol/auth-error.ts';
import { CODE, ConnectionError } from '../../protocol/errors.ts';
import { isObject } from '../../protocol/jsonrpc.ts';
import type { Limits } from '../../protocol/limits.ts';
import { reasonOf, shown } from '../../protocol/text.ts';
import { parseText } from '../../wire/parse-text.ts';

/** Does an error answer contain a JSON-RPC error that is more specific than the status? */
export function isRpcError(text: string, status: number, inSession: boolean, limits: Limits): boolean {
  const parsed = parseText(text, limits);
  if ('problem' in parsed || !isObject(parsed.value) || !isObject(parsed.value['error'])) return false;
  const { code } = parsed.value['error'];
  if (typeof code !== 'number') return false;
  // Only modern servers send these codes, with any status.
  if (code === CODE.headerMismatch || code === CODE.missingCapability || code === CODE.unsupportedVersion) return true;
  if (status === 401 || status === 403 || status >= 500) return false;
  return !(status === 404 && inSession);
}

/** The error for a session that the server has forgotten. */
export function sessionGoneError(): ConnectionError {
  return new ConnectionError('session-lost', 'The server does not know the session any more', {
    status: 404,
    processed: 'no',
  });
}

/** The error for a status. */
export function statusError(
  status: number,
  challenge: string | undefined,
  text: string | undefined,
  limits: Limits,
): ConnectionError {
  const reason = text === undefined ? '' : errorMessageIn(text, limits);
  if (status === 401 || (status === 403 && challenge !== undefined))
    return new ConnectionError('unauthorized', `The server wants authorization (status ${status})${reason}`, {
      status,
      challenge,
      processed: 'no',
    });
  return new ConnectionError('http-status', `The server answered with status ${status}${reason}`, {
    status,
    challenge,
    processed: status < 500 ? 'no' : 'unknown',
  });
}

/** The error for a request that could not be sent or whose connection broke. */
export function sendError(error: Error, delivered: boolean): ConnectionError {
  return error instanceof AuthError ? unauthorized(error) : unreachable(error, delivered);
}

function unauthorized(error: AuthError): ConnectionError {
  return new ConnectionError('unauthorized', `The server wants authorization, and there is none: ${error.message}`, {
    cause: error,
    status: 401,
    processed: 'no',
  });
}

function unreachable(error: Error, delivered: boolean): ConnectionError {
  return new ConnectionError('unreachable', `The server could not be reached: ${reasonOf(error)}`, {
    cause: error,
    processed: delivered ? 'unknown' : 'no',
  });
}

/** The message of the JSON-RPC error in an answer. */
function errorMessageIn(text: string, limits: Limits): string {
  const parsed = parseText(text, limits);
  const error = 'problem' in parsed || !isObject(parsed.value) ? undefined : parsed.value['error'];
  const message = isObject(error) ? error['message'] : undefined;
  return typeof message === 'string' && message !== '' ? `: ${shown(message)}` : '';
}
