import type { JsonObject, RequestId, Response } from '../../protocol/jsonrpc.ts';
import type { Logger } from '../../protocol/log.ts';
import type { Maybe } from '../../protocol/maybe.ts';
import { withoutUndefined } from '../../protocol/without-undefined.ts';
import type { Change, SharedChange } from '../../server/changes.ts';
import type { Bus } from '../../store/bus.ts';

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
  | { readonly kind: 'posted'; readonly session: string; readonly owner?: string | undefined; readonly text: string };

/** The nodes of one endpoint. */
export interface Cluster {
  /** The name of this node. */
  readonly node: string;
  send(node: string, message: NodeMessage): void;
  broadcast(message: NodeMessage): void;
  close(): void;
}

function topicOf(node: string): string {
  return `tenon/node/${node}`;
}
const ALL_NODES = 'tenon/nodes';

/** Joins the nodes that share a bus. Messages to all nodes and to this node are passed to `handle`. */
export function joinCluster(bus: Bus, log: Logger, handle: (message: NodeMessage) => void): Cluster {
  const node = crypto.randomUUID();
  const failed = (error: unknown): void =>
    log({ level: 'error', event: 'bus-failed', message: 'The bus between the nodes failed', details: error });
  const attempt = (act: () => Maybe<unknown>): void => {
    void (async () => act())().catch(failed);
  };
  const unsubscribes: (() => void)[] = [];
  // A bus carries JSON.
  const publish = (topic: string, message: NodeMessage): void =>
    attempt(() => bus.publish(topic, withoutUndefined({ ...message, from: node })));
  let closed = false;
  const subscribe = (topic: string): void =>
    attempt(async () => {
      const unsubscribe = await bus.subscribe(topic, (message) => {
        const { from, ...rest } = message as JsonObject & { readonly from: string };
        if (from !== node) handle(rest as unknown as NodeMessage);
      });
      if (closed) unsubscribe();
      else unsubscribes.push(unsubscribe);
    });
  subscribe(topicOf(node));
  subscribe(ALL_NODES);
  return {
    node,
    send: (to, message) => publish(topicOf(to), message),
    broadcast: (message) => publish(ALL_NODES, message),
    close() {
      closed = true;
      for (const unsubscribe of unsubscribes) unsubscribe();
    },
  };
}
