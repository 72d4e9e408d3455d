// Drives one server over stdio with a fixed number of calls in flight, and tells what a call cost it.
import { type Cost, startProgram } from './measured.ts';

export interface StdioLoad {
  readonly server: string;
  readonly era: 'modern' | 'legacy';
  readonly inFlight: number;
  readonly calls: number;
}

/** Enough for the compiler of the runtime to have seen everything. */
const WARM_UP = 40_000;
const CLAIM = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
};

/** Runs a load. */
export const runStdio = async ({ server, era, inFlight, calls }: StdioLoad): Promise<Cost> => {
  const measured = startProgram(`servers/stdio/${server}`);
  const { child, cpu } = measured;

  let lastId = 0;
  const call = (): string => {
    const params = { ...(era === 'modern' ? { _meta: CLAIM } : {}), name: 'echo', arguments: { text: 'hello world' } };
    return `${JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method: 'tools/call', params })}\n`;
  };

  const answers = count(child.stdout.setEncoding('utf8'));
  const drive = async (upTo: number): Promise<void> => {
    child.stdin.write(Array.from({ length: inFlight }, call).join(''));
    let open = inFlight;
    await answers((arrived) => {
      open -= arrived;
      const more = Math.min(arrived, upTo - lastId);
      if (more > 0) child.stdin.write(Array.from({ length: more }, call).join(''));
      open += Math.max(more, 0);
      return open === 0;
    });
  };

  try {
    if (era === 'legacy') {
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 'i', method: 'initialize', params })}\n`);
      await answers(() => true);
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
    }
    await drive(inFlight === 1 ? WARM_UP / 4 : WARM_UP);
    const before = await cpu();
    const began = performance.now();
    await drive(lastId + calls);
    const seconds = (performance.now() - began) / 1_000;
    return { cpu: ((await cpu()) - before) / calls, perSecond: calls / seconds };
  } catch (error) {
    throw new Error(`${server} could not be measured: ${measured.errors()}`, { cause: error });
  } finally {
    measured.kill();
  }
};

/** Counts lines as they arrive until `done` says so. */
const count = (stream: NodeJS.ReadableStream): ((done: (arrived: number) => boolean) => Promise<void>) => {
  let listener: ((arrived: number) => void) | undefined;
  stream.on('data', (chunk: string) => {
    let lines = 0;
    for (let at = chunk.indexOf('\n'); at !== -1; at = chunk.indexOf('\n', at + 1)) lines++;
    if (lines > 0) listener?.(lines);
  });
  return (done) =>
    new Promise((resolve, reject) => {
      listener = (arrived) => {
        if (done(arrived)) resolve();
      };
      stream.once('end', () => reject(new Error('the server closed its stdout')));
    });
};
