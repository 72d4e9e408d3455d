// A named part of the inputs: one conversation in each cell where it makes sense.
import type { Cell } from './exchange.ts';
import { MODERN } from './message.ts';
import type { ProfileName } from './profiles.ts';
import type { Conversation } from './conversation.ts';

export interface Scenario {
  readonly name: string;
  readonly profile?: ProfileName;
  /** Where it is recorded. Default: in all cells. */
  readonly only?: (cell: Cell) => boolean;
  run(conversation: Conversation): Promise<void>;
}

export function isHttp({ transport }: Cell): boolean {
  return /^(?:http|fetch)/.test(transport);
}

/** Streamable HTTP with sessions. */
export function hasSessions({ transport, revision }: Cell): boolean {
  return (transport === 'http' || transport === 'fetch') && revision !== MODERN;
}

/** Can the server say something in the middle of a call and wait for an answer, or tell of changes? */
export function isTwoWay(cell: Cell): boolean {
  return cell.revision === MODERN || !cell.transport.endsWith('-stateless');
}
