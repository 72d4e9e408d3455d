import { type ExitName } from '../failure/exit-codes.ts';
import { Failure } from '../failure/failure.ts';
import { isObject } from '@tenon/values/is-object';

/** The exit codes of errors of the host and the SDK, recognized by name. All other errors mean that the server is unreachable. */
const EXIT_OF: ReadonlyMap<string, ExitName> = new Map([
  ['ProtocolError', 'refused'],
  ['DeniedError', 'refused'],
  ['TimeoutError', 'timeout'],
  ['PeerError', 'protocol'],
]);

/** Whether the error is about a local file: only such errors have a system call and a path. */
function isOwnFile(error: unknown): boolean {
  return isObject(error) && 'syscall' in error && 'path' in error;
}

/** Turns the error of reading a resource or getting a prompt into a failure. `fix`: what to do if the server answered with an error. */
export function toServerFailure(what: string, error: unknown, fix?: string): unknown {
  if (error instanceof Failure || !(error instanceof Error) || isOwnFile(error)) return error;
  const { name, message, code, data } = error as Error & { readonly code?: unknown; readonly data?: unknown };
  const isAnswer = name === 'ProtocolError' && typeof code === 'number';
  return new Failure(EXIT_OF.get(name) ?? 'unreachable', 'not_provided', `${what}: ${message}`, {
    // A DeniedError comes from the user's own rules.
    blame: name === 'DeniedError' ? 'you' : 'server',
    rpc: isAnswer ? { code, message, data } : undefined,
    fix: isAnswer ? fix : undefined,
  });
}
