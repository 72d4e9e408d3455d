// Preloaded into a server that a test starts and that does not use its stdin: the pipe closes when the test ends, even if it is killed, and
// then the server exits.
import process from 'node:process';

process.stdin
  .once('end', () => process.exit())
  .once('error', () => process.exit())
  .resume();
