import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { isAlive } from '@tenon/values/node/process-identity';

const PREFIX = 'tenon-inspect-';

/** Removes the folders of programs that were killed. */
function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch {
      // It belongs to another user.
    }
  }
}

/**
 * A folder that exists as long as this program runs. Its name has the process id, so that a later program recognizes a leftover.
 */
export function makeSessionFolder(parent = tmpdir()): string {
  sweep(parent);
  return mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
}
