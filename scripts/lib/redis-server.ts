// A real Redis for tests: found or installed with apt, in a folder of its own, on a free port of this machine.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { type ServerProgram, serverProgram } from './server-program.ts';

/** A running Redis. Its data stays when it is killed, if it writes any. */
export interface RedisProcess extends ServerProgram {
  readonly port: number;
  /** Its address, without a database. */
  readonly address: string;
  /** Kills it, and deletes its data. */
  stop(): Promise<void>;
}

/** Starts a Redis, on this port if one is given. `settings`: further ones, such as `['--requirepass', 'x']`. */
export async function startRedis(settings: readonly string[] = [], given?: number): Promise<RedisProcess> {
  const port = given ?? (await freePort());
  const folder = mkdtempSync(join(tmpdir(), 'tenon-redis-'));
  const fixed = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--daemonize', 'no'];
  const args = [...fixed, ...settings];
  const ready = 'Ready to accept connections';
  const program = serverProgram({ name: 'redis-server', args, output: 'stdout', ready, needed: 'Redis 6' });
  await program.start();
  const stop = async (): Promise<void> => {
    await program.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  return { ...program, port, address: `redis://127.0.0.1:${port}`, stop };
}
