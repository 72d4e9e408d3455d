// Runs tables of wrong values in processes that end at the first uncaught error.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Outcome } from './report.ts';

/** Runs a program with tables in its own process. */
export async function outcomeOf(program: URL, ...args: readonly string[]): Promise<Outcome> {
  const child = spawn(
    process.execPath,
    [...process.execArgv, '--unhandled-rejections=strict', fileURLToPath(program), ...args],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const text = (await child.stdout.toArray()).join('');
  const code = await closed;
  assert.ok(code === 0 && text !== '', `The process ended with code ${code}, and said: ${text}`);
  return JSON.parse(text) as Outcome;
}
