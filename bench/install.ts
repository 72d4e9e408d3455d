// Installs what Tenon is measured beside (package.json of this folder), unless it is there as it is pinned.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { npmCommand } from '../scripts/lib/npm.mjs';

const here = dirname(fileURLToPath(import.meta.url));
function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** What Tenon is measured beside, by name. */
export const { dependencies: pinned } = readJson(join(here, 'package.json')) as {
  dependencies: Readonly<Record<string, string>>;
};

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly optional?: boolean }>>;
}

function isInstalled(): boolean {
  const wanted = readJson(join(here, 'package-lock.json')) as Lock;
  const present = join(here, 'node_modules/.package-lock.json');
  if (!existsSync(present)) return false;
  const found = (readJson(present) as Lock).packages;
  return Object.entries(wanted.packages).every(
    // An optional package that is missing belongs to another platform.
    ([path, { version, optional }]) =>
      path === '' || found[path]?.version === version || (optional === true && found[path] === undefined),
  );
}

/** Fails where npm fails. */
export function install(): void {
  if (isInstalled()) return;
  console.log('Installing what Tenon is compared with (bench/package.json)');
  const npm = npmCommand(join(here, '..'));
  const args = [...npm.args, 'ci', '--ignore-scripts', '--include=optional', '--no-audit', '--no-fund'];
  const { status } = spawnSync(npm.file, args, { cwd: here, stdio: 'inherit', shell: npm.shell });
  if (status !== 0) process.exit(1);
}
