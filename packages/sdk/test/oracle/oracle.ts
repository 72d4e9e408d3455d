// The wire oracle: watches both directions of one connection and says what the official schemas of its revision have
// against each message. It shares no code with the packages it judges.

import { judge, newConnection, sessionRevision } from './connection.ts';
import type { Direction, Revision } from './schemas.ts';

export { checkMessage, type AnsweredRequest } from './check.ts';
export { revisions, type Direction, type Revision } from './schemas.ts';

export interface Oracle {
  /** Judges a message, a value or a line of JSON. Call it for both directions, in the order of sending. */
  observe(direction: Direction, message: unknown): void;
  /** What was wrong so far, each with the message; empty when nothing was. */
  readonly problems: string[];
  /** The revision of the session once it is known: fixed, negotiated, offered, or claimed by requests. */
  readonly revision: Revision | undefined;
}

export interface OracleOptions {
  /** Judge only what this side sends, for a peer that is not ours or is wrong on purpose. Both are still watched. */
  readonly judge?: Direction;
}

/**
 * An oracle for one connection. With `'auto'` the revision comes from the messages: from the initialize result or from
 * `_meta` of each request, so a probe with `server/discover` is judged as 2026-07-28 and the handshake after it as what it
 * negotiates. With a revision named, a handshake that negotiates another one is a problem too.
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

/** The line a value becomes, or undefined where JSON can't carry it. */
function written(message: unknown): string | undefined {
  try {
    return JSON.stringify(message);
  } catch {
    return undefined;
  }
}

/** The message as its receiver sees it: a value has lost what JSON does not carry. */
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
