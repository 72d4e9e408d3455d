import { closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { devNull } from 'node:os';
import process from 'node:process';
import type { Writable } from 'node:stream';

const STDOUT = 1;

/** Closes stdout, which Node itself never does, and opens the null device in its place, so that no other file gets the descriptor. */
function closeStdout(): void {
  try {
    closeSync(STDOUT);
    openSync(devNull, 'w');
  } catch {
    // Already closed.
  }
}

/**
 * Stdout as a stream that can be closed, so that the reader sees its end: `process.stdout` stays open until the process ends. Where stdout
 * is a file or a terminal, that does not matter.
 */
export function closableStdout(): Writable {
  try {
    return new Socket({ fd: STDOUT, readable: false, writable: true }).once('close', closeStdout);
  } catch {
    return process.stdout;
  }
}
