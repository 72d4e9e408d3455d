import { ConnectionError, TimeoutError } from 'tenon/client';

const MAX_CAUSES = 10;

function* chainOf(error: unknown): Generator<unknown> {
  for (let each = error, depth = 0; each instanceof Error && depth < MAX_CAUSES; each = each.cause, depth++) yield each;
}

/** The connection error that a failure is, or was caused by. */
export function connectionErrorOf(error: unknown): ConnectionError | undefined {
  for (const each of chainOf(error)) if (each instanceof ConnectionError) return each;
  return undefined;
}

/** HTTP statuses with which a server, or a proxy in front of it, says that it is unavailable for now. */
function isPassingStatus(status: number): boolean {
  return status >= 500 || status === 408 || status === 429;
}

/** Whether a request, or the connection, could not reach its server, which may be reached later. */
export function isUnreachable(error: unknown): boolean {
  const { code, status } = connectionErrorOf(error) ?? {};
  return status === undefined ? code === 'unreachable' || code === 'disconnected' : isPassingStatus(status);
}

/** How a process ended, or undefined if that is not what failed. */
function exitOf(error: unknown): string | undefined {
  for (const each of chainOf(error)) {
    const { name, exitCode, signal } = each as Error & { readonly exitCode?: unknown; readonly signal?: unknown };
    if (name !== 'ProcessExitError') continue;
    if (typeof signal === 'string') return `its process was ended by ${signal}`;
    return typeof exitCode === 'number' ? `its process exited with code ${exitCode}` : 'its process closed its stdout';
  }
  return undefined;
}

/**
 * Why a server ended or did not start, for the model and the audit log. In contrast to the message of the error, which the operator gets,
 * it contains nothing that the server wrote to stderr, no address and no path.
 */
export function plainFailure(error: unknown): string {
  const exit = exitOf(error);
  if (exit !== undefined) return exit;
  if (isUnreachable(error)) return 'it cannot be reached for now';
  const connection = connectionErrorOf(error);
  if (connection?.status !== undefined) return `it answered with status ${connection.status}`;
  if (connection !== undefined) return 'its connection ended';
  for (const each of chainOf(error)) if (each instanceof TimeoutError) return 'it did not answer in time';
  return 'it failed';
}
