// For databases and brokers that a test starts, which know nothing of the process that started them.

import type { ChildProcess } from 'node:child_process';
import process from 'node:process';

/** Kills a program when this process exits, also after an error before any hook was registered. Otherwise it would run on forever. */
export function endWithThisProcess(child: ChildProcess): void {
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
}
