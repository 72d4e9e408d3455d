#!/usr/bin/env node
import process from 'node:process';
import { Failure } from './failure/failure.ts';
import { main } from './main.ts';
import { watchOutput } from './terminal/output.ts';
import { runOwnServer } from './own-servers.ts';

const interrupt = new AbortController();
function onInterrupt(): void {
  // A second Ctrl-C exits at once. The guards of the child processes stop them when this process exits.
  if (interrupt.signal.aborted) process.exit(130);
  interrupt.abort(new Failure('interrupted', 'interrupted', 'Interrupted'));
}
// `run` and `record` handle signals themselves.
const OWN_SIGNALS: ReadonlySet<string | undefined> = new Set(['run', 'record']);
// Other signals, or a closed terminal, must not leave servers running either.
if (!OWN_SIGNALS.has(process.argv[2]))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onInterrupt);

// If stderr is closed, nothing can be reported any more.
process.stderr.on('error', () => {});

/** Resolves when everything written so far has been flushed. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) resolve();
    else stream.write('', () => resolve());
  });
}

const { stdin, stdout, stderr } = process;
let lost: Failure | undefined;
let isReported = false;
const output = watchOutput(stdout, (failure) => {
  lost = failure;
  // Deferred, so that a verb that has just printed its last result ends with its own exit code.
  setImmediate(() => interrupt.abort(failure));
});
// A server run by `tenon run` ends this process itself, so `main` does not report lost output.
process.on('exit', (code) => {
  if (isReported || lost === undefined || lost.exit === 0) return;
  stderr.write(`tenon: ${lost.message}\n`);
  if (code === 0) process.exitCode = lost.exit;
});

const argv = process.argv.slice(2);
// A server ends when its client or a signal ends it.
if (!(await runOwnServer(argv))) {
  const code = await main(argv, { stdin, stdout: output, stderr, interrupt: interrupt.signal });
  isReported = true;
  await written(stderr);
  process.exit(code);
}
