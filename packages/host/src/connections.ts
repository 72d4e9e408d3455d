import type { Client } from 'tenon/client';
import type { Calls } from './calls.ts';
import type { Changes } from './changes.ts';
import type { ServerConfig } from './config/server-config.ts';
import type { HostListener } from './events.ts';
import type { HostLimits, HostOptions } from './options.ts';
import type { Desk } from './pending/desk.ts';
import type { Gate, Passage } from './policy/gate.ts';
import type { Recorder } from './record.ts';
import { followLists, type Follower, type Lists } from './registry/lists.ts';
import { pinOf } from './registry/pin.ts';
import type { Registry } from './registry/registry.ts';
import { approveStart } from './servers/approval.ts';
import { Connection } from './servers/connection.ts';
import { filledOptions } from './servers/filled.ts';
import { createGuard } from './servers/guard.ts';
import { offersOf } from './servers/offers.ts';
import { watched } from './servers/watched.ts';
import type { Keep } from './state/keep.ts';
import { messageOf } from './values/message-of.ts';

/** What it takes to reach the servers of a host. */
export interface ConnectionsOptions {
  readonly host: HostOptions;
  readonly limits: HostLimits;
  readonly configs: ReadonlyMap<string, ServerConfig>;
  readonly keep: Keep;
  readonly desk: Desk;
  readonly gate: Gate;
  readonly recorder: Recorder;
  readonly registry: Registry;
  readonly changes: Changes;
  readonly closing: AbortSignal;
  readonly tell: HostListener;
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
  const { host, limits, keep, desk, gate, recorder, registry, changes, closing, tell } = options;
  const all = new Map<string, Connection>();
  const followers = new Map<string, Follower>();
  const guard = createGuard();
  const now = Date.now;

  const problemOf =
    (server: string) =>
    (message: string): void =>
      tell({ kind: 'problem', server, message });

  /** Compares what a server says of itself with what was approved. What cannot be compared is withheld. Never rejects. */
  const describe = async (alias: string, { server, instructions }: Client): Promise<void> => {
    const problem = problemOf(alias);
    try {
      (await registry.describe(alias, { server, instructions })).forEach(problem);
    } catch (error) {
      problem(
        `Whether its name and instructions were approved is not known, so they are withheld: ${messageOf(error)}`,
      );
    }
  };

  const follow = async ({ alias, tools }: ServerConfig, client: Client): Promise<void> => {
    const problem = problemOf(alias);
    const take = async (lists: Lists): Promise<void> => {
      const problems = await registry.take(alias, lists, tools);
      tell({ kind: 'tools' });
      problems.forEach(problem);
      changes.ask(alias);
    };
    // It is asked about together with the tools.
    await describe(alias, client);
    const follower = followLists(client, take, problem);
    followers.set(alias, follower);
    await follower.ready;
  };

  const approvalOf = (config: ServerConfig) => {
    const { alias } = config;
    const { variables = process.env, folder = process.cwd(), input } = host;
    const deed = { act: 'start', server: alias, what: alias, who: 'host' } as const;
    const record = ({ allow, why, decision }: Passage): Promise<void> =>
      recorder.decided({ ...deed, allow, why, decision });
    const cutOff = (): Promise<void> => recorder.cutOff(deed);
    const said = new Map<string, string | undefined>();
    const more = { gate, keep, variables, folder, input, record, cutOff, said, now };
    return (signal: AbortSignal, started: string | undefined) => approveStart(config, more, signal, started);
  };

  const offers = (config: ServerConfig) => {
    const { alias } = config;
    const pin = (own: string): string | undefined => {
      const tool = registry.tools().find(({ server, entry }) => server === alias && entry.name === own);
      return tool && pinOf(tool.entry);
    };
    return offersOf({
      ...{ config, host, limits, desk, gate, recorder, tell, closing, pin, now },
      roots: options.roots,
      running: () => options.running(alias),
      launch: () => all.get(alias)?.launchDigest,
      gone: () => all.get(alias)!.gone,
    });
  };

  const connectionOf = (config: ServerConfig): Connection => {
    const { alias } = config;
    const given = host.connect?.(config);
    const own = { ...given, ...offers(config), ...watched(given, host.onTrace, alias) };
    const told = new Set<string>();
    const problem = (message: string): void => {
      if (!told.has(message)) tell({ kind: 'problem', server: alias, message });
      told.add(message);
    };
    const connection: Connection = new Connection({
      config,
      guard,
      startMs: limits.startMs,
      restartMs: limits.restartMs,
      approve: approvalOf(config),
      client: (filled) => ({ ...own, ...filledOptions(filled, own, host, problem) }),
      ready: (client) => follow(config, client),
      tried: (end) => void recorder.ended({ act: 'start', server: alias, what: alias, who: 'host' }, end),
      gone(stop) {
        void recorder.stopped(alias, stop);
        followers.get(alias)?.stop();
        followers.delete(alias);
        // An idle server is started by the next call: its tools stay.
        if (connection.state !== 'idle') registry.drop(alias);
        tell({ kind: 'tools' });
      },
      changed: () => tell({ kind: 'server', server: connection.view() }),
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
