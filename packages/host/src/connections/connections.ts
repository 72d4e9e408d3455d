import process from 'node:process';
import type { Client, ConnectOptions } from 'tenon/client';
import type { Calls } from '../calls/calls.ts';
import type { Watches } from '../calls/watches.ts';
import type { Changes } from './changes.ts';
import type { ServerConfig } from '../config/server-config.ts';
import { launchOf } from '../config/target.ts';
import type { HostListener } from '../events.ts';
import type { HostLimits, HostOptions } from '../options.ts';
import type { DecisionQueue } from '../pending/decision-queue.ts';
import type { Gate, PolicyDecision } from '../policy/gate.ts';
import type { Recorder } from '../recorder.ts';
import { ListFollower, type Lists } from '../registry/lists.ts';
import { pinOf } from '../registry/pin.ts';
import type { Registry } from '../registry/registry.ts';
import { approveStart } from '../servers/approval.ts';
import { Connection } from '../servers/connection.ts';
import { launchOptions } from '../servers/launch-options.ts';
import { reachOption } from '../servers/reach-option.ts';
import { createGuard } from '../servers/guard.ts';
import { createPlaces } from '../servers/places.ts';
import { createClientOptions } from '../servers/client-options.ts';
import { traceOption } from '../servers/trace-option.ts';
import type { StateStore } from '../state/state-store.ts';
import { messageOf } from '../values/message-of.ts';

/** The dependencies of the connections of a host. */
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
  /** Called when a server is ready. */
  connected: Watches['connected'];
  /** The current roots. */
  roots(): readonly string[];
}

/**
 * Whether a server can still read the state of a call in another program. Of other programs the host cannot know it. A server of this
 * program encrypts the state with a random key if it has no other.
 */
function keepsState({ launch }: ServerConfig, given: ConnectOptions | undefined): boolean {
  if (launch.kind !== 'value' || launchOf(launch.target) !== undefined) return true;
  return given?.serve?.keys !== undefined || Boolean(process.env['TENON_KEYS']?.trim());
}

