// Lets one client call a server of Tenon, and tells what a call cost the client. Where both are in one process, it is what a call cost both.
import { fileURLToPath } from 'node:url';
import { type Cost, type Measured, startProgram } from './measured.ts';

export interface ClientLoad {
  readonly client: string;
  readonly transport: 'http' | 'stdio' | 'memory';
  readonly inFlight: number;
  readonly calls: number;
}

/** Enough for the compiler of the runtime to have seen everything. */
const WARM_UP = 20_000;

/** Tells a client to make so many calls, and waits for them. */
const drive = async ({ child }: Measured, calls: number): Promise<void> => {
  const done = new Promise<void>((resolve, reject) => {
    let text = '';
    const onData = (chunk: string): void => {
      text += chunk;
      if (!text.includes('"done"')) return;
      child.stdout.off('data', onData);
      resolve();
    };
    child.stdout.setEncoding('utf8').on('data', onData);
    child.once('exit', (code) => reject(new Error(`it ended with code ${code}`)));
  });
  child.stdin.write(`${JSON.stringify({ calls })}\n`);
  await done;
};

/** Runs a load. */
export const runClient = async ({ client, transport, inFlight, calls }: ClientLoad): Promise<Cost> => {
  const server = transport === 'http' ? startProgram('servers/http/tenon', { TOOLS: '2', SESSIONS: '0' }) : undefined;
  const target =
    server !== undefined
      ? { port: (JSON.parse(await server.line()) as { port: number }).port }
      : transport === 'memory'
        ? { memory: true }
        : {
            command: process.execPath,
            args: [fileURLToPath(new URL('servers/stdio/tenon.mjs', import.meta.url))],
          };
  const measured = startProgram(`clients/${client}`, { SERVER: JSON.stringify(target), IN_FLIGHT: String(inFlight) });
  try {
    await measured.line();
    await drive(measured, Math.min(WARM_UP, calls));
    const before = await measured.cpu();
    const began = performance.now();
    await drive(measured, calls);
    const seconds = (performance.now() - began) / 1_000;
    return { cpu: ((await measured.cpu()) - before) / calls, perSecond: calls / seconds };
  } catch (error) {
    throw new Error(`${client} could not be measured: ${measured.errors()}`, { cause: error });
  } finally {
    measured.kill();
    server?.kill();
  }
};
