/** Something listeners may want to know: a list that is different now, or a resource whose content is. */
export type Change = { readonly list: ChangingList } | { readonly uri: string };

/** The lists that can change. */
export type ChangingList = 'tools' | 'resources' | 'prompts';

/** Hears of changes; called once per change, however often it was announced before anything else could run. */
export type ChangeListener = (change: Change) => void;

/** Where changes are announced and heard. */
export interface Changes {
  announce(change: Change): void;
  /** Returns the function that ends it. */
  subscribe(listener: ChangeListener): () => void;
}

/** Makes a hub. What is announced several times before anything else can run is told once. */
export const createChanges = (): Changes => {
  const listeners = new Set<ChangeListener>();
  const waiting = new Map<string, Change>();
  const tell = (): void => {
    const changes = [...waiting.values()];
    waiting.clear();
    for (const change of changes) for (const listener of listeners) listener(change);
  };
  return {
    announce(change) {
      if (listeners.size === 0) return;
      if (waiting.size === 0) queueMicrotask(tell);
      waiting.set('uri' in change ? `uri ${change.uri}` : `list ${change.list}`, change);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
};
