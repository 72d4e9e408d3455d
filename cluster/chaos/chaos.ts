// Several nodes on one database, clients of every revision, and something that kills, stops and cuts at random.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, connect, type SavedTask } from 'tenon/client';
import { type Authority, startAuthority } from '../../examples/auth/authority.ts';
import { seededRandom } from '../../scripts/lib/seeded-random.ts';
import { type Fault, WATCHED } from '../app.ts';
import { type Balancer, startBalancer } from '../balancer.ts';
import { type Engine, type EngineName, ENGINES } from '../engines.ts';
import { NodeProcess } from '../node-process.ts';
import { type ProtectedEndpoint, PROVIDER_CLIENT, redirectUriOf } from '../protected.ts';
import { CLIENT_KINDS } from './clients.ts';
import { History } from './history.ts';
import { readEffects, violationsOf } from './invariants.ts';
import { LoginWorker } from './login-worker.ts';
import { Resumer } from './resumer.ts';
import { Watcher } from './watcher.ts';
import { Worker } from './worker.ts';

export interface ChaosOptions {
  readonly engine: EngineName;
  readonly seed: number;
  /** Ends when so many nodes have been killed (0: nothing is broken), so many calls have been acknowledged, and each client has made a few. */
  readonly kills: number;
  readonly acknowledged: number;
  readonly nodes?: number;
  /** How many clients there are of each kind. */
  readonly clientsPerKind?: number;
  /** Mistakes of the server, which the report has to name. */
  readonly faults?: readonly Fault[];
  /** How long a call may take, in milliseconds. Default 20,000. */
  readonly callMs?: number;
  readonly onProgress?: (text: string) => void;
}

export interface Report {
  readonly kills: number;
  readonly stops: number;
  readonly cuts: number;
  readonly drops: number;
  readonly attempts: number;
  readonly acknowledged: number;
  readonly tasks: number;
  readonly seconds: number;
  readonly violations: readonly string[];
  readonly history: History;
}

/** How long a task stays with a process that does not renew its lease, in milliseconds. */
const LEASE_MS = 1_000;
/** Most time between two faults, in milliseconds. */
const PAUSE_MS = 400;
/** Most time for which the database is away, in milliseconds. */
const AWAY_MS = 3_000;

/** How many attempts each client makes at least. */
const ATTEMPTS = 3;

/** How often nodes that cannot start are started again, until something else than the database must be wrong. */
const MAX_STARTS = 20;

/** How long the cluster may need to settle once nothing is broken any more, in milliseconds. */
const SETTLE_MS = 60_000;
/** How often a change is announced meanwhile, in milliseconds. */
const ANNOUNCE_MS = 500;

/** What a cluster consists of beside its nodes. */
interface ClusterParts {
  readonly engine: Engine;
  readonly balancer: Balancer;
  /** In front of the protected endpoints. */
  readonly protectedBalancer: Balancer;
  readonly provider: Authority;
  /** The file of effects. */
  readonly effects: string;
}

class Chaos {
  readonly #options: ChaosOptions;
  readonly #engine: Engine;
  readonly #balancer: Balancer;
  readonly #protectedBalancer: Balancer;
  readonly #protectedEndpoint: ProtectedEndpoint;
  readonly #effects: string;
  readonly #random: () => number;
  readonly history = new History();
  #workers: readonly (Worker | Resumer | LoginWorker)[] = [];
  #nodes: NodeProcess[] = [];
  kills = 0;
  stops = 0;
  cuts = 0;
  drops = 0;

  constructor(options: ChaosOptions, { engine, balancer, protectedBalancer, provider, effects }: ClusterParts) {
    this.#options = options;
    this.#engine = engine;
    this.#balancer = balancer;
    this.#protectedBalancer = protectedBalancer;
    this.#protectedEndpoint = { resource: protectedBalancer.url, issuer: provider.issuer };
    this.#effects = effects;
    this.#random = seededRandom(options.seed);
  }

  get url(): string {
    return this.#balancer.url;
  }

  /** Starts the nodes, lets the clients work while it breaks things, and follows every task to its end. */
  async run(): Promise<void> {
    const { nodes = 3 } = this.#options;
    this.#nodes = Array.from({ length: nodes }, () => this.#newNode());
    await this.#deal();
    const workers = (this.#workers = this.#makeWorkers());
    const watchers = (['2026-07-28', '2025-11-25'] as const).flatMap((revision) => [
      new Watcher(this.url, { uri: WATCHED }, revision),
      new Watcher(this.url, { list: 'tools' }, revision),
    ]);
    const working = [...workers, ...watchers].map((each) => each.run());
    while (!this.#isEnough()) {
      await sleep(this.#random() * PAUSE_MS);
      if (this.#options.kills > 0) await this.#breakSomething();
      const { kills, stops, cuts, drops } = this;
      const { attempts, acknowledged } = this.history;
      this.#options.onProgress?.(
        `${kills} kills, ${stops} stops, ${cuts} cuts, ${drops} drops: ${acknowledged} of ${attempts.length} calls acknowledged`,
      );
    }
    for (const worker of workers) worker.stop();
    await this.#deal();
    await this.#checkChanges(watchers);
    for (const watcher of watchers) watcher.stop();
    await Promise.all(working);
    await this.#followTasks();
  }

  #makeWorkers(): readonly (Worker | Resumer | LoginWorker)[] {
    const { clientsPerKind = 1, callMs = 20_000 } = this.#options;
    const { url, history } = this;
    const random = this.#random;
    const resource = this.#protectedBalancer.url;
    return Array.from({ length: clientsPerKind }, (_, at) => [
      ...CLIENT_KINDS.map((kind) => new Worker({ kind, name: `${kind.name} ${at}`, url, history, callMs, random })),
      new Resumer({ name: `resumer ${at}`, url, history, callMs, random }),
      ...(['2026-07-28', '2025-11-25'] as const).map(
        (revision) => new LoginWorker({ name: `user ${revision} ${at}`, url: resource, history, callMs, revision }),
      ),
    ]).flat();
  }

  violations(): string[] {
    return violationsOf(this.history, readEffects(readFileSync(this.#effects, 'utf8')));
  }

  async close(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.end()));
  }

  #isEnough(): boolean {
    const { kills, acknowledged } = this.#options;
    const counts = Map.groupBy(this.history.attempts, ({ client }) => client);
    return (
      this.kills >= kills &&
      this.history.acknowledged >= acknowledged &&
      this.#workers.every(({ name }) => (counts.get(name)?.length ?? 0) >= ATTEMPTS)
    );
  }

  #newNode(): NodeProcess {
    const { store, bus } = this.#engine;
    const { faults } = this.#options;
    return new NodeProcess({
      store,
      bus,
      effects: this.#effects,
      protectedEndpoint: this.#protectedEndpoint,
      limits: { leaseMs: LEASE_MS },
      faults,
      onError: (text) => void (process.env['CHAOS_DEBUG'] && process.stderr.write(text)),
    });
  }

