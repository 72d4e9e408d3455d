import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Ends the servers of a host that was killed outright and could not do it itself. A shell waits at the end of a pipe; when the pipe ends
 * and process groups are left, they get SIGTERM, and SIGKILL a second later. Servers that end with their stdin are gone by then.
 */
export interface Guard {
  watch(process: { readonly pid: number; readonly exited: Promise<unknown> }): void;
  close(): void;
}

/** Lines are `+pid` and `-pid`. A group that is told to be gone is not touched: its number may belong to somebody else by then. */
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

/** Windows ends what belongs to a console by itself, and has no process groups. */
export const createGuard = (): Guard => {
  if (process.platform === 'win32') return NONE;
  let shell: ChildProcess | undefined;
  const begin = (): ChildProcess => {
    // In a group of its own: who kills the host's group must not reach it.
    const started = spawn('/bin/sh', ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], detached: true, cwd: '/' });
    // Without a shell there is no guard; servers still see their stdin end.
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
};
