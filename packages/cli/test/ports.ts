import { connect } from 'node:net';
import { until } from '../../../scripts/lib/until.ts';

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const done = (open: boolean): void => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
  });
}

/** Waits until a process listens on a port. */
export async function untilOpen(port: number): Promise<void> {
  await until(() => isOpen(port), `a process that listens on port ${port}`);
}
