import { join } from 'node:path';
import type { Client, ConnectOptions, Target } from 'tenon/client';
import { type Audit, openAudit } from './audit/audit.ts';
import { type ChangedTools, createChangedTools } from './changed-tools.ts';
import { type Calls, createCalls } from './calls.ts';
import type { ServerConfig } from './config/server-config.ts';
import type { RunOptions, RunResult } from './conversation/types.ts';
import type { DecisionRecord, HostEvent, HostListener } from './events.ts';
import { type HostLimits, LIMITS, type HostOptions } from './options.ts';
import { createDesk, type Desk } from './pending/desk.ts';
import type { Decision, Item } from './pending/item.ts';
import { createGate, type Gate, type Passage } from './policy/gate.ts';
import { type Grants, loadGrants } from './policy/grants.ts';
import { checkedRules } from './policy/rules.ts';
import { createRecorder, type Recorder } from './record.ts';
import { followLists, type Follower, type Lists } from './registry/lists.ts';
import { type HostPrompt, type HostResource, type HostTemplate, Registry } from './registry/registry.ts';
import { pinOf } from './registry/pin.ts';
import { resumeLeft } from './resume-left.ts';
import type { Toolbox } from './registry/toolbox.ts';
import { approveStart } from './servers/approval.ts';
import { Connection, type ConnectionOptions, type ServerView } from './servers/connection.ts';
import { createGuard } from './servers/guard.ts';
import { offersOf, rootOf } from './servers/offers.ts';
import { watched } from './servers/watched.ts';
import { createFolderKeep, createMemoryKeep } from './state/keep.ts';

/** Many servers, one policy. */
export interface Host extends Toolbox, Omit<Calls, 'running'> {
  /** Starts all servers beside each other. Resolves when each is ready, or has failed once and says why in `servers()`. */
  start(): Promise<void>;
  servers(): readonly ServerView[];
  prompts(): readonly HostPrompt[];
  resources(): readonly HostResource[];
  templates(): readonly HostTemplate[];
  /**
   * Has a model answer, with the tools of all servers. Every call passes the policy of this host. Ends by itself, and says why; rejects only
   * with a `TypeError` for options that make no sense.
   */
  run(options: Omit<RunOptions, 'toolbox'>): Promise<RunResult>;
  /** Starts a server again: one that failed, or was refused. */
  restart(alias: string): Promise<void>;
  /** What waits for a person. */
  pending(): readonly Item[];
  /** Decides something that waits. False: it does not wait any more. */
  answer(id: string, decision: Decision): boolean;
  /** What was decided lately, and by what. */
  decisions(): readonly DecisionRecord[];
  /**
   * Takes back what was decided for longer than once, about one server or about all: it is asked again. What runs goes on running. Gives how
   * many decisions there were.
   */
  revoke(server?: string): Promise<number>;
  /** Changes the folders servers may know of, and tells them. */
  setRoots(roots: readonly string[]): Promise<void>;
  /** Tells of everything that happens. Returns what stops it. */
  on(listener: HostListener): () => void;
  /** Stops all servers. What waits is given up; questions that another program can go on with stay. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const configsOf = (servers: HostOptions['servers']): readonly ServerConfig[] =>
  Array.isArray(servers)
    ? (servers as readonly ServerConfig[])
    : Object.entries(servers as Readonly<Record<string, Target>>).map(([alias, target]): ServerConfig => {
        if (typeof target === 'string' || target instanceof URL) {
          return { alias, launch: { kind: 'http', url: String(target), headers: {} } };
        }
        if ('command' in target && typeof target.command === 'string') {
          const { command, args = [], env = {}, cwd } = target;
          return { alias, launch: { kind: 'stdio', command, args, env, ...(cwd === undefined ? {} : { cwd }) } };
        }
        return { alias, launch: { kind: 'value', target } };
      });

const checkedConfigs = (servers: HostOptions['servers']): readonly ServerConfig[] => {
  const configs = configsOf(servers);
  const seen = new Set<string>();
  for (const { alias } of configs) {
    if (alias === '' || seen.has(alias))
      throw new TypeError(`There are two servers called '${alias}', or one without a name`);
    seen.add(alias);
  }
  return configs;
};

/** Most characters of what one server says about its use. */
const MOST_INSTRUCTIONS = 4_000;

/** What the model is told: by the program, and by the servers about their use, marked as theirs. */
const systemOf = (system: string | undefined, servers: readonly ServerView[]): string | undefined => {
  const parts = servers.flatMap(({ alias, instructions }) =>
    instructions === undefined || instructions.trim() === ''
      ? []
      : [`What the server '${alias}' says about its use:\n${instructions.slice(0, MOST_INSTRUCTIONS)}`],
  );
  return system === undefined && parts.length === 0 ? undefined : [system ?? '', ...parts].join('\n\n').trim();
};

/** The parts of a host that live as long as it does. */
class RealHost {
  readonly limits: HostLimits;
  readonly #options: HostOptions;
  readonly #configs: ReadonlyMap<string, ServerConfig>;
  readonly #listeners = new Set<HostListener>();
  readonly #connections = new Map<string, Connection>();
  readonly #followers = new Map<string, Follower>();
  readonly #closing = new AbortController();
  readonly #guard = createGuard();
  #changedTools!: ChangedTools;
  #gate!: Gate;
  #grants!: Grants;
  #roots: readonly string[];
  desk!: Desk;
  registry!: Registry;
  recorder!: Recorder;
  audit!: Audit;
  calls!: Calls;

