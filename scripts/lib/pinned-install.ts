// Installs the packages of a folder with its own package.json and lockfile, unless exactly these versions are installed.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { npmCommand } from './npm.mjs';
import { root } from './files.ts';

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly optional?: boolean }>>;
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** The pinned packages of a folder, by name. */
export function pinnedIn(folder: string): Readonly<Record<string, string>> {
  return (readJson(join(folder, 'package.json')) as { dependencies: Readonly<Record<string, string>> }).dependencies;
}

function isInstalled(folder: string): boolean {
  const wanted = readJson(join(folder, 'package-lock.json')) as Lock;
  const present = join(folder, 'node_modules/.package-lock.json');
  if (!existsSync(present)) return false;
  const found = (readJson(present) as Lock).packages;
  return Object.entries(wanted.packages).every(
    // An optional package that is missing is for another platform.
    ([path, { version, optional }]) =>
      path === '' || found[path]?.version === version || (optional === true && found[path] === undefined),
  );
}

/** `message` is printed if there is something to install. Ends the process if npm fails. */
export function installPinned(folder: string, message: string): void {
  if (isInstalled(folder)) return;
  console.log(message);
  const npm = npmCommand(root);
  const args = [...npm.args, 'ci', '--ignore-scripts', '--include=optional', '--no-audit', '--no-fund'];
  const { status } = spawnSync(npm.file, args, { cwd: folder, stdio: 'inherit', shell: npm.shell });
  if (status !== 0) process.exit(1);
}
