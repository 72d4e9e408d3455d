import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { until } from '../../../scripts/lib/until.ts';

/** A port that no process listens on. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const done = (open: boolean): void => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
  });

/** Waits until a process listens on a port. */
export const untilOpen = async (port: number): Promise<void> => {
  await until(() => isOpen(port), `a process that listens on port ${port}`);
};
