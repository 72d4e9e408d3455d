// A real NATS server for tests: found or installed with apt, on a free port of this machine.

import { spawn, spawnSync } from 'node:child_process';
import { apt } from './apt.ts';
import { endWithThisProcess } from './end-with-this-process.ts';
import { freePort } from './free-port.ts';

/** A NATS server that a test started. */
export interface NatsProcess {
  readonly port: number;
  readonly address: string;
  /** Kills it. */
  kill(): Promise<void>;
  /** Starts it again, with the same port and settings. */
  start(): Promise<void>;
}

function isInstalled(): boolean {
  return spawnSync('nats-server', ['--version']).status === 0;
}

/** Installs it if it is missing. Throws if that fails: a test of NATS without NATS would prove nothing. */
function ensureInstalled(): void {
  if (isInstalled()) return;
  console.error('Installing nats-server with apt');
  apt('update');
  apt('install', '-y', '--no-install-recommends', 'nats-server');
  if (!isInstalled())
    throw new Error('nats-server was not found and could not be installed. Install NATS 2.9 or newer');
}

/** Starts a NATS server. `settings`: further arguments, such as `['--user', 'x', '--pass', 'y']`. */
export async function startNats(settings: readonly string[] = []): Promise<NatsProcess> {
  ensureInstalled();
  const port = await freePort();
  let kill: NatsProcess['kill'] = async () => {};
  const nats: NatsProcess = {
    port,
    address: `nats://127.0.0.1:${port}`,
    kill: () => kill(),
    async start() {
      const args = ['--addr', '127.0.0.1', '--port', String(port), ...settings];
      const child = spawn('nats-server', args, { stdio: ['ignore', 'ignore', 'pipe'] });
      endWithThisProcess(child);
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      kill = async () => {
        child.kill('SIGKILL');
        await ended;
      };
      await new Promise<void>((resolve, reject) => {
        let output = '';
        child.stderr.setEncoding('utf8').on('data', (text: string) => {
          output = `${output}${text}`.slice(-10_000);
          if (output.includes('Server is ready')) resolve();
        });
        child.once('error', reject);
        child.once('exit', (code) => reject(new Error(`nats-server ended with ${code}: ${output}`)));
      });
    },
  };
  await nats.start();
  return nats;
}
