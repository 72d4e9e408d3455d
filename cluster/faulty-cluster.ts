// Three nodes on one Redis, for tests of faults. Each node reaches its store and its bus over networks of its own.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { Limits } from 'tenon';
import { type RedisProcess, startRedis } from '../scripts/lib/redis-server.ts';
import { startTcpProxy, type TcpProxy } from '../scripts/lib/tcp-proxy.ts';
import { until } from '../scripts/lib/until.ts';
import type { EffectKind } from './app.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { readEffects } from './chaos/invariants.ts';
import { NodeProcess } from './node-process.ts';

const SETTINGS = ['--appendonly', 'yes', '--appendfsync', 'always', '--maxmemory-policy', 'noeviction'];
/** Short, so that tests need not wait long. */
const LIMITS: Partial<Limits> = { leaseMs: 1_000, keepAliveMs: 6_000 };

/** A node and its networks. */
export class ClusterNode {
  readonly store: TcpProxy;
  readonly bus: TcpProxy;
  readonly #process: NodeProcess;
  #port = 0;

  private constructor(store: TcpProxy, bus: TcpProxy, effects: string) {
    this.store = store;
    this.bus = bus;
    const addresses = { store: `redis://127.0.0.1:${store.port}`, bus: `redis://127.0.0.1:${bus.port}` };
    this.#process = new NodeProcess({ ...addresses, effects, limits: LIMITS, onError: () => {} });
  }

  static async start(redis: RedisProcess, effects: string): Promise<ClusterNode> {
    const node = new ClusterNode(await startTcpProxy(redis.port), await startTcpProxy(redis.port), effects);
    node.#port = await node.#process.port;
    await node.isReady();
    return node;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/mcp`;
  }

  get pid(): string {
    return String(this.#process.pid);
  }

  /** Its resident memory, in bytes, as the system counts it. */
  memory(): number {
    const [, pages = '0'] = readFileSync(`/proc/${this.pid}/statm`, 'utf8').split(' ');
    return Number(pages) * 4_096;
  }

  /** Cuts it off from Redis. Returns the function that ends this. */
  cutOff(how: 'refuse' | 'hold' = 'refuse'): () => void {
    const ends = [this.store.interrupt(how), this.bus.interrupt(how)];
    return () => {
      for (const end of ends) end();
    };
  }

  /** Resolves when its probe says that it is ready, or that it is not. */
  async isReady(status = 200): Promise<void> {
    await until(async () => (await this.#probe()) === status, `status ${status} of the probe`);
  }

  #probe(): Promise<number | undefined> {
    return new Promise((resolve) => {
      get({ host: '127.0.0.1', port: this.#port, path: '/ready', agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).once('error', () => resolve(undefined));
    });
  }

  async end(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    await this.#process.end(signal);
    await this.store.close();
    await this.bus.close();
  }
}

/** A cluster. */
export class FaultyCluster {
  readonly redis: RedisProcess;
  readonly balancer: Balancer;
  readonly nodes: ClusterNode[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), 'tenon-faults-'));
  readonly #effectsFile = join(this.#folder, 'effects.txt');

  private constructor(redis: RedisProcess, balancer: Balancer) {
    this.redis = redis;
    this.balancer = balancer;
    writeFileSync(this.#effectsFile, '');
  }

  static async start(): Promise<FaultyCluster> {
    const cluster = new FaultyCluster(await startRedis(SETTINGS), await startBalancer());
    await Promise.all([0, 1, 2].map((at) => cluster.startNode(at)));
    await cluster.areReady();
    return cluster;
  }

  /** Starts the node with this number, also again after its end. */
  async startNode(at: number): Promise<ClusterNode> {
    const node = await ClusterNode.start(this.redis, this.#effectsFile);
    this.nodes[at] = node;
    this.#deal();
    return node;
  }

  /** Replaces a node by a new one, as a deployment does: the balancer still sends requests to the old one until that says that it shuts down. */
  async replaceNode(at: number): Promise<void> {
    const old = this.nodes[at]!;
    this.nodes[at] = await ClusterNode.start(this.redis, this.#effectsFile);
    this.#deal(old);
    await old.end('SIGTERM');
    this.#deal();
  }

  /** Ends a node. */
  async endNode(at: number, signal?: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const node = this.nodes[at]!;
    await node.end(signal);
    this.#deal();
  }

  /** Resolves when all nodes are ready, get requests from the balancer, and hear each other. Each of these happens at a time of its own. */
  async areReady(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.isReady()));
    await Promise.all(this.nodes.map((node) => this.dealsTo(node, true)));
    await until(async () => (await this.#mostListeners()) === this.nodes.length, 'all nodes listen to each other');
  }

  /** The number of listeners of the channel that has most. Each node asks for its channels at once. */
  async #mostListeners(): Promise<number> {
    const channels = (await this.command('PUBSUB', 'CHANNELS')) as readonly string[];
    if (channels.length === 0) return 0;
    const counts = (await this.command('PUBSUB', 'NUMSUB', ...channels)) as readonly (string | number)[];
    return Math.max(...counts.filter((value) => typeof value === 'number'));
  }

  /** Resolves when the balancer sends no requests to a node, or when it does again. */
  async dealsTo(node: ClusterNode, does: boolean): Promise<void> {
    await until(() => this.balancer.isReady(node.port) === does, `requests ${does ? 'for' : 'for others than'} a node`);
  }

  /** How often a tool had its effect under this name, or has recorded it. */
  effectsOf(name: string, kind: EffectKind = 'effect'): number {
    const effects = readEffects(readFileSync(this.#effectsFile, 'utf8'));
    return effects.filter((effect) => effect.kind === kind && effect.name === name).length;
  }

  /** Sends a command to Redis. */
  async command(name: string, ...args: readonly string[]): Promise<unknown> {
    const client = new Redis(this.redis.port, '127.0.0.1');
    try {
      return await client.call(name, ...args);
    } finally {
      client.disconnect();
    }
  }

  async close(): Promise<void> {
    this.balancer.close();
    await Promise.all(this.nodes.map((node) => node.end()));
    await this.redis.stop();
    rmSync(this.#folder, { recursive: true });
  }

  #deal(...others: readonly ClusterNode[]): void {
    this.balancer.ports = [...this.nodes, ...others].filter(Boolean).map(({ port }) => port);
  }
}
