// Finds the shells of this machine, for tests of what `tenon completion` prints.

import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { apt } from './apt.ts';

/** The shells that have a completion. Their packages have the same names. */
const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

function isInstalled(shell: Shell): boolean {
  return spawnSync(shell, ['--version']).status === 0;
}

/** Installs missing shells with apt, which needs root. If that fails, they stay missing. */
export function installShells(): void {
  const missing = SHELLS.filter((shell) => !isInstalled(shell));
  if (missing.length === 0) return;
  console.error(`Installing ${missing.join(' and ')} with apt`);
  apt('update');
  apt('install', '-y', '--no-install-recommends', ...missing);
}

/** The reason to skip a test of a shell; false if the shell is installed. In CI tests must not be skipped, so there it throws. */
export function missingShell(shell: Shell): string | false {
  if (isInstalled(shell)) return false;
  const reason = `${shell} was not found. Install it: npm test -- completion tries to, with apt`;
  if (process.env['CI'] !== undefined) throw new Error(reason);
  return reason;
}