  constructor(options: HostOptions) {
    this.#options = options;
    this.limits = { ...LIMITS, ...options.limits };
    this.#configs = new Map(checkedConfigs(options.servers).map((config) => [config.alias, config]));
    this.#roots = options.roots ?? [];
  }

  readonly tell = (event: HostEvent): void => {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch {
        // Who looks on must not break what it looks at.
      }
    }
  };

  /** Told when the host starts: nobody listens while it is made. */
  readonly #problems: string[] = [];
  readonly #badGrant = (message: string): void => void this.#problems.push(message);

  async open(): Promise<void> {
    const { state, approve, ask, rules = [] } = this.#options;
    const keep = state === undefined ? createMemoryKeep() : createFolderKeep(state);
    const { limits } = this;
    const now = Date.now;
    this.registry = new Registry(keep, [...this.#configs.keys()]);
    this.audit = await openAudit(state === undefined ? {} : { file: join(state, 'audit.jsonl') });
    this.recorder = createRecorder(this.audit, this.tell, now);
    this.desk = createDesk({
      keep,
      deciderOf: (item) => (item.kind === 'question' ? ask : approve),
      changed: () => this.tell({ kind: 'pending', items: this.desk.items() }),
      problem: (server, message) => this.tell({ kind: 'problem', server, message }),
    });
    this.#grants = await loadGrants(keep, now, this.#badGrant);
    const gate = createGate(checkedRules(rules), this.#grants, (item, exactly, signal) =>
      this.desk.decide(item, {
        exactly,
        signal: signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]),
      }),
    );
    this.#gate = gate;
    const connection = (server: string): Connection | undefined => this.#connections.get(server);
    const config = (server: string): ServerConfig | undefined => this.#configs.get(server);
    const refresh = async (server: string): Promise<void> => this.#followers.get(server)?.refresh();
    const { tell, registry, recorder, desk } = this;
    const closing = this.#closing.signal;
    this.#changedTools = createChangedTools({ desk, registry, recorder, closing, tell });
    this.calls = createCalls({ registry, gate, recorder, limits, closing, tell, connection, config, refresh, now });

    for (const [alias, config] of this.#configs) {
      const offers = offersOf({
        config,
        host: this.#options,
        limits,
        desk,
        gate,
        recorder,
        tell,
        roots: () => this.#roots,
        running: () => this.calls.running(alias),
        launch: () => this.#connections.get(alias)?.launchDigest,
        pin: (own) => {
          const tool = registry.tools().find(({ server, entry }) => server === alias && entry.name === own);
          return tool && pinOf(tool.entry);
        },
        closing,
        now,
      });
      this.#connections.set(
        alias,
        this.#connectionOf(config, offers, (signal, started) => {
          const { variables = process.env, folder = process.cwd(), input } = this.#options;
          const record = ({ allow, why, decision }: Passage): Promise<void> =>
            recorder.decided({ act: 'start', server: alias, what: alias, who: 'host', allow, why, decision });
          return approveStart(config, { gate, keep, variables, folder, input, record, now }, signal, started);
        }),
      );
    }
  }

  #connectionOf(config: ServerConfig, offers: ConnectOptions, approve: ConnectionOptions['approve']): Connection {
    const { alias } = config;
    const own = this.#options.connect?.(config);
    const connection: Connection = new Connection({
      config,
      guard: this.#guard,
      startMs: this.limits.startMs,
      approve,
      client: { ...own, ...offers, ...watched(own, this.#options.onTrace, alias) },
      ready: (client) => this.#ready(config, client),
      gone: () => {
        this.#followers.get(alias)?.stop();
        this.#followers.delete(alias);
        // An idle server is started by the next call: its tools stay.
        if (connection.state !== 'idle') this.registry.drop(alias);
        this.tell({ kind: 'tools' });
      },
      changed: () => this.tell({ kind: 'server', server: connection.view() }),
    });
    return connection;
  }

  async #ready(config: ServerConfig, client: Client): Promise<void> {
    const { alias, tools } = config;
    const take = async (lists: Lists): Promise<void> => {
      const { changed, problems } = await this.registry.take(alias, lists, tools);
      this.tell({ kind: 'tools' });
      for (const message of problems) this.tell({ kind: 'problem', server: alias, message });
      this.#changedTools.ask(alias, changed);
    };
    const follower = followLists(client, take, (message) => this.tell({ kind: 'problem', server: alias, message }));
    this.#followers.set(alias, follower);
    await follower.ready;
  }

  async start(): Promise<void> {
    for (const message of this.#problems.splice(0)) this.tell({ kind: 'problem', server: '', message });
    void resumeLeft({
      desk: this.desk,
      recorder: this.recorder,
      connections: this.#connections,
      registry: this.registry,
      gate: this.#gate,
      limits: this.limits,
      closing: this.#closing.signal,
      tell: this.tell,
      config: (server) => this.#configs.get(server),
      onEvent: (listener) => this.on(listener),
    });
    await Promise.all([...this.#connections.values()].map((connection) => connection.start()));
  }

  async restart(alias: string): Promise<void> {
    const connection = this.#connections.get(alias);
    if (connection === undefined) throw new TypeError(`There is no server '${alias}'`);
    await connection.stop();
    await connection.start();
  }

  servers(): ServerView[] {
    return [...this.#connections.values()].map((connection) => connection.view());
  }

  async setRoots(roots: readonly string[]): Promise<void> {
    this.#roots = roots;
    for (const [alias, { client }] of this.#connections) {
      if (this.#configs.get(alias)?.roots === undefined) await client?.setRoots(() => roots.map(rootOf));
    }
  }

  async revoke(server?: string): Promise<number> {
    const why = 'taken back by the program';
    const deed = {
      act: 'revoke',
      server: server ?? '',
      what: server ?? 'everything',
      who: 'user',
      allow: true,
      why,
    } as const;
    await this.recorder.decided(deed);
    return this.#grants.revoke(server);
  }

  on(listener: HostListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.desk.close();
    this.#closing.abort(new Error('The host is closed'));
    await Promise.all([...this.#connections.values()].map((connection) => connection.stop()));
    this.#guard.close();
    await this.audit.close();
  }
}

/**
 * Makes a host: it starts servers, shows what they offer under names of their own, and lets nothing happen that nobody decided.
 * Rejects with a `TypeError` for options that make no sense.
 *
 * @example
 * ```ts
 * const host = await createHost({ servers: { travel: { command: 'node', args: ['travel.js'] } }, approve: () => ({ allow: true }) });
 * await host.start();
 * ```
 */
export const createHost = async (options: HostOptions): Promise<Host> => {
  const host = new RealHost(options);
  await host.open();
  const { calls, registry, desk } = host;
  const made: Host = {
    start: () => host.start(),
    servers: () => host.servers(),
    restart: (alias) => host.restart(alias),
    tools: () => registry.tools(),
    prompts: () => registry.prompts(),
    resources: () => registry.resources(),
    templates: () => registry.templates(),
    call: calls.call,
    read: calls.read,
    prompt: calls.prompt,
    complete: calls.complete,
    onToolsChanged: (listener) => host.on(({ kind }) => kind === 'tools' && listener()),
    pending: () => desk.items(),
    answer: (id, decision) => desk.answer(id, decision),
    decisions: () => host.recorder.recent(),
    revoke: (server) => host.revoke(server),
    setRoots: (roots) => host.setRoots(roots),
    on: (listener) => host.on(listener),
    close: () => host.close(),
    [Symbol.asyncDispose]: () => host.close(),
    async run(options) {
      const { runConversation } = await import('./conversation/run.ts');
      const system = systemOf(options.system, host.servers());
      const { resultCharacters } = host.limits;
      return runConversation({
        resultCharacters,
        ...options,
        toolbox: made,
        ...(system === undefined ? {} : { system }),
      });
    },
  };
  return made;
};
