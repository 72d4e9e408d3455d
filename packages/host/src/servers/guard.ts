import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Ends the servers of a host that was killed and could not do so itself. A shell reads from a pipe; when the pipe ends while process groups
 * are left, they get SIGTERM, and SIGKILL a second later. Servers that end with their stdin have exited by then.
 */
export interface Guard {
  watch(process: { readonly pid: number; readonly exited: Promise<unknown> }): void;
  close(): void;
}

/** Reads lines `+pid` and `-pid`. A group that was removed is never signalled, as its id may have been reused. */
const SCRIPT = `
groups=' '
while read -r line; do
  case $line in
    +*) groups="$groups\${line#+} " ;;
    -*) gone=\${line#-}; rest=' '; for g in $groups; do [ "$g" = "$gone" ] || rest="$rest$g "; done; groups=$rest ;;
    end) exit 0 ;;
  esac
done
sleep 1
for g in $groups; do kill -s TERM -- "-$g" 2>/dev/null; done
sleep 1
for g in $groups; do kill -s KILL -- "-$g" 2>/dev/null; done
`;

const NONE: Guard = { watch() {}, close() {} };

/** Does nothing on Windows, which ends the processes of a console itself and has no process groups. */
export function createGuard(): Guard {
  if (process.platform === 'win32') return NONE;
  let shell: ChildProcess | undefined;
  const begin = (): ChildProcess => {
    // In its own process group, so that killing the host's group does not end it.
    const started = spawn('/bin/sh', ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], detached: true, cwd: '/' });
    // Without a shell there is no guard, but the servers still see the end of their stdin.
    started.on('error', () => {});
    started.stdin!.on('error', () => {});
    started.unref();
    (started.stdin as unknown as { unref?: () => void }).unref?.();
    return started;
  };
  const send = (line: string): void => void (shell ??= begin()).stdin!.write(`${line}\n`);
  return {
    watch({ pid, exited }) {
      send(`+${pid}`);
      void exited.finally(() => send(`-${pid}`));
    },
    close() {
      if (shell === undefined) return;
      send('end');
      shell.stdin!.end();
    },
  };
}
