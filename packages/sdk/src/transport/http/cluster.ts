import type { JsonObject, RequestId, Response } from '../../protocol/jsonrpc.ts';
import { andThen, type Maybe } from '../../protocol/maybe.ts';
import { withoutUndefined } from '../../protocol/without-undefined.ts';
import { FORMAT, type Formatted, isReadable } from '../../store/record-format.ts';
import type { Change, SharedChange } from '../../server/changes.ts';
import type { SessionRecord } from './legacy/session-record.ts';
import type { NodeBus } from './node-bus.ts';

/** A session of a node that shuts down, for the node that takes it over. */
export interface HandedOver {
  readonly id: string;
  readonly record: SessionRecord;
  /** What its client has not been sent yet. */
  readonly changes: readonly SharedChange[];
  readonly messages: readonly string[];
}

/** The sessions that a node hands over while it shuts down. */
export interface PendingHandOver {
  /** Another node offers to take over the sessions. The first one gets them. */
  offer(node: string): void;
  /** Another node has taken over these sessions. */
  takenOver(ids: readonly string[]): void;
}

/** The messages between nodes. */
export type NodeMessage =
  /** The client answered a request of a call that runs on another node. */
  | { readonly kind: 'response'; readonly session: string; readonly response: Response }
  /** The client cancelled a call, wherever it runs. */
  | { readonly kind: 'cancelled'; readonly session: string; readonly id: RequestId; readonly reason: unknown }
  /** The state of a session changed, or the session ended. */
  | { readonly kind: 'session'; readonly session: string; readonly ended: boolean }
  /** A session opened its stream for notifications on another node, or closed it. */
  | { readonly kind: 'listening'; readonly session: string; readonly node: string; readonly on: boolean }
  /** Changes of which the client has not been notified yet. */
  | { readonly kind: 'untold'; readonly session: string; readonly changes: readonly SharedChange[] }
  /** Messages outside calls for a client whose stream is on another node. */
  | { readonly kind: 'unsent'; readonly session: string; readonly messages: readonly string[] }
  /** Something changed in a server. */
  | { readonly kind: 'change'; readonly server: string; readonly change: Change }
  /** A message for a client of HTTP+SSE whose stream is on this node. */
  | { readonly kind: 'posted'; readonly session: string; readonly owner?: string | undefined; readonly text: string }
  /**
   * A node has joined, or is there again after messages to it or from it may have been lost. The others say that they are there.
   */
  | { readonly kind: 'joined' | 'present'; readonly node: string }
  /** A node shuts down. Those that do not shut down themselves offer to take over its sessions. */
  | { readonly kind: 'leaving'; readonly node: string }
  | { readonly kind: 'offer'; readonly node: string }
  /** Sessions of a node that shuts down, for the node whose offer it accepted. */
  | { readonly kind: 'hand-over'; readonly node: string; readonly sessions: readonly HandedOver[] }
  /** A node has taken over sessions. */
  | { readonly kind: 'taken-over'; readonly node: string; readonly sessions: readonly string[] };

/** The nodes of one endpoint. */
export interface Cluster {
  /** The name of this node. */
  readonly node: string;
  /** Have other nodes been heard of that have not left? */
  readonly hasOthers: boolean;
  /** Sends a message to one node. Returns whether the bus took it. */
  send(node: string, message: NodeMessage): Maybe<boolean>;
  /** Sends a message to all nodes. Returns whether the bus took it. */
  sendToAll(message: NodeMessage): Maybe<boolean>;
  /** Sends a message to all nodes, without reporting whether the bus took it. */
  broadcast(message: NodeMessage): void;
  close(): void;
}

function topicOf(node: string): string {
  return `tenon/node/${node}`;
}
const ALL_NODES = 'tenon/nodes';

/** How many other nodes are remembered. */
const MAX_NODES = 1_000;

/**
 * Joins the nodes that share a bus. Messages to all nodes and to this node are passed to `handle`. `missed` is called when they arrive again
 * after some may have been lost, on the way to this node or from another one.
 */
export function joinCluster(bus: NodeBus, handle: (message: NodeMessage) => void, missed?: () => void): Cluster {
  const node = crypto.randomUUID();
  const others = new Set<string>();
  /** The bus did not take a message to all nodes. They are told with the next one that it takes. */
  let hasUnsent = false;
  // A bus carries JSON.
  const publish = (topic: string, message: NodeMessage): Maybe<boolean> =>
    bus.publish(topic, withoutUndefined({ ...message, from: node, format: FORMAT }));
  const join = (): void => {
    hasUnsent = false;
    void andThen(publish(ALL_NODES, { kind: 'joined', node }), (isSent) => (hasUnsent ||= !isSent));
  };
  const broadcast = (message: NodeMessage): void =>
    void andThen(publish(ALL_NODES, message), (isSent) => {
      if (!isSent) hasUnsent = true;
      else if (hasUnsent) join();
    });
  const take = (from: string, message: NodeMessage): void => {
    if (message.kind === 'leaving') others.delete(from);
    if (message.kind !== 'joined' && message.kind !== 'present') return handle(message);
    if (message.kind === 'joined' && others.has(from)) missed?.();
    if (others.size < MAX_NODES) others.add(from);
    if (message.kind === 'joined') void publish(topicOf(from), { kind: 'present', node });
  };
  const hear = (message: unknown): void => {
    const { from, format, ...rest } = message as JsonObject & Formatted & { readonly from: string };
    // The bus reports it.
    if (!isReadable(message))
      throw new Error(`A message of a node of another version was not read: its format is ${format}, not ${FORMAT}`);
    if (from !== node) take(from, rest as unknown as NodeMessage);
  };
  const subscriptions = [
    bus.subscribe(topicOf(node), hear),
    bus.subscribe(ALL_NODES, hear, (hasMissed) => {
      join();
      if (hasMissed) missed?.();
    }),
  ];
  return {
    node,
    get hasOthers() {
      return others.size > 0;
    },
    send: (to, message) => publish(topicOf(to), message),
    sendToAll: (message) => publish(ALL_NODES, message),
    broadcast,
    close() {
      for (const subscription of subscriptions) subscription.end();
    },
  };
}
