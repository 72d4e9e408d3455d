// The three servers as a host configures them: two commands, and one URL.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import type { ServerConfig } from '@tenon/host';
import type { Revision } from 'tenon/client';

function file(name: string): string {
  return join(import.meta.dirname, 'servers', `${name}.ts`);
}

/** Serves the weather server on a free port, in a separate process. */
async function serveWeather(): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const child = spawn(process.execPath, [file('weather')], { stdio: ['ignore', 'ignore', 'pipe'] });
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const found = /http:\/\/\S+/.exec(said)?.[0];
      if (found !== undefined) resolve(found);
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`The weather is not served: ${said}`)));
  });
  return { url, child };
}

/** The server options of the host. `folder`: where the servers store data; `revision`: the revision for all of them. */
export async function startServers(
  folder: string,
  revision?: Revision,
): Promise<{ readonly configs: readonly ServerConfig[]; close(): void }> {
  const { url, child } = await serveWeather();
  const pinned = revision === undefined ? {} : { revision };
  const command = (name: string, env: Record<string, string>): ServerConfig => ({
    alias: name,
    launch: { kind: 'stdio', command: process.execPath, args: [file(name)], env },
    ...pinned,
  });
  return {
    configs: [
      command('travel', { TRAVEL_DATA: join(folder, 'travel') }),
      { alias: 'weather', launch: { kind: 'http', url, headers: {} }, ...pinned },
      command('calendar', { CALENDAR_DATA: join(folder, 'calendar') }),
    ],
    close: () => void child.kill(),
  };
}
