// A real Redis for tests: found or installed with apt, in a folder of its own, on a free port of this machine.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apt } from './apt.ts';
import { endWithThisProcess } from './end-with-this-process.ts';
import { freePort } from './free-port.ts';

/** A Redis that a test started. */
export interface RedisProcess {
  readonly port: number;
  /** Its address, without a database. */
  readonly address: string;
  /** Kills it. Its data stays, if it writes any. */
  kill(): Promise<void>;
  /** Starts it again, with the same port, settings and data. */
  start(): Promise<void>;
  /** Kills it, and deletes its data. */
  stop(): Promise<void>;
}

function isInstalled(): boolean {
  return spawnSync('redis-server', ['--version']).status === 0;
}

/** Installs Redis if it is missing. Throws if that fails: a test of Redis without Redis would prove nothing. */
function ensureInstalled(): void {
  if (isInstalled()) return;
  console.error('Installing redis-server with apt');
  apt('update');
  apt('install', '-y', '--no-install-recommends', 'redis-server');
  if (!isInstalled())
    throw new Error('redis-server was not found and could not be installed. Install Redis 6 or newer');
}

/** Starts a Redis, on this port if one is given. `settings`: further ones, such as `['--requirepass', 'x']`. */
export async function startRedis(settings: readonly string[] = [], given?: number): Promise<RedisProcess> {
  ensureInstalled();
  const port = given ?? (await freePort());
  const folder = mkdtempSync(join(tmpdir(), 'tenon-redis-'));
  const fixed = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--daemonize', 'no'];
  let kill: RedisProcess['kill'] = async () => {};
  const redis: RedisProcess = {
    port,
    address: `redis://127.0.0.1:${port}`,
    kill: () => kill(),
    async start() {
      const child = spawn('redis-server', [...fixed, ...settings], { stdio: ['ignore', 'pipe', 'ignore'] });
      endWithThisProcess(child);
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      kill = async () => {
        child.kill('SIGKILL');
        await ended;
      };
      await new Promise<void>((resolve, reject) => {
        let output = '';
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          output = `${output}${text}`.slice(-10_000);
          if (output.includes('Ready to accept connections')) resolve();
        });
        child.once('error', reject);
        child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}: ${output}`)));
      });
    },
    async stop() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await redis.start();
  return redis;
}
