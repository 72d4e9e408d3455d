import { spawn } from 'node:child_process';
import process from 'node:process';

/**
 * Waits for a line, which means that all is well. If the pipe ends without one, because the process that should write it is gone,
 * the processes of the group have two seconds to notice the end of their stdin, then three more after SIGTERM, and are then
 * killed.
 */
const SCRIPT = `
read -r _ && exit 0
left() { kill -0 "-$1" 2>/dev/null; }
n=0; while left "$1" && [ $n -lt 20 ]; do sleep 0.1; n=$((n+1)); done
left "$1" && kill -TERM "-$1" 2>/dev/null
n=0; while left "$1" && [ $n -lt 30 ]; do sleep 0.1; n=$((n+1)); done
left "$1" && kill -KILL "-$1" 2>/dev/null
exit 0`;

/**
 * Ensures that a process group ends even if this process is killed outright, when no code of its own can run. The guard is a
 * separate process: a shell that waits on a pipe. Returns a function that releases it. On Windows there is no guard.
 */
export function guardGroup(group: number): () => void {
  if (process.platform === 'win32') return () => {};
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'tenon-guard', String(group)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // In a group of its own, so that a signal to our group does not end it.
    detached: true,
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
  });
  // Without a shell there is no guard, and everything else works.
  guard.on('error', () => {});
  guard.stdin.on('error', () => {});
  guard.unref();
  (guard.stdin as unknown as { unref?: () => void }).unref?.();
  return () => guard.stdin.end('done\n');
}
