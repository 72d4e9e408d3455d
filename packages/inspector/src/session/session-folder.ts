import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { isAlive } from '@tenon/values/node/process-identity';

const PREFIX = 'tenon-inspect-';

/** Takes away what programs that were killed have left. */
function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch {
      // It is of another user.
    }
  }
}

/** A folder for as long as this program runs. It has the number of this process, so that a later one knows when it is left over. */
export function makeSessionFolder(parent = tmpdir()): string {
  sweep(parent);
  return mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
}
