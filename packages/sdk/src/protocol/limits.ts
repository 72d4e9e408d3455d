/** Limits that always apply. All can be configured; none can be switched off. */
export interface Limits {
  /** The maximum size of a message on a line-framed channel, in bytes. Default 10,485,760. */
  readonly lineBytes: number;
  /** The maximum nesting of a message, in levels of objects and arrays. Default 128. */
  readonly depth: number;
  /** The maximum number of values in a message (members and elements of all levels). Default 200,000. */
  readonly elements: number;
  /** The maximum number of messages in a batch (2025-03-26). Default 100. */
  readonly batch: number;
  /** The maximum number of running requests of a peer on one connection. Default 1,000. */
  readonly inFlight: number;
  /** The maximum number of subscriptions (listens, subscribed resources) of one connection. Default 100. */
  readonly subscriptions: number;
  /** The maximum number of resources that one connection watches, over all its subscriptions. Default 1,000. */
  readonly subscriptionUris: number;
  /** The maximum number of pages a client reads of one list. Default 1,000. */
  readonly pages: number;
  /** The maximum number of rounds of questions in one call. Default 10. */
  readonly rounds: number;
  /** The maximum size of a sealed `requestState`, in bytes. Default 65,536. */
  readonly stateBytes: number;
  /** How long a sealed `requestState` is valid, in milliseconds. Default 600,000 (10 minutes). */
  readonly stateMs: number;
  /**
   * How long an action of `once` counts as running after its process was last heard of, in milliseconds: after that, another delivery of the
   * same call takes over. Default 30,000.
   */
  readonly leaseMs: number;
  /** How long a request may take without progress, in milliseconds. Default 60,000 (a minute). */
  readonly requestMs: number;
  /** How long a request may take in total, whatever progress is reported, in milliseconds. Default 600,000 (10 minutes). */
  readonly requestMaxMs: number;
  /** The maximum time for which a cached result is used, in milliseconds. Default 86,400,000 (a day). */
  readonly cacheMs: number;
  /** The maximum number of results in the cache of a client. Default 1,000. */
  readonly cacheEntries: number;
  /** The maximum size of the body of an HTTP request, in bytes. Default 4,194,304. */
  readonly bodyBytes: number;
  /** The maximum number of running calls of all clients over HTTP. Default 10,000. */
  readonly calls: number;
  /** The maximum number of running calls of one principal or, for callers without one, of one address. Default 1,000. */
  readonly callsPerPrincipal: number;
  /** How often one principal or, for callers without one, one address or connection may call tools, per minute. Default 600,000. */
  readonly toolCallsPerMinute: number;
  /** How often one principal or, for callers without one, one address or connection may complete arguments, per minute. Default 3,000. */
  readonly completionsPerMinute: number;
  /** The maximum number of sessions of legacy clients over HTTP, and of open listening streams. Default 10,000. */
  readonly sessions: number;
  /** The maximum number of sessions of one principal. Default 100. */
  readonly sessionsPerPrincipal: number;
  /** How long a session lives without a request or an open stream, in milliseconds. Default 1,800,000 (30 minutes). */
  readonly sessionIdleMs: number;
  /**
   * How long an HTTP response may be silent before it becomes a stream, and a stream before a comment keeps it open, in milliseconds.
   * Default 15,000.
   */
  readonly keepAliveMs: number;
  /** The maximum amount of data waiting on one HTTP stream for a peer that does not read, in bytes. Default 1,048,576. */
  readonly streamBytes: number;
  /** The maximum number of tasks that run at the same time in one process. Default 1,000. */
  readonly tasks: number;
  /** The maximum number of running tasks of one principal or, for callers without one, of one address. Default 100. */
  readonly tasksPerPrincipal: number;
  /** How long a task may run, and how long its result is kept, in milliseconds. Default 86,400,000 (a day). */
  readonly taskMs: number;
  /** The maximum size of the result of a task, in characters of JSON. Default 4,194,304. */
  readonly taskBytes: number;
  /** How long a client that lost its connection can still resume a stream that has ended, in milliseconds. Default 300,000 (5 minutes). */
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
  leaseMs: 30_000,
  requestMs: 60_000,
  requestMaxMs: 10 * 60_000,
  cacheMs: 24 * 3_600_000,
  cacheEntries: 1_000,
  bodyBytes: 4 * 1024 * 1024,
  calls: 10_000,
  callsPerPrincipal: 1_000,
  toolCallsPerMinute: 600_000,
  completionsPerMinute: 3_000,
  sessions: 10_000,
  sessionsPerPrincipal: 100,
  sessionIdleMs: 30 * 60_000,
  keepAliveMs: 15_000,
  streamBytes: 1024 * 1024,
  tasks: 1_000,
  tasksPerPrincipal: 100,
  taskMs: 24 * 3_600_000,
  taskBytes: 4 * 1024 * 1024,
  resumeMs: 5 * 60_000,
};

/** The defaults with some values replaced. Throws a `TypeError` for a limit that is not a positive finite number. */
export function withLimits(some: Partial<Limits> | undefined): Limits {
  if (some === undefined) return DEFAULT_LIMITS;
  for (const [name, value] of Object.entries(some)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) throw new TypeError(`There is no limit named '${name}'`);
    if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) {
      throw new TypeError(`The limit '${name}' must be a positive finite number, got ${String(value)}`);
    }
  }
  return { ...DEFAULT_LIMITS, ...some };
}
