// Programs that take turns on a pipe share one core. The kernel may run them on one core or on two, which changes what a call costs by half, and
// differs from turn to turn.
import { execFileSync } from 'node:child_process';
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
    // `pid 1's current affinity list: 0-3,8`
    const cores = taskset('-c', '-p').trim().split(' ').at(-1)!;
    taskset('-a', '-c', '-p', /\d+$/.exec(cores)![0]);
    return () => void taskset('-a', '-c', '-p', cores);
  } catch {
    console.error('taskset cannot be used: programs that take turns on a pipe are not kept on one core');
    return () => {};
  }
}
