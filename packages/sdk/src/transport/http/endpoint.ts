import type { Principal } from '../../protocol/exchange.ts';
import type { Logger } from '../../protocol/log.ts';
import type { Change } from '../../server/changes.ts';
import type { Engine } from '../../server/engine.ts';
import type { Surroundings } from './event-stream.ts';
import type { Cluster } from './cluster.ts';
import type { EventStore } from './event-log.ts';
import type { Lookup } from './facts.ts';
import type { Headers, HttpReply, HttpRequest } from './message.ts';
import type { Mirrors } from './mirrors.ts';
import type { Scopes } from './scopes.ts';
import type { Sessions } from './sessions.ts';

/** One server at one address, in every era: what all its requests have in common. */
export interface Endpoint {
  readonly engine: Engine;
  readonly lookup: Lookup;
  readonly sessions: Sessions;
  readonly events: EventStore;
  readonly around: Surroundings;
  readonly cluster: Cluster | undefined;
  readonly mirrors: Mirrors;
  readonly scopes: Scopes;
  /** What peers do wrong. */
  readonly faults: Logger;
  /** Calls `listener` with changes of the server, wherever they happen. Returns the function that ends it. */
  onChange(listener: (change: Change) => void): () => void;
  /** How many calls run. */
  readonly load: { running: number };
  /** No new work is begun. */
  readonly draining: boolean;
}

/** A request whose sender is known, and where its answer goes. */
export interface Visit {
  readonly request: HttpRequest;
  readonly reply: HttpReply;
  readonly principal: Principal | undefined;
  /** Fields of every answer to it. */
  readonly headers: Headers | undefined;
}
