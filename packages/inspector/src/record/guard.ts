import { spawn } from 'node:child_process';
import process from 'node:process';

/**
 * Waits for a line, which says that all is well. When there is none because who should write it is gone, the processes of the group have
 * two seconds to notice that their stdin ended, three more after SIGTERM, and are killed then.
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
 * Sees to it that a process group ends even if this process is killed outright, which nobody is told. It is a process of its own: a shell
 * that waits on a pipe. Gives the function that lets it go. On Windows there is no guard.
 */
export function guardGroup(group: number): () => void {
  if (process.platform === 'win32') return () => {};
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'tenon-guard', String(group)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // A signal for our group is not for it.
    detached: true,
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
  });
  // Without a shell there is no guard, and all else works.
  guard.on('error', () => {});
  guard.stdin.on('error', () => {});
  guard.unref();
  (guard.stdin as unknown as { unref?: () => void }).unref?.();
  return () => guard.stdin.end('done\n');
}
