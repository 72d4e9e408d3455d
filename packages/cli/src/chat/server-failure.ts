import { type ExitName } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { isObject } from '@tenon/values/is-object';

/** Errors of the host and the SDK are told apart by name. What is not here means that the server is not there. */
const EXIT_OF: ReadonlyMap<string, ExitName> = new Map([
  ['ProtocolError', 'refused'],
  ['RefusedError', 'refused'],
  ['TimeoutError', 'timeout'],
  ['PeerError', 'protocol'],
]);

/** A file of ours that cannot be written has a system call and a path. */
const isOwnFile = (error: unknown): boolean => isObject(error) && 'syscall' in error && 'path' in error;

/** A resource or prompt that a server did not give, as a failure. `fix`: what to do where the server says that it has none. */
export const notGiven = (what: string, error: unknown, fix?: string): unknown => {
  if (error instanceof Failure || !(error instanceof Error) || isOwnFile(error)) return error;
  const { name, message, code, data } = error as Error & { readonly code?: unknown; readonly data?: unknown };
  const isAnswer = name === 'ProtocolError' && typeof code === 'number';
  return new Failure(EXIT_OF.get(name) ?? 'unreachable', 'not_given', `${what}: ${message}`, {
    // What is refused was not allowed by a rule of the person.
    blame: name === 'RefusedError' ? 'you' : 'server',
    ...(isAnswer ? { rpc: { code, message, ...(data === undefined ? {} : { data }) } } : {}),
    ...(fix === undefined || !isAnswer ? {} : { fix }),
  });
};
