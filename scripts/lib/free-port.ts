// A free port for tests whose servers have to know their own address before they listen.

import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * The system takes ports for connections, and for servers that listen on port 0, from above this range, so it does not take this one before
 * the server listens.
 */
const FIRST = 10_000;
const LAST = 32_000;

/** A port that no process listens on. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    const server = createServer();
    const free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!free) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
