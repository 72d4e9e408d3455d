// The three servers in the inspector, to see their messages and try them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { type Inspector, openInspector, openPage, type Target } from '@tenon/inspector';
import { startServers } from './servers.ts';

const hasDisplay =
  process.platform !== 'linux' || (process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY'] ?? '') !== '';

const folder = mkdtempSync(join(tmpdir(), 'tenon-travel-'));
const { configs, close } = await startServers(folder);

const targets = configs.flatMap(({ alias, launch }): Target[] => {
  if (launch.kind === 'value') return [];
  return [{ id: alias, name: alias, launch: launch.kind === 'stdio' ? launch : { url: launch.url } }];
});

async function end(inspector?: Inspector): Promise<void> {
  await inspector?.close();
  close();
  rmSync(folder, { recursive: true, force: true });
}

try {
  const inspector = await openInspector({ targets, by: 'the travel example' });
  console.log(`The travel planner's servers, inspected: ${inspector.url}`);
  console.log('Ctrl-C ends it.');
  if (hasDisplay) await openPage(inspector.url);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void end(inspector).then(() => process.exit(0)));
} catch (error) {
  await end();
  throw error;
}
