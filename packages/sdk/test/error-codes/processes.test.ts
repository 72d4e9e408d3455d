// Programs that cannot be started, or that end.
import process from 'node:process';
import { type Command, spawnChannel } from '../../src/entries/node.ts';
import { provoke } from '../../../../scripts/lib/error-codes.ts';
import type { ErrorCode } from '../../src/protocol/error-codes.ts';

/** Reads the output of a program until it ends. */
async function run(command: Command): Promise<void> {
  const channel = spawnChannel(command);
  try {
    for await (const _ of channel.incoming);
  } finally {
    await channel.close();
  }
}

function runScript(code: string): Promise<void> {
  return run({ command: process.execPath, args: ['-e', code] });
}

// Windows has neither signals nor files that are not executable.
if (process.platform !== 'win32') {
  provoke<ErrorCode<'SpawnError'>>('SpawnError', {
    'no-such-program': () => run({ command: 'tenon-no-such-program' }),
    'no-such-folder': () => run({ command: process.execPath, cwd: '/tenon/no/such/folder' }),
    'not-executable': () => run({ command: import.meta.dirname }),
    'spawn-failed': () => run({ command: 'a\0b' }),
  });

  provoke<ErrorCode<'ProcessExitError'>>('ProcessExitError', {
    'process-exited': () => runScript('process.exit(3)'),
    'process-killed': () => runScript('process.kill(process.pid, "SIGKILL")'),
    'stdout-closed': () => runScript('require("fs").closeSync(1); process.stdin.resume()'),
  });
}
