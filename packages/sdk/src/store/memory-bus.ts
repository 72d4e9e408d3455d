import type { Bus } from './bus.ts';

/**
 * A bus within this process. Messages arrive in a later turn and as copies, as they would from another process.
 *
 * @example
 * ```ts
 * import { server } from 'tenon';
 * import { memoryBus, memoryStore, serveFetch } from 'tenon/http';
 *
 * // Two nodes in one process, to test a setup that will have a bus and a store of its own.
 * const app = server({ name: 'notes', version: '1.0.0' });
 * const shared = { bus: memoryBus(), store: memoryStore(), keys: ['a secret of 32 characters or more'] };
 * const nodes = [serveFetch(app, shared), serveFetch(app, shared)];
 * ```
 */
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
