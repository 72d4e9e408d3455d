import { within } from '../../promises.ts';
import type { Cluster, HandedOver, PendingHandOver } from '../cluster.ts';
import type { Endpoint } from '../endpoint.ts';
import { type HttpSession, keepPendingChange, keepPendingMessage } from './http-session.ts';
import { sendPending } from './session-changes.ts';
import { readableRecord, recordOf } from './session-record.ts';

/** How long other nodes have to offer, and then to take over the sessions, in milliseconds. */
const OFFER_MS = 500;
const TAKE_OVER_MS = 2_000;
/** How many sessions one message contains. */
const SESSIONS_PER_MESSAGE = 50;

/**
 * Hands the sessions of a node that shuts down over to another node, which keeps from then on what their clients have to be sent. Any
 * node can serve them from the store; but without a node that keeps changes, those would be lost until the client listens again.
 */
export class HandOver implements PendingHandOver {
  readonly #endpoint: Pick<Endpoint, 'sessions'>;
  readonly #cluster: Cluster;
  /** The sessions that no node has taken over yet. */
  readonly #open = new Map<string, HttpSession>();
  #accept!: (node: string) => void;
  readonly #offered = new Promise<string>((resolve) => (this.#accept = resolve));
  #finish!: () => void;
  readonly #finished = new Promise<void>((resolve) => (this.#finish = resolve));

  constructor(endpoint: Pick<Endpoint, 'sessions'>, cluster: Cluster) {
    this.#endpoint = endpoint;
    this.#cluster = cluster;
  }

  /** Resolves when another node has the sessions, or none takes them in time. Never rejects. */
  async run(ms: number): Promise<void> {
    const { node, hasOthers } = this.#cluster;
    if (!hasOthers) return;
    for (const session of this.#endpoint.sessions.all())
      if (session.home === node && !session.listensElsewhere) this.#open.set(session.id, session);
    if (this.#open.size === 0) return;
    this.#cluster.broadcast({ kind: 'leaving', node });
    if (!(await within(Math.min(ms, OFFER_MS), this.#offered))) return;
    const to = await this.#offered;
    const sessions = [...this.#open.values()];
    for (let at = 0; at < sessions.length; at += SESSIONS_PER_MESSAGE) {
      const part = sessions.slice(at, at + SESSIONS_PER_MESSAGE);
      const handed = part.map(handedOver);
      if (await this.#cluster.send(to, { kind: 'hand-over', node, sessions: handed })) continue;
      for (const [index, session] of part.entries()) keepPending(session, handed[index]!);
    }
    await within(Math.min(ms, TAKE_OVER_MS), this.#finished);
  }

  offer(node: string): void {
    this.#accept(node);
  }

  takenOver(ids: readonly string[]): void {
    for (const id of ids) this.#open.delete(id);
    if (this.#open.size === 0) this.#finish();
  }
}

/** A session as it is handed over. This node keeps it until the other one has it, but no longer what its client has to be sent. */
function handedOver(session: HttpSession): HandedOver {
  const { id, pendingChanges, pendingMessages } = session;
  session.pendingChanges = session.pendingMessages = undefined;
  return {
    id,
    record: recordOf(session),
    changes: [...(pendingChanges?.values() ?? [])],
    messages: pendingMessages ?? [],
  };
}

/** Keeps what the client of a session has to be sent, after it was handed over to this node, or could not be handed over by it. */
function keepPending(session: HttpSession, { changes, messages }: Pick<HandedOver, 'changes' | 'messages'>): void {
  for (const change of changes) keepPendingChange(session, change);
  for (const message of messages) keepPendingMessage(session, message);
}

/** Takes over sessions of a node that shuts down. */
export function takeOver({ cluster, sessions }: Endpoint, handed: readonly HandedOver[]): void {
  if (cluster === undefined) return;
  const taken: string[] = [];
  for (const { id, record, changes, messages } of handed) {
    const session = readableRecord(record) && sessions.adopt(id, record);
    if (session === undefined) continue;
    taken.push(id);
    session.home = cluster.node;
    // Until its client sends a request here, nothing else is known about it.
    session.agreed.principal ??= session.owner === undefined ? undefined : { id: session.owner };
    keepPending(session, { changes, messages });
    sendPending(session);
  }
  cluster.broadcast({ kind: 'taken-over', node: cluster.node, sessions: taken });
}
