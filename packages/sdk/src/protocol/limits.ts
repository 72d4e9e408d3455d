/** Bounds that hold everywhere. All are configurable; none can be switched off. */
export interface Limits {
  /** Longest message on a line-framed channel, in bytes. */
  readonly lineBytes: number;
  /** Deepest nesting of a message. */
  readonly depth: number;
  /** Most values (members and elements, all levels together) in a message. */
  readonly elements: number;
  /** Most messages in a batch (2025-03-26). */
  readonly batch: number;
  /** Most requests a peer may have running at once on one connection. */
  readonly inFlight: number;
  /** Most subscriptions (listens, subscribed resources) of one connection. */
  readonly subscriptions: number;
  /** Most resources that one connection watches, over all its subscriptions. */
  readonly subscriptionUris: number;
  /** Most pages a client follows in one list. */
  readonly pages: number;
  /** Most rounds of questions in one call. */
  readonly rounds: number;
  /** Largest sealed `requestState`, in bytes. */
  readonly stateBytes: number;
  /** How long a sealed `requestState` is valid, in milliseconds. */
  readonly stateMs: number;
  /** How long a request may take without news, in milliseconds. */
  readonly requestMs: number;
  /** How long a request may take at all, whatever progress is reported, in milliseconds. */
  readonly requestMaxMs: number;
  /** Longest time a cached result is used, in milliseconds. */
  readonly cacheMs: number;
  /** Most results a client keeps in its cache. */
  readonly cacheEntries: number;
  /** Largest body of an HTTP request, in bytes. */
  readonly bodyBytes: number;
  /** Most calls of all clients over HTTP that may be running at once. */
  readonly calls: number;
  /** Most of them that belong to one principal, or, of callers without one, come from one address. */
  readonly callsPerPrincipal: number;
  /** Most sessions of legacy clients over HTTP at once; as many streams that listen may be open. */
  readonly sessions: number;
  /** Most of them that belong to one principal. */
  readonly sessionsPerPrincipal: number;
  /** How long a session lives without a request or an open stream, in milliseconds. */
  readonly sessionIdleMs: number;
  /** How long an HTTP answer may be quiet until it becomes a stream, and a stream until a comment keeps it open, in milliseconds. */
  readonly keepAliveMs: number;
  /** Most that may wait on one HTTP stream for a peer that does not read, in bytes. */
  readonly streamBytes: number;
  /** How long the events of a stream that has ended can be had again by a client that lost the connection, in milliseconds. */
  readonly resumeMs: number;
}

/** The defaults. */
export const DEFAULT_LIMITS: Limits = {
  lineBytes: 10 * 1024 * 1024,
  depth: 128,
  elements: 200_000,
  batch: 100,
  inFlight: 1_000,
  subscriptions: 100,
  subscriptionUris: 1_000,
  pages: 1_000,
  rounds: 10,
  stateBytes: 64 * 1024,
  stateMs: 10 * 60_000,
  requestMs: 60_000,
  requestMaxMs: 10 * 60_000,
  cacheMs: 24 * 3_600_000,
  cacheEntries: 1_000,
  bodyBytes: 4 * 1024 * 1024,
  calls: 10_000,
  callsPerPrincipal: 1_000,
  sessions: 10_000,
  sessionsPerPrincipal: 100,
  sessionIdleMs: 30 * 60_000,
  keepAliveMs: 15_000,
  streamBytes: 1024 * 1024,
  resumeMs: 5 * 60_000,
};

/** The defaults with some replaced. Throws a `TypeError` for a bound that is not a positive finite number. */
export const withLimits = (some: Partial<Limits> | undefined): Limits => {
  if (some === undefined) return DEFAULT_LIMITS;
  for (const [name, value] of Object.entries(some)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) throw new TypeError(`There is no limit named '${name}'`);
    if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) {
      throw new TypeError(`The limit '${name}' must be a positive finite number, got ${String(value)}`);
    }
  }
  return { ...DEFAULT_LIMITS, ...some };
};
