/** How long messages are kept, in milliseconds. A node that has heard nothing for longer misses them. */
const KEPT_MS = 60_000;
/** How many messages are kept, and how many characters of them. The oldest are dropped first. */
const MAX_KEPT = 1_000;
const MAX_LENGTH = 4_000_000;
/** How many of them may be of one session, and of one kind: a client must not displace those of others. A longer message is not kept. */
const MAX_OF_SESSION = 50;
const MAX_OF_KIND = MAX_KEPT / 4;
const MAX_MESSAGE_LENGTH = MAX_LENGTH / 16;
/** How many received numbers of a node are remembered: more than it keeps messages. */
const MAX_RECEIVED = 10_000;
/** How many other nodes are remembered. */
export const MAX_NODES = 1_000;

/** A message that was sent. */
export interface SentMessage {
  readonly topic: string;
  readonly message: { readonly kind: string; readonly session?: string };
}

interface Kept extends SentMessage {
  readonly sentAt: number;
  readonly length: number;
}

/** What this node has sent lately and nothing else makes up for, so that it can be sent again to nodes that may have missed it. */
export class RecentMessages {
  readonly #kept = new Set<Kept>();
  #length = 0;

  /** Keeps a message, unless it is long. The function that it returns drops it again. */
  keep({ topic, message }: SentMessage): () => void {
    const { length } = JSON.stringify(message);
    if (length > MAX_MESSAGE_LENGTH) return () => {};
    const entry = { topic, message, sentAt: performance.now(), length };
    this.#dropOldest(MAX_OF_SESSION, (kept) => kept.message.session === message.session);
    this.#dropOldest(MAX_OF_KIND, (kept) => kept.message.kind === message.kind);
    this.#kept.add(entry);
    this.#length += length;
    this.#dropOld();
    return () => void this.#drop(entry);
  }

  /** The messages that were sent to one of these topics; without topics, all of them. The oldest come first. */
  sentTo(topics?: readonly string[]): readonly SentMessage[] {
    this.#dropOld();
    return [...this.#kept].filter(({ topic }) => topics === undefined || topics.includes(topic));
  }

  /** Drops the oldest of those that match if there are so many. */
  #dropOldest(most: number, matches: (kept: Kept) => boolean): void {
    const found = [...this.#kept].filter(matches);
    if (found.length >= most) this.#drop(found[0]!);
  }

  #dropOld(): void {
    const oldest = performance.now() - KEPT_MS;
    for (const entry of this.#kept) {
      if (entry.sentAt >= oldest && this.#kept.size <= MAX_KEPT && this.#length <= MAX_LENGTH) return;
      this.#drop(entry);
    }
  }

  #drop(entry: Kept): void {
    if (this.#kept.delete(entry)) this.#length -= entry.length;
  }
}

/** The numbers of messages that were received, by the node that sent them. Each node counts its own. */
export class ReceivedMessages {
  readonly #nodes = new Map<string, { highest: number; numbers: Set<number> }>();

  /** Is this message of a node new, and not the repetition of one that was received? */
  isNew(node: string, number: number): boolean {
    const received = this.#of(node);
    if (received.numbers.has(number) || number <= received.highest - MAX_RECEIVED) return false;
    received.numbers.add(number);
    received.highest = Math.max(received.highest, number);
    // The oldest are removed in large parts, because each removal looks at all of them.
    if (received.numbers.size > 2 * MAX_RECEIVED)
      received.numbers = new Set([...received.numbers].filter((each) => each > received.highest - MAX_RECEIVED));
    return true;
  }

  #of(node: string): { highest: number; numbers: Set<number> } {
    const known = this.#nodes.get(node);
    if (known !== undefined) return known;
    if (this.#nodes.size >= MAX_NODES) this.#nodes.delete(this.#nodes.keys().next().value!);
    const made = { highest: 0, numbers: new Set<number>() };
    this.#nodes.set(node, made);
    return made;
  }
}
