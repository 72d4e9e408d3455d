import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import process from 'node:process';

/** Is a process with this pid running here? */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Neither the boot nor the namespace of a process changes. Undefined until both could be read. */
let found: string | undefined;

/**
 * Identifies the scope in which pids are unique: one boot of a machine, and on Linux one pid namespace of it, such as a container. It
 * contains no spaces.
 */
export async function pidNamespace(): Promise<string> {
  if (found !== undefined) return found;
  const known: readonly string[] =
    process.platform === 'linux'
      ? await Promise.all([
          readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
          readlink('/proc/self/ns/pid').catch(() => ''),
        ])
      : [];
  const name = [hostname(), ...known.map((text) => text.trim())].filter((text) => text !== '').join('/');
  if (!known.includes('')) found = name;
  return name;
}
