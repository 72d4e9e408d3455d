import { Socket } from 'node:net';
import process from 'node:process';
import type { Writable } from 'node:stream';

/**
 * Our stdout as a stream that can be closed, so that whoever reads sees its end: `process.stdout` keeps it open until the process ends.
 * Where stdout is a file or a terminal it cannot be closed, and nobody waits for that.
 */
export const closableStdout = (): Writable => {
  try {
    return new Socket({ fd: 1, readable: false, writable: true });
  } catch {
    return process.stdout;
  }
};
