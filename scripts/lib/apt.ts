// Debian's package manager, for programs that tests need. It needs root.

import { execFileSync } from 'node:child_process';
import process from 'node:process';

/** Runs `apt-get`. False: it failed, and stderr says why. */
export function apt(...args: readonly string[]): boolean {
  try {
    execFileSync('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    return true;
  } catch (error) {
    console.error(`apt-get ${args.join(' ')}: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}
