// The servers for testing the pages.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { TestContext } from 'node:test';
import type { Target } from '../../src/session/contract.ts';
import { type HttpServer, listening } from '../fixtures/launch.ts';

type Launch = Target['launch'];

const root = join(import.meta.dirname, '../../../..');
const require = createRequire(import.meta.url);

/** The official server, built with the official SDK, version 1. */
export const official: Launch = {
  command: process.execPath,
  args: [require.resolve('@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'],
};

/** The server of this repository, which supports every revision. */
export const everything: Launch = {
  command: process.execPath,
  args: [join(root, 'servers/everything/bin/server-everything.js')],
};

/** A server of the fixtures that listens on a port. It ends with the test. */
export async function at(
  t: TestContext,
  name: HttpServer,
  ...args: readonly string[]
): Promise<Launch & { readonly url: string }> {
  const server = await listening(name, ...args);
  t.after(server.stop);
  return { url: server.url };
}

interface Travel {
  startServers(folder: string): Promise<{
    readonly configs: readonly { readonly alias: string; readonly launch: Launch & { readonly kind: string } }[];
    close(): void;
  }>;
}

/** The three servers of the travel planner. They end with the test. */
export async function travel(t: TestContext): Promise<Readonly<Record<string, Launch>>> {
  const place = new URL('../../../../examples/travel/servers.ts', import.meta.url).href;
  const { startServers } = (await import(place)) as Travel;
  const folder = mkdtempSync(join(tmpdir(), 'tenon-travel-'));
  const { configs, close } = await startServers(folder);
  t.after(() => {
    close();
    rmSync(folder, { recursive: true, force: true });
  });
  return Object.fromEntries(
    configs.map(({ alias, launch }) => [alias, 'url' in launch ? { url: launch.url } : launch]),
  );
}
