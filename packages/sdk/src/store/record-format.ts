import { CODE, ProtocolError } from '../protocol/errors.ts';
import { UnavailableError } from './unavailable.ts';

/**
 * The format of what nodes store for each other and tell each other: sessions with their events, tasks, results of `once`, messages. While a
 * new version is deployed, nodes of both versions share these. So a change that other nodes would misread takes two versions: the first one
 * also reads the new format, and only the next one writes it.
 */
export const FORMAT = 1;

/** Anything with a format. */
export interface Formatted {
  readonly format: number;
}

/** Can this node read something that was stored or sent? */
export function isReadable(value: unknown): boolean {
  return (Object(value) as Partial<Formatted>).format === FORMAT;
}

/** Was it written by a newer version, which other nodes may have? */
export function isNewer(value: unknown): boolean {
  return Number((Object(value) as Partial<Formatted>).format) > FORMAT;
}

/** The error for a request about something that a newer version has stored. `what` begins a sentence. */
export function newerFormatError(what: string): UnavailableError {
  return new UnavailableError(
    `${what} was stored by a newer version of this server. Nothing was done: the request may be repeated, and reach a node that can read it.`,
  );
}

/** Throws if something that was stored cannot be read. `what` begins a sentence. */
export function checkFormat(stored: unknown, what: string): void {
  if (isReadable(stored)) return;
  throw isNewer(stored)
    ? newerFormatError(what)
    : new ProtocolError(
        CODE.internalError,
        `${what} was stored by an older version of this server, and cannot be read any more`,
      );
}