  /** Gives the balancers the nodes, once all of them listen. A node that cannot start, since the database is away, is started again. */
  async #deal(): Promise<void> {
    let ports: (readonly number[] | undefined)[];
    let starts = 0;
    do {
      if (++starts > MAX_STARTS) throw new Error('The nodes of the cluster do not start');
      ports = await Promise.all(this.#nodes.map((node) => node.ports.catch(() => undefined)));
      for (const [at, each] of ports.entries()) if (each === undefined) this.#nodes[at] = this.#newNode();
    } while (ports.includes(undefined));
    this.#balancer.ports = ports.map((each) => each![0]!);
    this.#protectedBalancer.ports = ports.map((each) => each![1]!);
  }

  async #breakSomething(): Promise<void> {
    const { restart, network } = this.#engine;
    const chance = this.#random();
    if (chance > 0.85) {
      this.drops++;
      this.#protectedBalancer.drop();
      return this.#balancer.drop();
    }
    if (restart !== undefined && chance < 0.08) {
      this.stops++;
      await restart(() => sleep(this.#random() * AWAY_MS));
    } else if (network !== undefined && chance < 0.16) {
      this.cuts++;
      const mend = network.interrupt(this.#random() < 0.5 ? 'refuse' : 'hold');
      await sleep(this.#random() * AWAY_MS);
      mend();
    } else {
      this.kills++;
      const at = Math.floor(this.#random() * this.#nodes.length);
      const node = this.#nodes[at]!;
      // A deployment ends a node with SIGTERM.
      await node.end(this.#random() < 0.2 ? 'SIGTERM' : 'SIGKILL');
      this.#nodes[at] = this.#newNode();
    }
    await this.#deal();
  }

  /**
   * Once nothing is broken any more, a change that any node announces reaches everyone who listens. It is announced again and again, since a
   * client that connects again at that moment may miss one. Needs a bus.
   */
  async #checkChanges(watchers: readonly Watcher[]): Promise<void> {
    if (this.#engine.bus === undefined) return;
    const late = performance.now() + SETTLE_MS;
    await using client = await connect(this.url);
    for (const watcher of watchers) {
      const before = watcher.heard;
      while (watcher.heard === before && performance.now() < late) {
        await client.call('change');
        await sleep(ANNOUNCE_MS);
      }
      if (watcher.heard === before) this.history.violations.push(`${watcher.name} did not hear of any change`);
    }
  }

  /** Asks for the end of each task, twice, at any node. */
  async #followTasks(): Promise<void> {
    await this.#deal();
    await using client = await connect(this.url, { revision: '2026-07-28' });
    for (let time = 0; time < 2; time++)
      for (const task of this.history.tasks) task.ends.push(await endOf(client, task.handle as SavedTask<string>));
  }
}

async function endOf(client: Client, handle: SavedTask<string>): Promise<string> {
  try {
    return JSON.stringify({ value: await (await client.task(handle)).value() });
  } catch (error) {
    return JSON.stringify({ error: (error as Error).message });
  }
}

/** Runs a cluster in which something always breaks, and reports what did not hold. */
export async function runChaos(options: ChaosOptions): Promise<Report> {
  const began = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'tenon-chaos-'));
  const effects = join(folder, 'effects.txt');
  writeFileSync(effects, '');
  const engine = await ENGINES[options.engine]();
  const balancer = await startBalancer();
  const protectedBalancer = await startBalancer();
  const provider = await startAuthority({
    resources: new Map(),
    clients: [
      {
        client_id: PROVIDER_CLIENT.id,
        client_secret: PROVIDER_CLIENT.secret,
        redirect_uris: [redirectUriOf(protectedBalancer.url)],
        application_type: 'native',
      },
    ],
  });
  const chaos = new Chaos(options, { engine, balancer, protectedBalancer, provider, effects });
  try {
    await chaos.run();
    const { kills, stops, cuts, drops, history } = chaos;
    return {
      ...{ kills, stops, cuts, drops, history },
      attempts: history.attempts.length,
      acknowledged: history.acknowledged,
      tasks: history.tasks.length,
      seconds: Math.round((performance.now() - began) / 1_000),
      violations: chaos.violations(),
    };
  } finally {
    await chaos.close();
    balancer.close();
    protectedBalancer.close();
    await provider.close();
    await engine.delete();
    rmSync(folder, { recursive: true, force: true });
  }
}
