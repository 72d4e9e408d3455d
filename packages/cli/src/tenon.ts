#!/usr/bin/env node
import process from 'node:process';
import { Failure } from './failure.ts';
import { main } from './main.ts';
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

// Whoever reads may stop early (`tenon list -- … | head`): that is no failure of ours.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

/** Resolves when everything written so far has left. */
const written = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) resolve();
    else stream.write('', () => resolve());
  });

// A server ends by itself, when its client or a signal says so.
if (!(await runOwnServer(process.argv.slice(2)))) {
  const { stdin, stdout, stderr } = process;
  const code = await main(process.argv.slice(2), { stdin, stdout, stderr, interrupt: interrupt.signal });
  await Promise.all([written(stdout), written(stderr)]);
  process.exit(code);
}
