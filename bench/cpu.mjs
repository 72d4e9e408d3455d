// Loaded into every program that is measured. Asked over the channel to its parent, it tells how much processor time it has used, or what
// its heap holds once its garbage is collected.
import process from 'node:process';

process.on('message', (what) => {
  if (what === 'heap') {
    // Twice: what a finalizer lets go is collected by the second.
    globalThis.gc?.();
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    process.send?.(heapUsed + external);
  } else {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  }
});
// The channel alone does not keep the program running.
process.channel?.unref();
// A driver that has ended, however it did, leaves no programs behind.
process.on('disconnect', () => process.exit());
