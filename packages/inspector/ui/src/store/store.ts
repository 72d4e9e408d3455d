import { useRef, useSyncExternalStore } from 'react';

/** A value that changes, and its subscribers. */
export interface Store<T> {
  get(): T;
  set(next: T | ((before: T) => T)): void;
  subscribe(changed: () => void): () => void;
}

export function createStore<T>(first: T): Store<T> {
  let value = first;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      const after = typeof next === 'function' ? (next as (before: T) => T)(value) : next;
      if (Object.is(after, value)) return;
      value = after;
      for (const listener of listeners) listener();
    },
    subscribe(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
  };
}

/** A part of a store. The component renders again only when the part changes. */
export function useStore<T, Part>(store: Store<T>, part: (value: T) => Part): Part {
  const kept = useRef<{ value: T; part: Part; read: (value: T) => Part }>(undefined);
  const read = (): Part => {
    const value = store.get();
    if (kept.current === undefined || kept.current.value !== value || kept.current.read !== part)
      kept.current = { value, part: part(value), read: part };
    return kept.current.part;
  };
  return useSyncExternalStore(store.subscribe, read);
}
