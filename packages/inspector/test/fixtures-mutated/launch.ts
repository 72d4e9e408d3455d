// The servers of this folder, by name.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Servers that speak over stdin and stdout. */
export const STDIO_SERVERS = [
  'app',
  'asks',
  'banner',
  'dies',
  'exits',
  'flood',
  'hostile',
  'listchanged',
  'many',
  'official-v1',
  'official-v2',
  'shapes',
  'silent',
  'slow',
  'wrong-output',
] as const;
export type StdioServer = (typeof STDIO_SERVERS)[number];

/** Servers that listen on a port. */
export const HTTP_SERVERS = [
  'app',
  'asks',
  'hostile-auth',
  'listchanged',
  'many',
  'official-v1',
  'official-v2',
  'protected',
  'sse',
  'wrong-path',
] as const;
export type HttpServer = (typeof HTTP_SERVERS)[number];

export const serverFile = (name: StdioServer | HttpServer): string =>
  join(dirname(fileURLToPath(import.meta.url)), 'servers', `${name}.ts`);

/** The command of a server. What follows the name is for the server. */
export const command = (
  name: StdioServer,
  ...args: readonly string[]
): { readonly command: string; readonly args: string[] } => ({
  command: process.execPath,
  args: [serverFile(name), ...args],
});

export interface Listening extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** How long a server may take to listen, in milliseconds. */
const START_MS = 20_000;

/** Starts a server that listens on a port of its own. It ends with `stop`, and with this process. */
export const listening = async (name: HttpServer, ...args: readonly string[]): Promise<Listening> => {
  const child = spawn(process.execPath, [serverFile(name), '--http', ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  let problem = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (problem = `${problem}${text}`.slice(-10_000)));
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.stdin.end();
    child.kill('SIGKILL');
    await ended;
  };
  const first = createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const limit = AbortSignal.timeout(START_MS);
  const tooLong = new Promise<never>((_, reject) => {
    limit.addEventListener('abort', () => reject(new Error(`${name} said no address for ${START_MS} ms\n${problem}`)));
  });
  try {
    const { value: url } = (await Promise.race([first, tooLong])) as IteratorResult<string, undefined>;
    if (url === undefined) throw new Error(`${name} ended before it listened\n${problem}`);
    child.stdout.resume();
    return { url, pid: child.pid!, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
};
