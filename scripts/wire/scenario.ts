// A named part of the inputs: one conversation in each cell where it applies.
import type { Cell } from './exchange.ts';
import { MODERN } from './message.ts';
import type { ProfileName } from './profiles.ts';
import type { Conversation } from './conversation.ts';

export interface Scenario {
  readonly name: string;
  readonly profile?: ProfileName;
  /** The cells in which it is recorded. Default: all. */
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

/** Whether the server can send requests during a call, and notifications of changes. */
export function isTwoWay(cell: Cell): boolean {
  return cell.revision === MODERN || !cell.transport.endsWith('-stateless');
}
