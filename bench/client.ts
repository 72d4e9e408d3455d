// Lets one client call a server of Tenon, and tells what a call cost the client. Where both are in one process, it is what a call cost both.
// The client checks every answer: each call has a text of its own.
import { type Measured, programPath, type Running, startProgram, warmed } from './measured.ts';
import { startHttp } from './http.ts';

export interface ClientLoad {
  readonly client: string;
  /** Path of the Node that runs client and server. */
  readonly node: string;
  readonly transport: 'http' | 'stdio' | 'memory';
  readonly inFlight: number;
  /** Calls before the first that is measured. */
  readonly warmUp: number;
}

/** Tells a client to make so many calls, and waits for them. */
async function drive({ stdin, line, ended }: Measured, calls: number): Promise<void> {
  const done = line();
  stdin.write(`${JSON.stringify({ calls })}\n`);
  await Promise.race([done, ended]);
}

/** Starts a load, with a client and a server that are warm. */
export async function openClient({ client, node, transport, inFlight, warmUp }: ClientLoad): Promise<Running> {
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
  let ready = false;
  const run = async (calls: number): Promise<void> => {
    if (!ready) await measured.line();
    ready = true;
    await drive(measured, calls);
  };
  const close = (): void => {
    measured.kill();
    server?.child.kill();
  };
  return warmed(measured, { name: `client ${client}`, warmUp, run, close });
}
