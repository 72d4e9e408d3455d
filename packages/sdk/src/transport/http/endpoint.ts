import type { Logger } from '../../protocol/log.ts';
import type { Engine } from '../../server/engine.ts';
import type { CallService } from '../serving/serve-call.ts';
import type { Subscriptions } from '../serving/subscriptions.ts';
import type { HttpRules } from './request-check.ts';
import type { Cluster, PendingHandOver } from './cluster.ts';
import type { EndpointCallTracker } from './endpoint-call-tracker.ts';
import type { EventStore } from './legacy/event-log.ts';
import type { StreamContext } from './event-stream.ts';
import type { Mirrors } from './modern/mirrors.ts';
import type { Scopes } from './scopes.ts';
import type { Sessions } from './legacy/sessions.ts';

/** One server at one address, in all eras: the state that its requests share. */
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
  /** Logs errors of peers. */
  readonly faults: Logger;
  /** The running calls of all clients. */
  readonly calls: EndpointCallTracker;
  /** New work is refused: the server shuts down. */
  readonly draining: boolean;
  /** Hands the sessions of this node over while it shuts down. */
  readonly handOver: PendingHandOver | undefined;
  /** Serves modern requests. */
  readonly modern: CallService;
  /** Serves legacy requests without a session. */
  readonly sessionless: CallService;
}
