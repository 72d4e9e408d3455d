/** A listener of a topic. */
interface Listener {
  readonly take: (message: unknown) => void;
  /** Messages arrive again after some may have been lost. */
  readonly missed: (() => void) | undefined;
}

/** The listeners of this node, by topic. Messages are JSON. */
export class Listeners {
  readonly #topics = new Map<string, Set<Listener>>();

  /** Whether a topic has listeners. */
  has(topic: string): boolean {
    return this.#topics.has(topic);
  }

  /** The topics with listeners. */
  topics(): readonly string[] {
    return [...this.#topics.keys()];
  }

  /** Adds a listener. The same function may listen twice. Returns the function that removes it. */
  add(topic: string, take: (message: unknown) => void, missed?: () => void): () => void {
    const listeners = this.#topics.get(topic) ?? new Set();
    this.#topics.set(topic, listeners);
    const own = { take, missed };
    listeners.add(own);
    return () => {
      listeners.delete(own);
      if (listeners.size === 0 && this.#topics.get(topic) === listeners) this.#topics.delete(topic);
    };
  }

  /** Passes a message to the listeners of its topic, as a copy for each of them, in a later turn. */
  deliver(topic: string, json: string): void {
    const listeners = this.#topics.get(topic) ?? [];
    for (const listener of listeners) {
      const message = parsed(json);
      if (message === undefined) return;
      this.#call(topic, listener, ({ take }) => take(message));
    }
  }

  /** Tells the listeners of a topic that messages arrive again after some may have been lost. */
  reportMissed(topic: string): void {
    for (const listener of this.#topics.get(topic) ?? []) this.#call(topic, listener, ({ missed }) => missed?.());
  }

  /** In a later turn: an error that a listener throws does not concern the other ones, nor the connection. */
  #call(topic: string, listener: Listener, call: (listener: Listener) => void): void {
    queueMicrotask(() => {
      if (this.#topics.get(topic)?.has(listener)) call(listener);
    });
  }

  /** Removes all listeners. */
  clear(): void {
    this.#topics.clear();
  }
}

/** A message. Undefined: it is not JSON, so another program sent it. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
