// Is imported by a server that a test starts and that has no use for its stdin: the pipe ends with the test, also when that is killed, and the
// server with it.
import process from 'node:process';

process.stdin
  .once('end', () => process.exit())
  .once('error', () => process.exit())
  .resume();
