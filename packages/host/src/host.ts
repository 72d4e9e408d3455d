import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { HostError } from './values/host-error.ts';
import { type Audit, openAudit } from './audit/audit.ts';
import { createChanges } from './connections/changes.ts';
import { Calls } from './calls/calls.ts';
import { createWatches, type Watches } from './calls/watches.ts';
import { findExposedState } from './config/exposed-state.ts';
import type { ServerConfig } from './config/server-config.ts';
import { configsOf } from './connections/configs.ts';
import { Connections } from './connections/connections.ts';
import type { RunOptions, RunResult } from './conversation/types.ts';
import type { DecisionRecord, HostEvent, HostListener } from './events.ts';
import { checkHostOptions, type HostLimits, LIMITS, type HostOptions } from './options.ts';
import { DecisionQueue } from './pending/decision-queue.ts';
import type { Decision, Item } from './pending/item.ts';
import { createGate, type Gate } from './policy/gate.ts';
import type { ServerIdentity } from './policy/subject.ts';
import { type Grants, loadGrants } from './policy/grants.ts';
import { checkedRules, unknownServers } from './policy/rules.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { type HostPrompt, type HostResource, type HostTemplate, Registry } from './registry/registry.ts';
import { resumeInterruptedCalls } from './calls/resume-calls.ts';
import type { Toolbox } from './registry/toolbox.ts';
import type { ServerView } from './servers/view.ts';
import { rootUri } from './servers/client-options.ts';
import { pause } from './servers/pause.ts';
import { createFolderStore, createMemoryStore, createSharedStore, type StateStore } from './state/state-store.ts';
import { displayText } from './values/plain-text.ts';
import { withoutUndefined } from '@tenon/values/without-undefined';

