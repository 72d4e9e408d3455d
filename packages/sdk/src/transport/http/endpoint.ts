import type { Logger } from '../../protocol/log.ts';
import type { Engine } from '../../server/engine.ts';
import type { CallScope } from '../serving/serve-call.ts';
import type { Subscriptions } from '../serving/subscriptions.ts';
import type { HttpRules } from './check.ts';
import type { Cluster } from './cluster.ts';
import type { EndpointCalls } from './endpoint-calls.ts';
import type { EventStore } from './event-log.ts';
import type { StreamContext } from './event-stream.ts';
import type { Mirrors } from './mirrors.ts';
import type { Scopes } from './scopes.ts';
import type { Sessions } from './sessions.ts';

/** One server at one address, in every era: what all its requests have in common. */
export interface Endpoint {
  readonly engine: Engine;
  readonly rules: HttpRules;
  readonly sessions: Sessions;
  readonly subscriptions: Subscriptions;
  readonly events: EventStore;
  readonly streams: StreamContext;
  readonly cluster: Cluster | undefined;
  readonly mirrors: Mirrors;
  readonly scopes: Scopes;
  /** What peers do wrong. */
  readonly faults: Logger;
  /** The running calls of all clients. */
  readonly calls: EndpointCalls;
  /** In which modern requests are served. */
  readonly modern: CallScope;
  /** In which legacy requests without a session are served. */
  readonly stateless: CallScope;
}
