// Loaded into every server that is measured: tells on stderr how much processor time the process has used and, where its garbage can be
// collected, what its heap holds, when it is asked to.
process.on('SIGUSR2', () => {
  const { user, system } = process.cpuUsage();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.stderr.write(`\nmeasured ${user + system} ${heapUsed + external}\n`);
});
