/** How long messages are kept, in milliseconds. A node that has heard nothing for longer misses them. */
const KEPT_MS = 60_000;
/** How many messages are kept, and how many characters of them. The oldest are dropped first. */
const MAX_KEPT = 1_000;
const MAX_LENGTH = 4_000_000;
/** How many received numbers are remembered at least, unless they are older than messages are kept. */
const MAX_RECEIVED = 10_000;

/** A message that was sent. */
export interface SentMessage {
  readonly topic: string;
  readonly message: object;
}

/** What this node has sent lately and nothing else makes up for, so that it can be sent again to nodes that may have missed it. */
export class RecentMessages {
  readonly #kept = new Set<SentMessage & { readonly sentAt: number; readonly length: number }>();
  #length = 0;

  /** Keeps a message. The function that it returns drops it again. */
  keep(sent: SentMessage): () => void {
    const entry = { ...sent, sentAt: performance.now(), length: JSON.stringify(sent.message).length };
    this.#kept.add(entry);
    this.#length += entry.length;
    this.#dropOld();
    return () => void this.#drop(entry);
  }

  /** The messages that were sent to one of these topics; without topics, all of them. The oldest come first. */
  sentTo(topics?: readonly string[]): readonly SentMessage[] {
    this.#dropOld();
    return [...this.#kept].filter(({ topic }) => topics === undefined || topics.includes(topic));
  }

  #dropOld(): void {
    const oldest = performance.now() - KEPT_MS;
    for (const entry of this.#kept) {
      if (entry.sentAt >= oldest && this.#kept.size <= MAX_KEPT && this.#length <= MAX_LENGTH) return;
      this.#drop(entry);
    }
  }

  #drop(entry: SentMessage & { readonly sentAt: number; readonly length: number }): void {
    if (this.#kept.delete(entry)) this.#length -= entry.length;
  }
}

/** The numbers of messages that were received, as long as they may be sent again. */
export class ReceivedMessages {
  #numbers = new Set<string>();
  #earlier = new Set<string>();
  #begun = performance.now();

  /** Is this message of a node new, and not the repetition of one that was received? */
  isNew(node: string, number: number): boolean {
    if (performance.now() - this.#begun > KEPT_MS || this.#numbers.size >= MAX_RECEIVED) {
      this.#earlier = this.#numbers;
      this.#numbers = new Set();
      this.#begun = performance.now();
    }
    const key = `${number} ${node}`;
    if (this.#numbers.has(key) || this.#earlier.has(key)) return false;
    this.#numbers.add(key);
    return true;
  }
}