/** Many servers, one policy. */
export interface Host
  extends Required<Omit<Toolbox, 'unavailableReason'>>, Omit<Calls, 'running'>, Pick<Watches, 'watch'> {
  /** Starts all servers in parallel. Resolves when each is ready, is late, or has failed once; `servers()` then says why. */
  start(): Promise<void>;
  /** All servers with their states, in the order of the options. */
  servers(): readonly ServerView[];
  /** The current prompts of all servers. */
  prompts(): readonly HostPrompt[];
  /** The current resources of all servers. */
  resources(): readonly HostResource[];
  /** The current resource templates of all servers. */
  templates(): readonly HostTemplate[];
  /**
   * Runs a conversation with a model that can use the tools of all servers. Every call is subject to the policy of this host. The result
   * says why the run ended; rejects only with a `TypeError` for invalid options.
   */
  run(options: RunOptions): Promise<RunResult>;
  /** Starts a server again, for example one that failed or was refused. Rejects with a `TypeError` for an unknown alias. */
  restart(alias: string): Promise<void>;
  /** The items that wait for a person. */
  pending(): readonly Item[];
  /**
   * Decides about a waiting item. False if it no longer waits. Throws a `DecisionError` if the decision is invalid or does not fit the
   * item, such as a form that is not filled in correctly: the item then keeps waiting.
   */
  answer(id: string, decision: Decision): boolean;
  /** The latest decisions, oldest first, each with its reason. */
  decisions(): readonly DecisionRecord[];
  /**
   * Revokes decisions that were made for longer than once, for one server or for all: the person is asked again. Calls in progress
   * continue. Returns the number of revoked decisions.
   */
  revoke(server?: string): Promise<number>;
  /** Changes the roots, and notifies the servers. */
  setRoots(roots: readonly string[]): Promise<void>;
  /** Subscribes to all events. Returns a function that unsubscribes. */
  on(listener: HostListener): () => void;
  /** Stops all servers. Waiting items are abandoned, except questions of calls that another program can resume. */
  close(): Promise<void>;
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The maximum time to wait for announced changes of tools. */
const MAX_SETTLE_MS = 3_000;

/** The parts that live as long as the host. */
class HostImpl {
  readonly limits: HostLimits;
  readonly #options: HostOptions;
  readonly #configs: ReadonlyMap<string, ServerConfig>;
  readonly #listeners = new Set<HostListener>();
  readonly #closing = new AbortController();
  /** Problems found while the host is created, when there are no listeners yet. Emitted by `start`. */
  readonly #queuedProblems: { readonly kind: 'problem'; readonly server: ''; readonly message: string }[] = [];
  #isStarted = false;
  #closed: Promise<void> | undefined;
  #gate!: Gate;
  #grants!: Grants;
  #roots: readonly string[];
  #connections!: Connections;
  queue!: DecisionQueue;
  registry!: Registry;
  recorder!: Recorder;
  /** Undefined without `state`. */
  audit: Audit | undefined;
  calls!: Calls;
  watches!: Watches;

  constructor(options: HostOptions) {
    this.#options = options;
    // Every operation in progress listens to it. Newer versions of Node have no limit for signals.
    setMaxListeners(0, this.#closing.signal);
    this.limits = { ...LIMITS, ...withoutUndefined(options.limits ?? {}) };
    this.#configs = configsOf(options.servers);
    this.#roots = options.roots ?? [];
  }

  readonly emit = (emitted: HostEvent): void => {
    const event = emitted.kind === 'problem' ? { ...emitted, message: displayText(emitted.message) } : emitted;
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch {
        // A failing listener must not affect the host.
      }
    }
  };

  readonly #reportEarly = (message: string): void => {
    const event = { kind: 'problem', server: '', message } as const;
    if (this.#isStarted) this.emit(event);
    else this.#queuedProblems.push(event);
  };

  #exposedState(): readonly string[] {
    const { state, folder = process.cwd() } = this.#options;
    if (typeof state !== 'string') return [];
    return findExposedState({ state, configs: [...this.#configs.values()], roots: this.#roots, folder });
  }

  async open(): Promise<void> {
    const { state, approve, ask, rules = [] } = this.#options;
    const checked = checkedRules(rules);
    const store = stateStoreOf(state);
    const { limits, emit } = this;
    const closing = this.#closing.signal;
    const now = Date.now;
    const isReturning = (server: string): boolean => this.#connections.all.get(server)?.isStarting === true;
    const registry = (this.registry = new Registry(store, [...this.#configs.keys()], isReturning));
    this.audit = await openAuditIn(state);
    const recorder = (this.recorder = createRecorder(this.audit, emit, now));
    const queue = (this.queue = new DecisionQueue({
      store,
      handlerOf: (item) => (item.kind === 'question' ? ask : approve),
      onChange: () => emit({ kind: 'pending', items: this.queue.items() }),
      reportProblem: (server, message) => emit({ kind: 'problem', server, message }),
    }));
    this.#grants = await loadGrants(store, now, this.#reportEarly);
    for (const message of unknownServers(checked, [...this.#configs.keys()])) this.#reportEarly(message);
    for (const message of this.#exposedState()) this.#reportEarly(message);
    const gate = (this.#gate = createGate(checked, this.#grants, (item, exactly, { signal, onWaiting }) =>
      queue.decide(item, {
        exactly,
        signal: signal === undefined ? closing : AbortSignal.any([signal, closing]),
        onWaiting,
      }),
    ));
    const emitServer = (server: string): void => {
      const connection = this.#connections.all.get(server);
      if (connection !== undefined) emit({ kind: 'server', server: connection.view() });
    };
    const changes = createChanges({ queue, registry, recorder, closing, emit, emitServer });
    const parts = { limits, store, queue, gate, recorder, registry, changes, closing, emit };
    this.#connections = new Connections({
      ...parts,
      host: this.#options,
      configs: this.#configs,
      running: (server) => this.calls.running(server),
      connected: (server, client) => this.watches.connected(server, client),
      roots: () => this.#roots,
    });
    const connection = (server: string) => this.#connections.all.get(server);
    const identity = (server: string): ServerIdentity => ({
      server,
      trusted: this.#configs.get(server)?.trusted ?? false,
      launch: connection(server)?.launchDigest,
    });
    this.watches = createWatches({ ...parts, connection, identity });
    this.calls = new Calls({
      ...parts,
      connection,
      identity,
      refresh: (server) => this.#connections.refresh(server),
    });
  }

  #assertOpen(): void {
    if (this.#closing.signal.aborted) throw new HostError('host-closed', 'The host is closed');
  }

  async start(): Promise<void> {
    this.#assertOpen();
    const { all } = this.#connections;
    if (!this.#isStarted) {
      this.#isStarted = true;
      for (const event of this.#queuedProblems.splice(0)) this.emit(event);
      void resumeInterruptedCalls({
        queue: this.queue,
        recorder: this.recorder,
        connections: all,
        registry: this.registry,
        gate: this.#gate,
        limits: this.limits,
        closing: this.#closing.signal,
        emit: this.emit,
        config: (server) => this.#configs.get(server),
        onEvent: (listener) => this.on(listener),
      });
    }
    await Promise.all([...all.values()].map((connection) => connection.start()));
  }

  async restart(alias: string): Promise<void> {
    const connection = this.#connections.all.get(alias);
    if (connection === undefined) throw new TypeError(`There is no server '${alias}'`);
    await connection.stop({ requestedBy: 'user', why: 'it is to be started again' });
    // The host may have been closed in the meantime.
    this.#assertOpen();
    await connection.start();
  }

  async toolsSettled(signal = this.#closing.signal): Promise<void> {
    // Messages that arrived together with the last answer are handled first.
    await new Promise((resolve) => setImmediate(resolve));
    const either = AbortSignal.any([signal, this.#closing.signal]);
    const stopped = new AbortController();
    await Promise.race([this.#connections.caughtUp(), pause(MAX_SETTLE_MS, AbortSignal.any([either, stopped.signal]))]);
    stopped.abort();
  }

  servers(): ServerView[] {
    return [...this.#connections.all.values()].map((connection) => connection.view());
  }

  /** The servers, once their current names and instructions were compared with the approved ones. */
  async describedServers(): Promise<ServerView[]> {
    await Promise.all([...this.#connections.all.keys()].map((server) => this.#connections.describe(server)));
    return this.servers();
  }

  async setRoots(roots: readonly string[]): Promise<void> {
    this.#roots = roots;
    const notified = [...this.#connections.all].map(async ([alias, { client }]) => {
      if (this.#configs.get(alias)?.roots === undefined) await client?.setRoots(() => roots.map(rootUri));
    });
    // A server that cannot be notified now requests the roots after it has started again.
    await Promise.allSettled(notified);
  }

  async revoke(server?: string): Promise<number> {
    const why = 'taken back by the program';
    const deed = {
      act: 'revoke',
      server: server ?? '',
      target: server ?? 'everything',
      requestedBy: 'user',
      allow: true,
      why,
    } as const;
    await this.recorder.recordDecision(deed);
    return this.#grants.revoke(server);
  }

  on(listener: HostListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    void this.queue.close();
    this.#closing.abort(new HostError('host-closed', 'The host is closed'));
    await this.#connections.close();
    // Cancelled actions are recorded before the log is closed.
    await this.queue.settled();
    await new Promise((resolve) => setImmediate(resolve));
    await this.audit?.close();
  }
}

/**
 * Creates a host: it starts servers, lists what they offer under qualified names, and does nothing without a decision. Rejects with a
 * `TypeError` for invalid options.
 *
 * @example
 * ```ts
 * import { createHost } from '@tenon/host';
 *
 * await using host = await createHost({
 *   servers: { travel: { command: 'node', args: ['travel.js'] } },
 *   rules: [{ effect: 'allow', server: 'travel', annotations: { readOnlyHint: true } }],
 *   approve: (item) => ({ allow: item.kind === 'start' }),
 * });
 * await host.start();
 * const result = await host.call('travel__find_flights', { to: 'Oslo' });
 * ```
 */
export async function createHost(options: HostOptions): Promise<Host> {
  checkHostOptions(options);
  const host = new HostImpl(options);
  await host.open();
  const { calls, registry, queue } = host;
  const api: Host = {
    start: () => host.start(),
    servers: () => host.servers(),
    restart: (alias) => host.restart(alias),
    tools: () => registry.tools(),
    prompts: () => registry.prompts(),
    resources: () => registry.resources(),
    templates: () => registry.templates(),
    call: (name, args, callOptions) => calls.call(name, args, callOptions),
    read: (server, uri, readOptions) => calls.read(server, uri, readOptions),
    watch: host.watches.watch,
    prompt: (name, args, promptOptions) => calls.prompt(name, args, promptOptions),
    complete: (server, ref, typed) => calls.complete(server, ref, typed),
    unavailableReason: (name) => calls.unavailableReason(name),
    toolsSettled: (signal) => host.toolsSettled(signal),
    onToolsChanged: (listener) => host.on(({ kind }) => kind === 'tools' && listener()),
    pending: () => queue.items(),
    answer: (id, decision) => queue.answer(id, decision),
    decisions: () => host.recorder.recent(),
    revoke: (server) => host.revoke(server),
    setRoots: (roots) => host.setRoots(roots),
    on: (listener) => host.on(listener),
    close: () => host.close(),
    [Symbol.asyncDispose]: () => host.close(),
    async run(options) {
      const { runConversation } = await import('./conversation/run.ts');
      const { systemOf } = await import('./conversation/system.ts');
      const system = systemOf(options.system, await host.describedServers());
      const { resultCharacters = host.limits.resultCharacters } = options;
      return runConversation({ ...options, resultCharacters, toolbox: api, system });
    },
  };
  return api;
}

/** Opens the audit log, which is kept with the rest of the state. A host without state has no log. */
async function openAuditIn(state: HostOptions['state']): Promise<Audit | undefined> {
  if (state === undefined) return undefined;
  return openAudit(typeof state === 'string' ? { file: join(state, 'audit.jsonl') } : { store: state });
}

function stateStoreOf(state: HostOptions['state']): StateStore {
  if (state === undefined) return createMemoryStore();
  return typeof state === 'string' ? createFolderStore(state) : createSharedStore(state);
}
