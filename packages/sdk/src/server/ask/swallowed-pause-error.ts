import { CODE, ProtocolError } from '../../protocol/errors.ts';
import type { Logger } from '../../protocol/log.ts';
import type { ReplayAsker } from './asker.ts';

/**
 * The error for a handler that continued after a question: it caught the signal that should have stopped it, or did not await the question.
 */
export function swallowedPauseError(asker: ReplayAsker, log: Logger, details: unknown): ProtocolError {
  const names = [...asker.open.keys()].map((name) => `'${name}'`).join(', ');
  const message =
    `The handler continued after the question ${names} instead of stopping. Either it does not await the answer, ` +
    'or a catch block (or Promise.allSettled) around it caught the signal that stops the handler: rethrow errors that are not your own.';
  log({ level: 'error', event: 'pause-swallowed', message, details });
  return new ProtocolError(CODE.internalError, message);
}
