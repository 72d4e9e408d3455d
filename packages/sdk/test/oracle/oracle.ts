// The wire oracle: observes both directions of one connection and reports the violations of the official schemas by each message. It shares
// no code with the packages it checks.

import { judge, newConnection, sessionRevision } from './connection.ts';
import type { Direction, Revision } from './schemas.ts';

export { checkMessage, type AnsweredRequest } from './check.ts';
export { revisions, type Direction, type Revision } from './schemas.ts';

export interface Oracle {
  /** Checks a message, a value or a line of JSON. Call it for both directions, in the order of sending. */
  observe(direction: Direction, message: unknown): void;
  /** The problems so far, each with its message; empty if there are none. */
  readonly problems: string[];
  /** The revision of the session once it is known: fixed, negotiated, offered, or claimed by requests. */
  readonly revision: Revision | undefined;
}

export interface OracleOptions {
  /** Check only the messages of this side, for a peer that is not ours or is wrong on purpose. Both sides are still observed. */
  readonly judge?: Direction;
}

/**
 * An oracle for one connection. With `'auto'` the revision comes from the messages: from the initialize result or from `_meta` of each
 * request, so a probe with `server/discover` is checked as 2026-07-28 and the handshake after it as the revision that it negotiates. If a
 * revision is given, a handshake that negotiates another one is a problem, too.
 *
 * @example
 * const oracle = createOracle('auto');
 * oracle.observe('client-to-server', line);
 * assert.deepEqual(oracle.problems, []);
 */
export function createOracle(revision: Revision | 'auto', options: OracleOptions = {}): Oracle {
  const connection = newConnection(revision === 'auto' ? undefined : revision);
  const problems: string[] = [];
  return {
    observe(direction, message) {
      const text = typeof message === 'string' ? message : written(message);
      const found = judge(connection, direction, parse(text));
      if (options.judge !== undefined && options.judge !== direction) return;
      for (const problem of found) problems.push(`${direction}: ${problem} in ${shortened(text)}`);
    },
    problems,
    get revision() {
      return sessionRevision(connection);
    },
  };
}

/** A value as a line, or undefined if JSON can't represent it. */
function written(message: unknown): string | undefined {
  try {
    return JSON.stringify(message);
  } catch {
    return undefined;
  }
}

/** The message as its receiver sees it: without values that JSON cannot carry. */
function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

function shortened(text: string | undefined): string {
  return text === undefined ? 'what is no JSON' : text.length <= 400 ? text : `${text.slice(0, 400)}…`;
}
