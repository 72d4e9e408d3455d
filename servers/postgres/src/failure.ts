// Errors of the database as messages for the model.
import { ToolError } from 'tenon';

/** The fields of an error that the server sent. */
interface ServerError extends Error {
  readonly severity: string;
  readonly code: string;
  readonly detail?: string;
  readonly hint?: string;
  readonly position?: string;
}

const MAX_MESSAGE_LENGTH = 2_000;

function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && 'severity' in error && 'code' in error;
}

/** Whether the connection was lost, or the server is restarting, so that a new connection may work. */
export function isLost(error: unknown): boolean {
  if (!isServerError(error)) return !(error instanceof ToolError);
  return /^(?:57P0[1-3]|08(?!P))/.test(error.code);
}

/** The error for the model. Messages never have one of the `secrets`. */
export function explainFailure(error: unknown, secrets: readonly string[]): Error {
  if (error instanceof ToolError) return error;
  if (!(error instanceof Error)) return new Error(String(error));
  if (error.name === 'AbortError') return error;
  let message = isServerError(error) ? serverMessage(error) : connectionMessage(error);
  for (const secret of secrets) message = message.replaceAll(secret, '***');
  return new ToolError(message.slice(0, MAX_MESSAGE_LENGTH));
}

function serverMessage({ severity, code, message, detail, hint, position }: ServerError): string {
  if (/^(?:57P0[1-3]|08(?!P)|28|3D|53)/.test(code)) return `The database cannot be used: ${message} (${code})`;
  return [
    `${severity}: ${message} (${code})${position === undefined ? '' : `, at character ${position}`}`,
    ...(detail === undefined ? [] : [`DETAIL: ${detail}`]),
    ...(hint === undefined ? [] : [`HINT: ${hint}`]),
    ...(code === '25006' ? ['This server only reads.'] : []),
  ].join('\n');
}

function connectionMessage(error: Error): string {
  // A name with several addresses: one error for each of them.
  const { message } = error instanceof AggregateError ? (error.errors as Error[])[0]! : error;
  return `The database cannot be reached: ${message}`;
}
