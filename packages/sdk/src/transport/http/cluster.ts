import type { JsonObject, RequestId, Response } from '../../protocol/jsonrpc.ts';
import { andThen, type Maybe } from '../../protocol/maybe.ts';
import { holdProcess } from '../../protocol/timers.ts';
import { withoutUndefined } from '../../protocol/without-undefined.ts';
import { FORMAT, type Formatted, isReadable } from '../../store/record-format.ts';
import type { Change, SharedChange } from '../../server/changes.ts';
import type { SessionRecord } from './legacy/session-record.ts';
import type { NodeBus, Subscribed } from './node-bus.ts';
import { MAX_NODES, ReceivedMessages, RecentMessages, type SentMessage } from './recent-messages.ts';

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

function topicOf(node: string): string {
  return `tenon/node/${node}`;
}
const ALL_NODES = 'tenon/nodes';

/** Which node sent a message and, if it may be sent again, its number among those of that node. */
interface Numbered {
  readonly from: string;
  readonly number?: number;
}

/** The delay before a message that the bus refused is sent again, in milliseconds. If the bus takes another message first, it is sent then. */
const RETRY_MS = 5_000;
/**
 * The kinds of messages that are sent again to nodes that may have missed them. `unsent` is not one of them: another node may have delivered it
 * already, and the client would get it twice. `missed` makes up for changes, and later messages for the other kinds.
 */
const REPEATED: ReadonlySet<NodeMessage['kind']> = new Set(['response', 'cancelled', 'posted', 'untold']);

/** When a message is kept to be sent again: whether or not the bus took it, only if the bus took it, or never. */
type Keeping = 'always' | 'if taken' | 'never';

/** How a node reacts to what it hears. */
export interface NodeListener {
  /** Handles a message of another node. */
  handle(message: NodeMessage): void;
  /** Messages arrive again after some may have been lost, on the way to this node or from another one. */
  missed?(): void;
}

/** The nodes of one endpoint, which share a bus. */
export class Cluster {
  /** The name of this node. */
  readonly node = crypto.randomUUID();
  readonly #bus: NodeBus;
  readonly #listener: NodeListener;
  readonly #others = new Set<string>();
  readonly #subscriptions: readonly Subscribed[];
  readonly #recent = new RecentMessages();
  readonly #received = new ReceivedMessages();
  #lastNumber = 0;
  /** Runs while the others do not have a message that the bus did not take. */
  #retry: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  /** Joins the nodes. */
  constructor(bus: NodeBus, listener: NodeListener) {
    this.#bus = bus;
    this.#listener = listener;
    const hear = (message: unknown): void => this.#hear(message);
    this.#subscriptions = [
      bus.subscribe(topicOf(this.node), hear, (hasMissed) => {
        if (hasMissed) this.#join();
      }),
      bus.subscribe(ALL_NODES, hear, (hasMissed) => {
        this.#join();
        if (hasMissed) this.#interrupted();
      }),
    ];
  }

  /** Have other nodes been heard of that have not left? */
  get hasOthers(): boolean {
    return this.#others.size > 0;
  }

  /** Sends a message to one node. Returns whether the bus took it. */
  send(node: string, message: NodeMessage): Maybe<boolean> {
    // A client can make up the name of a node.
    return this.#publish(topicOf(node), message, this.#others.has(node) ? 'if taken' : 'never');
  }

  /** Sends a message to all nodes. Returns whether the bus took it. */
  sendToAll(message: NodeMessage): Maybe<boolean> {
    return this.#publish(ALL_NODES, message, 'if taken');
  }

  /** Sends a message to all nodes, now or when the bus takes it. */
  broadcast(message: NodeMessage): void {
    void andThen(this.#publish(ALL_NODES, message, 'always'), (isTaken) => {
      if (isTaken && this.#retry !== undefined) this.#join();
      else this.#noteTaken(isTaken);
    });
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#retry);
    for (const subscription of this.#subscriptions) subscription.end();
  }

  #publish(topic: string, message: NodeMessage, keeping: Keeping): Maybe<boolean> {
    const number = REPEATED.has(message.kind) ? ++this.#lastNumber : undefined;
    // A bus carries JSON.
    const sent = withoutUndefined({ ...message, number, from: this.node, format: FORMAT });
    if (number === undefined || keeping === 'never') return this.#bus.publish(topic, sent);
    // Another node may need it before the bus says that it has taken it.
    const drop = this.#recent.keep({ topic, message: sent });
    return andThen(this.#bus.publish(topic, sent), (isTaken) => {
      if (!isTaken && keeping === 'if taken') drop();
      return isTaken;
    });
  }

  #hear(message: unknown): void {
    const { from, format, number, ...rest } = message as JsonObject & Numbered & Formatted;
    // The bus reports it.
    if (!isReadable(message))
      throw new Error(`A message of a node of another version was not read: its format is ${format}, not ${FORMAT}`);
    if (from === this.node || (number !== undefined && !this.#received.isNew(from, number))) return;
    this.#take(from, rest as unknown as NodeMessage);
  }

  #take(from: string, message: NodeMessage): void {
    if (message.kind === 'leaving') this.#others.delete(from);
    if (message.kind !== 'joined' && message.kind !== 'present') return this.#listener.handle(message);
    const isBack = message.kind === 'joined' && this.#others.has(from);
    if (this.#others.size < MAX_NODES) this.#others.add(from);
    if (message.kind === 'joined') void this.send(from, { kind: 'present', node: this.node });
    if (!isBack) return;
    this.#listener.missed?.();
    const topic = topicOf(from);
    this.#repeat(this.#recent.sentTo([topic, ALL_NODES]).map(({ message: sent }) => ({ topic, message: sent })));
  }

  /** Says that this node is there. Others then make up for what it, or they themselves, may have missed. */
  #join(): void {
    const isRetry = this.#retry !== undefined;
    clearTimeout(this.#retry);
    this.#retry = undefined;
    void andThen(this.sendToAll({ kind: 'joined', node: this.node }), (isTaken) => {
      this.#noteTaken(isTaken);
      if (isTaken && isRetry) this.#repeat(this.#recent.sentTo());
    });
  }

  #repeat(messages: readonly SentMessage[]): void {
    for (const { topic, message } of messages)
      void andThen(this.#bus.publish(topic, message), (isTaken) => this.#noteTaken(isTaken));
  }

  #noteTaken(isTaken: boolean): void {
    if (isTaken || this.#closed || this.#retry !== undefined) return;
    this.#retry = setTimeout(() => this.#join(), RETRY_MS);
    holdProcess(this.#retry, false);
  }

  /** Messages to this node, and those of this node, may have been lost. */
  #interrupted(): void {
    this.#listener.missed?.();
    this.#repeat(this.#recent.sentTo());
  }
}
