import { closeSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { devNull } from 'node:os';
import process from 'node:process';
import type { Writable } from 'node:stream';

const STDOUT = 1;

/** Lets go of stdout, which Node never does by itself. Its place is taken, so that no other file can get it. */
const letGo = (): void => {
  try {
    closeSync(STDOUT);
    openSync(devNull, 'w');
  } catch {
    // It is closed already.
  }
};

/**
 * Our stdout as a stream that can be closed, so that whoever reads sees its end: `process.stdout` keeps it open until the process ends.
 * Where stdout is a file or a terminal nobody waits for its end.
 */
export const closableStdout = (): Writable => {
  try {
    return new Socket({ fd: STDOUT, readable: false, writable: true }).once('close', letGo);
  } catch {
    return process.stdout;
  }
};
