import type { Client } from 'tenon/client';
import type { Calls } from './calls.ts';
import type { Changes } from './changes.ts';
import type { ServerConfig } from './config/server-config.ts';
import type { HostListener } from './events.ts';
import type { HostLimits, HostOptions } from './options.ts';
import type { DecisionQueue } from './pending/decision-queue.ts';
import type { Gate, PolicyDecision } from './policy/gate.ts';
import type { Recorder } from './recorder.ts';
import { followLists, type Follower, type Lists } from './registry/lists.ts';
import { pinOf } from './registry/pin.ts';
import type { Registry } from './registry/registry.ts';
import { approveStart } from './servers/approval.ts';
import { Connection } from './servers/connection.ts';
import { launchOptions } from './servers/launch-options.ts';
import { createGuard } from './servers/guard.ts';
import { createClientOptions } from './servers/client-options.ts';
import { traceOption } from './servers/trace-option.ts';
import type { StateStore } from './state/state-store.ts';
import { messageOf } from './values/message-of.ts';

/** What it takes to reach the servers of a host. */
export interface ConnectionsOptions {
  readonly host: HostOptions;
  readonly limits: HostLimits;
  readonly configs: ReadonlyMap<string, ServerConfig>;
  readonly store: StateStore;
  readonly queue: DecisionQueue;
  readonly gate: Gate;
  readonly recorder: Recorder;
  readonly registry: Registry;
  readonly changes: Changes;
  readonly closing: AbortSignal;
  readonly emit: HostListener;
  running: Calls['running'];
  /** The folders of the moment. */
  roots(): readonly string[];
}

/** The servers of a host: one connection each, and what they list. */
export interface Connections {
  readonly all: ReadonlyMap<string, Connection>;
  /** Looks again at the tools of a server that does not tell when they change, and at what it says of itself. */
  refresh(server: string): Promise<void>;
  /** Looks at what a server says of itself, if that is not known. Never rejects. */
  describe(server: string): Promise<void>;
  close(): Promise<void>;
}

export const createConnections = (options: ConnectionsOptions): Connections => {
  const { host, limits, store, queue, gate, recorder, registry, changes, closing, emit } = options;
  const all = new Map<string, Connection>();
  const followers = new Map<string, Follower>();
  const guard = createGuard();
  const now = Date.now;

  const problemReporter =
    (server: string) =>
    (message: string): void =>
      emit({ kind: 'problem', server, message });

  /** Compares what a server says of itself with what was approved. What cannot be compared is withheld. Never rejects. */
  const describe = async (alias: string, { server, instructions }: Client): Promise<void> => {
    const reportProblem = problemReporter(alias);
    try {
      (await registry.describe(alias, { server, instructions })).forEach(reportProblem);
    } catch (error) {
      reportProblem(
        `Whether its name and instructions were approved is not known, so they are withheld: ${messageOf(error)}`,
      );
    }
  };

  const follow = async ({ alias, tools }: ServerConfig, client: Client): Promise<void> => {
    const reportProblem = problemReporter(alias);
    const take = async (lists: Lists): Promise<void> => {
      const problems = await registry.update(alias, lists, tools);
      emit({ kind: 'tools' });
      problems.forEach(reportProblem);
      changes.ask(alias);
    };
    // It is asked about together with the tools.
    await describe(alias, client);
    const follower = followLists(client, take, reportProblem);
    followers.set(alias, follower);
    await follower.ready;
  };

  const approvalOf = (config: ServerConfig) => {
    const { alias } = config;
    const { variables = process.env, folder = process.cwd(), input } = host;
    const action = { act: 'start', server: alias, what: alias, who: 'host' } as const;
    const record = ({ allow, why, decision }: PolicyDecision): Promise<void> =>
      recorder.recordDecision({ ...action, allow, why, decision });
    const recordCancelled = (): Promise<void> => recorder.recordCancelled(action);
    const inputAnswers = new Map<string, string | undefined>();
    const more = { gate, store, variables, folder, input, record, recordCancelled, inputAnswers, now };
    return (signal: AbortSignal, started: string | undefined) => approveStart(config, more, signal, started);
  };

  const clientOptionsOf = (config: ServerConfig) => {
    const { alias } = config;
    const pin = (own: string): string | undefined => {
      const tool = registry.tools().find(({ server, entry }) => server === alias && entry.name === own);
      return tool && pinOf(tool.entry);
    };
    return createClientOptions({
      ...{ config, host, limits, queue, gate, recorder, emit, closing, pin, now },
      roots: options.roots,
      running: () => options.running(alias),
      launch: () => all.get(alias)?.launchDigest,
      disconnected: () => all.get(alias)!.disconnected,
    });
  };

  const connectionOf = (config: ServerConfig): Connection => {
    const { alias } = config;
    const given = host.connect?.(config);
    const own = { ...given, ...clientOptionsOf(config), ...traceOption(given, host.onTrace, alias) };
    const reported = new Set<string>();
    const reportProblem = (message: string): void => {
      if (!reported.has(message)) emit({ kind: 'problem', server: alias, message });
      reported.add(message);
    };
    const connection: Connection = new Connection({
      config,
      guard,
      startMs: limits.startMs,
      restartMs: limits.restartMs,
      approve: approvalOf(config),
      client: (filled) => ({ ...own, ...launchOptions(filled, own, host, reportProblem) }),
      ready: (client) => follow(config, client),
      startEnded: (end) => void recorder.recordOutcome({ act: 'start', server: alias, what: alias, who: 'host' }, end),
      disconnected(stop) {
        void recorder.recordStop(alias, stop);
        followers.get(alias)?.stop();
        followers.delete(alias);
        // An idle server is started by the next call: its tools stay.
        if (connection.state !== 'idle') registry.drop(alias);
        emit({ kind: 'tools' });
      },
      changed: () => emit({ kind: 'server', server: connection.view() }),
      instructions: ({ server, instructions }) =>
        registry.isApproved(alias, { server, instructions }) ? instructions : undefined,
    });
    return connection;
  };

  for (const [alias, config] of options.configs) all.set(alias, connectionOf(config));
  /** A server at an address may have been reached anew since, and say something else. */
  const describeAgain = async (alias: string): Promise<void> => {
    const { client, state } = all.get(alias) ?? {};
    if (client === undefined || state !== 'ready' || registry.isDescribed(alias, client)) return;
    await describe(alias, client);
    changes.ask(alias);
  };

  return {
    all,
    describe: describeAgain,
    async refresh(server) {
      await describeAgain(server);
      await followers.get(server)?.refresh();
    },
    async close() {
      const by = { who: 'host', why: 'the host is closed' };
      await Promise.all([...all.values()].map((connection) => connection.stop(by)));
      guard.close();
    },
  };
};
