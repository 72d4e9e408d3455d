#!/usr/bin/env node
import process from 'node:process';
import { Failure } from './failure.ts';
import { main } from './main.ts';
import { watchOutput } from './output.ts';
import { runOwnServer } from './own-servers.ts';

const interrupt = new AbortController();
const onInterrupt = (): void => {
  // The second time somebody means it: children are told by their own guard when this process exits.
  if (interrupt.signal.aborted) process.exit(130);
  interrupt.abort(new Failure('interrupted', 'interrupted', 'Interrupted'));
};
// A server that is served, or recorded, decides for itself what a signal means.
const OWN_SIGNALS: ReadonlySet<string | undefined> = new Set(['run', 'record']);
// Whoever else ends this program, or closes its terminal, must not leave servers behind.
if (!OWN_SIGNALS.has(process.argv[2]))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onInterrupt);

// When stderr is gone there is no way to report anything.
process.stderr.on('error', () => {});

/** Resolves when everything written so far has left. */
const written = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) resolve();
    else stream.write('', () => resolve());
  });

const { stdin, stdout, stderr } = process;
let lost: Failure | undefined;
let isTold = false;
const output = watchOutput(stdout, (failure) => {
  lost = failure;
  // A verb that has just printed its last result is over, with the code that it found.
  setImmediate(() => interrupt.abort(failure));
});
// A server that is served ends this process by itself.
process.on('exit', (code) => {
  if (isTold || lost === undefined || lost.exit === 0) return;
  stderr.write(`tenon: ${lost.message}\n`);
  if (code === 0) process.exitCode = lost.exit;
});

const argv = process.argv.slice(2);
// A server ends by itself, when its client or a signal says so.
if (!(await runOwnServer(argv))) {
  const code = await main(argv, { stdin, stdout: output, stderr, interrupt: interrupt.signal });
  isTold = true;
  await written(stderr);
  process.exit(code);
}
