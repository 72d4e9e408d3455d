/** The listeners of this node, by topic. Messages are JSON. */
export class Listeners {
  readonly #topics = new Map<string, Set<(message: unknown) => void>>();

  /** Whether a topic has listeners. */
  has(topic: string): boolean {
    return this.#topics.has(topic);
  }

  /** The topics with listeners. */
  topics(): readonly string[] {
    return [...this.#topics.keys()];
  }

  /** Adds a listener. The same function may listen twice. Returns the function that removes it. */
  add(topic: string, listener: (message: unknown) => void): () => void {
    const listeners = this.#topics.get(topic) ?? new Set();
    this.#topics.set(topic, listeners);
    const own = (message: unknown): void => listener(message);
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
      // An error that a listener throws does not concern the other ones, nor the connection.
      queueMicrotask(() => {
        if (this.#topics.get(topic)?.has(listener)) listener(message);
      });
    }
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
