import { AuthError } from '../../protocol/auth-error.ts';
import { CODE, ConnectionError } from '../../protocol/errors.ts';
import { isObject } from '../../protocol/jsonrpc.ts';
import type { Limits } from '../../protocol/limits.ts';
import { reasonOf, shown } from '../../protocol/text.ts';
import { parseText } from '../../wire/parse-text.ts';
import type { AnswerHead } from './send.ts';

/** The maximum delay that is passed on, in milliseconds. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

/** How long an answer asks to wait before the request is sent again, in milliseconds. Undefined if it does not ask. */
export function retryAfterOf(answer: AnswerHead): number | undefined {
  const text = answer.status === 429 || answer.status === 503 ? answer.header('retry-after') : undefined;
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, MAX_RETRY_AFTER_MS);
  // A date is compared with the server's clock, if its `Date` header is known.
  const ms = text.endsWith('GMT')
    ? Date.parse(text) - Date.parse(answer.header('date') ?? new Date().toUTCString())
    : NaN;
  return ms >= 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}

/** Does an error answer contain a JSON-RPC error that is more specific than the status? */
export function isRpcError(text: string, answer: AnswerHead, inSession: boolean, limits: Limits): boolean {
  const { status } = answer;
  const parsed = parseText(text, limits);
  if ('problem' in parsed || !isObject(parsed.value) || !isObject(parsed.value['error'])) return false;
  const { code } = parsed.value['error'];
  if (typeof code !== 'number') return false;
  // Only modern servers send these codes, with any status.
  if (code === CODE.headerMismatch || code === CODE.missingCapability || code === CODE.unsupportedVersion) return true;
  if (status === 401 || status === 403 || status >= 500 || retryAfterOf(answer) !== undefined) return false;
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
export function statusError(answer: AnswerHead, text: string | undefined, limits: Limits): ConnectionError {
  const { status } = answer;
  const challenge = answer.header('www-authenticate');
  const reason = text === undefined ? '' : errorMessageIn(text, limits);
  if (status === 401 || (status === 403 && challenge !== undefined))
    return new ConnectionError('unauthorized', `The server requires authorization (status ${status})${reason}`, {
      status,
      challenge,
      processed: 'no',
    });
  return new ConnectionError('http-status', `The server answered with status ${status}${reason}`, {
    status,
    challenge,
    // A server of Tenon says in the data of its error that nothing was done.
    processed: status < 500 || text?.includes('"repeatable":true') ? 'no' : 'unknown',
    retryAfterMs: retryAfterOf(answer),
  });
}

/** The error for a request that could not be sent or whose connection broke. */
export function sendError(error: Error, delivered: boolean): ConnectionError {
  return error instanceof AuthError ? unauthorized(error) : unreachable(error, delivered);
}

function unauthorized(error: AuthError): ConnectionError {
  return new ConnectionError('unauthorized', `The server requires authorization: ${error.message}`, {
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
