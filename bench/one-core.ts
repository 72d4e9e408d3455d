// Programs that take turns on a pipe share one core. The kernel may run them on one core or on two, which changes what a call costs by half, and
// differs from turn to turn.
import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import process from 'node:process';

function taskset(...args: string[]): string {
  return execFileSync('taskset', [...args, String(process.pid)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

/** Keeps this process, and those that it starts, on one core until the returned function is called. Only Linux has `taskset`; elsewhere nothing changes. */
export function useOneCore(): () => void {
  try {
    // `pid 1's current affinity mask: 3`
    const mask = taskset('-p').trim().split(' ').at(-1)!;
    taskset('-a', '-c', '-p', String(availableParallelism() - 1));
    return () => void taskset('-a', '-p', mask);
  } catch {
    return () => {};
  }
}
