import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import process from 'node:process';

/** Does a process with this number run here? */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user runs, too.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Names where process numbers mean the same: a machine since it was started, and on Linux one namespace of it, such as a container. It has
 * no spaces.
 */
export async function pidNamespace(): Promise<string> {
  const known =
    process.platform === 'linux'
      ? await Promise.all([
          readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
          readlink('/proc/self/ns/pid').catch(() => ''),
        ])
      : [];
  return [hostname(), ...known.map((text) => text.trim())].filter((text) => text !== '').join('/');
}
