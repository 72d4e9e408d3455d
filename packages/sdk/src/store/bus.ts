import type { Maybe } from '../protocol/maybe.ts';

/**
 * How the nodes that serve one endpoint tell each other things. Messages are JSON and arrive at most once;
 * those that one node publishes to one topic arrive in order.
 */
export interface Bus {
  publish(topic: string, message: unknown): Maybe<void>;
  /** Returns the function that ends it. */
  subscribe(topic: string, listener: (message: unknown) => void): Maybe<() => void>;
}
