// A real NATS server for tests: found or installed with apt, on a free port of this machine.

import { freePort } from './free-port.ts';
import { type ServerProgram, serverProgram } from './server-program.ts';

/** A NATS server that a test started. */
export interface NatsProcess extends ServerProgram {
  readonly port: number;
  readonly address: string;
}

/** Starts a NATS server. `settings`: further arguments, such as `['--user', 'x', '--pass', 'y']`. */
export async function startNats(settings: readonly string[] = []): Promise<NatsProcess> {
  const port = await freePort();
  const args = ['--addr', '127.0.0.1', '--port', String(port), ...settings];
  const ready = 'Server is ready';
  const program = serverProgram({ name: 'nats-server', args, output: 'stderr', ready, needed: 'NATS 2.9' });
  await program.start();
  return { ...program, port, address: `nats://127.0.0.1:${port}` };
}
