import type { Maybe } from '../protocol/maybe.ts';

/**
 * Passes messages between the nodes that serve one endpoint. Messages are JSON and arrive at most once; the messages of one node on one
 * topic arrive in order. A method that fails throws or rejects after a bounded time: the failure is logged, no call fails because of it, and
 * the server tries again to subscribe. A subscription lasts until it is ended: a bus that lost its connection has to renew it.
 */
export interface Bus {
  /** Sends a JSON value to all subscribers of a topic, also to those of the same node. */
  publish(topic: string, message: unknown): Maybe<void>;
  /**
   * Calls `listener` for every message of a topic, and `missed` when messages arrive again after some may have been lost, as when the
   * connection broke: clients are then notified that what they watch may have changed. Returns the function that unsubscribes.
   */
  subscribe(topic: string, listener: (message: unknown) => void, missed?: () => void): Maybe<() => void>;
}
