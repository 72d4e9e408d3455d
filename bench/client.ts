// Lets one client call a server of Tenon, and tells what a call cost the client. Where both are in one process, it is what a call cost both.
// The client checks every answer: each call has a text of its own.
import { type Cost, type Measured, programPath, startProgram } from './measured.ts';
import { startHttp } from './http.ts';

export interface ClientLoad {
  readonly client: string;
  /** Path of the Node that runs client and server. */
  readonly node: string;
  readonly transport: 'http' | 'stdio' | 'memory';
  readonly inFlight: number;
  readonly warmUp: number;
  readonly calls: number;
}

/** Tells a client to make so many calls, and waits for them. */
async function drive({ stdin, line, ended }: Measured, calls: number): Promise<void> {
  const done = line();
  stdin.write(`${JSON.stringify({ calls })}\n`);
  await Promise.race([done, ended]);
}

/** Runs a load. */
export async function runClient({ client, node, transport, inFlight, warmUp, calls }: ClientLoad): Promise<Cost> {
  const overHttp = { server: 'tenon', node, era: 'modern', call: 'echo', tools: 4 } as const;
  const server = transport === 'http' ? await startHttp(overHttp) : undefined;
  const target =
    server !== undefined
      ? { port: server.port }
      : transport === 'memory'
        ? { memory: true }
        : { command: node, args: [programPath('servers/stdio/tenon')] };
  const env = { SERVER: JSON.stringify(target), IN_FLIGHT: String(inFlight) };
  const measured = startProgram(`clients/${client}`, { node, env });
  try {
    await measured.line();
    await drive(measured, warmUp);
    const before = await measured.cpu();
    const began = performance.now();
    await drive(measured, calls);
    const seconds = (performance.now() - began) / 1_000;
    return { cpu: ((await measured.cpu()) - before) / calls, perSecond: calls / seconds };
  } catch (error) {
    throw new Error(`client ${client}: ${(error as Error).message}\n${measured.errors()}`, { cause: error });
  } finally {
    measured.kill();
    server?.child.kill();
  }
}
