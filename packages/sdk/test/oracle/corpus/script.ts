// A conversation under construction: each request with its response and the messages in between.

import type { Direction, Revision } from '../schemas.ts';

export type Json = { [name: string]: unknown };
export type Answer = Json | ((id: number) => Json);

export interface Sent {
  readonly direction: Direction;
  readonly message: Json | Json[];
}

export interface Script {
  readonly revision: Revision;
  readonly sent: Sent[];
  /** A request and its answer: a result, or `{ error }`. */
  ask(asking: Direction, method: string, params: Json | undefined, answer: Answer, during?: (id: number) => void): void;
  tell(direction: Direction, method: string, params?: Json): void;
}

export const toServer: Direction = 'client-to-server';
export const toClient: Direction = 'server-to-client';

export function newScript(revision: Revision): Script {
  const sent: Sent[] = [];
  let lastId = 0;
  const other = (direction: Direction): Direction => (direction === toServer ? toClient : toServer);
  return {
    revision,
    sent,
    ask(asking, method, params, answer, during) {
      const id = ++lastId;
      sent.push({ direction: asking, message: { jsonrpc: '2.0', id, method, ...(params && { params }) } });
      during?.(id);
      const given = typeof answer === 'function' ? answer(id) : answer;
      // A task that failed has an error, too.
      const failed = Object.hasOwn(given, 'error') && !Object.hasOwn(given, 'taskId');
      sent.push({ direction: other(asking), message: { jsonrpc: '2.0', id, ...(failed ? given : { result: given }) } });
    },
    tell(direction, method, params) {
      sent.push({ direction, message: { jsonrpc: '2.0', method, ...(params && { params }) } });
    },
  };
}
