import type { Bus } from './bus.ts';

/** A bus within this process. Messages arrive in a later turn and as copies, as they would from another process. */
export function memoryBus(): Bus {
  const topics = new Map<string, Set<(message: unknown) => void>>();
  return {
    publish(topic, message) {
      const listeners = topics.get(topic);
      if (listeners === undefined) return;
      const json = JSON.stringify(message) ?? 'null';
      for (const listener of listeners) {
        queueMicrotask(() => {
          if (listeners.has(listener)) listener(JSON.parse(json));
        });
      }
    },
    subscribe(topic, listener) {
      const listeners = topics.get(topic) ?? new Set();
      topics.set(topic, listeners);
      // The same function may subscribe twice.
      const own = (message: unknown): void => listener(message);
      listeners.add(own);
      return () => {
        listeners.delete(own);
        if (listeners.size === 0 && topics.get(topic) === listeners) topics.delete(topic);
      };
    },
  };
}
