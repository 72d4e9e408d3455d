/** A list that changed, a resource whose content changed, or a task. */
export type Change =
  | {
      /** The list that changed. */
      readonly list: ChangingList;
    }
  | {
      /** The URI of the resource whose content changed. */
      readonly uri: string;
    }
  | {
      /** The id of the task whose state changed. */
      readonly task: string;
    };

/** A change that clients of all eras are notified of. */
export type SharedChange = Exclude<Change, { readonly task: string }>;

/** The lists that can change. */
export type ChangingList = 'tools' | 'resources' | 'prompts';

/** Called once per change, however many times it was announced within one turn. */
export type ChangeListener = (change: Change) => void;

/** Announces changes to listeners. */
export interface Changes {
  announce(change: Change): void;
  /** Returns the function that unsubscribes. */
  subscribe(listener: ChangeListener): () => void;
}

/** Makes a hub for changes. A change that is announced several times within one turn is delivered once. */
export function createChanges(): Changes {
  const listeners = new Set<ChangeListener>();
  const waiting = new Map<string, Change>();
  const deliver = (): void => {
    const changes = [...waiting.values()];
    waiting.clear();
    for (const change of changes) for (const listener of listeners) listener(change);
  };
  return {
    announce(change) {
      if (listeners.size === 0) return;
      if (waiting.size === 0) queueMicrotask(deliver);
      waiting.set(Object.entries(change).join(), change);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