/** The connections of a host, one for each server, and the lists that follow them. */
export class Connections {
  readonly all: ReadonlyMap<string, Connection>;
  readonly #options: ConnectionsOptions;
  readonly #followers = new Map<string, ListFollower>();
  readonly #guard = createGuard();
  readonly #takePlace = createPlaces();

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.all = new Map([...options.configs].map(([alias, config]) => [alias, this.#connectionOf(config)]));
  }

  /** Reads the tools of a server again if it does not announce changes, and its description if that is not known. */
  async refresh(server: string): Promise<void> {
    await this.describe(server);
    await this.#followers.get(server)?.refresh();
  }

  /**
   * Compares the description of a server with the approved one, if that has not been done: a remote server may have been reconnected since,
   * and may have another description now. Never rejects.
   */
  async describe(server: string): Promise<void> {
    const { changes, registry } = this.#options;
    const { client, state } = this.all.get(server) ?? {};
    if (client === undefined || state !== 'ready' || registry.isDescribed(server, client)) return;
    await this.#describe(server, client);
    changes.ask(server);
  }

  /** Resolves when the changes of tools that the servers announced so far were read, or could not be. Never rejects. */
  async caughtUp(): Promise<void> {
    await Promise.all([...this.#followers.values()].map((follower) => follower.caughtUp()));
  }

  async close(): Promise<void> {
    const by = { requestedBy: 'host', why: 'the host is closed' };
    await Promise.all([...this.all.values()].map((connection) => connection.stop(by)));
    this.#guard.close();
  }

  #connectionOf(config: ServerConfig): Connection {
    const { host, limits, recorder, registry, emit } = this.#options;
    const { alias } = config;
    const given = host.connect?.(config);
    const connectTimeout = config.launch.kind === 'stdio' ? limits.startMaxMs : undefined;
    const own = {
      connectTimeout,
      ...given,
      ...this.#clientOptionsOf(config, given),
      ...traceOption(given, host.onTrace, alias),
    };
    const reportedProblems = new Set<string>();
    const reportProblem = (message: string): void => {
      if (!reportedProblems.has(message)) emit({ kind: 'problem', server: alias, message });
      reportedProblems.add(message);
    };
    let wasReturning = false;
    const connection: Connection = new Connection({
      config,
      guard: this.#guard,
      startMs: limits.startMs,
      restartMs: limits.restartMs,
      startWaitMs: limits.startWaitMs,
      approve: this.#approvalOf(config),
      client: (filled) => ({
        ...own,
        ...launchOptions(filled, own, host, reportProblem),
        ...reachOption(filled, own, (problem) => connection.setReach(problem)),
      }),
      ready: async (client) => {
        await this.#follow(config, client);
        this.#options.connected(alias, client);
      },
      startEnded: (end) =>
        void recorder.recordOutcome({ act: 'start', server: alias, target: alias, requestedBy: 'host' }, end),
      disconnected: (stop) => {
        void recorder.recordStop(alias, stop);
        this.#followers.get(alias)?.stop();
        this.#followers.delete(alias);
        // An idle server is started by the next call, so its tools stay callable.
        if (connection.state !== 'idle') registry.drop(alias);
        emit({ kind: 'tools' });
      },
      changed: () => {
        emit({ kind: 'server', server: connection.view() });
        // Its tools are listed while it is being started again, and no longer when that has failed.
        const isReturning = connection.isStarting;
        if (isReturning !== wasReturning && registry.isDropped(alias)) emit({ kind: 'tools' });
        wasReturning = isReturning;
      },
      instructions: ({ server, instructions }) =>
        registry.isApproved(alias, { server, instructions }) ? instructions : undefined,
    });
    return connection;
  }

  #approvalOf(config: ServerConfig) {
    const { host, store, gate, recorder } = this.#options;
    const { alias } = config;
    const { variables = process.env, folder = process.cwd(), input } = host;
    const action = { act: 'start', server: alias, target: alias, requestedBy: 'host' } as const;
    const record = ({ allow, why, decision }: PolicyDecision): Promise<void> =>
      recorder.recordDecision({ ...action, allow, why, decision });
    const recordCancelled = (): Promise<void> => recorder.recordCancelled(action);
    const inputAnswers = new Map<string, string | undefined>();
    const more = { gate, store, variables, folder, input, record, recordCancelled, inputAnswers, now: Date.now };
    return async (signal: AbortSignal, started: string | undefined) => {
      const place = this.#takePlace();
      try {
        return await approveStart(config, { ...more, place }, signal, started);
      } finally {
        place.passed();
      }
    };
  }

  #clientOptionsOf(config: ServerConfig, given: ConnectOptions | undefined) {
    const { host, limits, queue, gate, recorder, registry, closing, emit } = this.#options;
    const { alias } = config;
    const tool = (own: string) => {
      const found = registry.toolsOf(alias).find(({ entry }) => entry.name === own);
      return found && { name: found.name, pin: pinOf(found.entry) };
    };
    return createClientOptions({
      ...{ config, host, limits, queue, gate, recorder, emit, closing, now: Date.now },
      keepsState: keepsState(config, given),
      tool,
      roots: () => this.#options.roots(),
      running: () => this.#options.running(alias),
      launch: () => this.all.get(alias)?.launchDigest,
      disconnected: () => this.all.get(alias)!.disconnected,
    });
  }

  async #follow({ alias, tools }: ServerConfig, client: Client): Promise<void> {
    const { registry, changes, emit } = this.#options;
    const reportProblem = this.#problemReporter(alias);
    const onLists = async (lists: Lists): Promise<void> => {
      const problems = await registry.update(alias, lists, tools);
      emit({ kind: 'tools' });
      problems.forEach(reportProblem);
      changes.ask(alias);
    };
    // First, so that the person is asked about it together with the tools.
    await this.#describe(alias, client);
    const follower = new ListFollower(client, onLists, reportProblem);
    this.#followers.set(alias, follower);
    await follower.ready;
  }

  /** Compares the description of a server with the approved one. If that fails, the description is withheld. Never rejects. */
  async #describe(alias: string, { server, instructions }: Client): Promise<void> {
    const reportProblem = this.#problemReporter(alias);
    try {
      (await this.#options.registry.describe(alias, { server, instructions })).forEach(reportProblem);
    } catch (error) {
      reportProblem(
        `Its name and instructions could not be compared with the approved ones, so they are withheld: ${messageOf(error)}`,
      );
    }
  }

  #problemReporter(server: string): (message: string) => void {
    return (message) => this.#options.emit({ kind: 'problem', server, message });
  }
}
