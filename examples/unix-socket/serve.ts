// A custom transport: any byte stream with the newline framing of stdio. Here it is a Unix socket (a named pipe on Windows).
// One server, many clients: every connection gets its own channel.
// Run it:  node examples/unix-socket/serve.ts /tmp/notes.sock
import { createServer } from 'node:net';
import { serve, type Served } from 'tenon';
import { streamChannel } from 'tenon/node';
import app from '../notes/server.ts';

/** Serves the notebook on a socket. Resolves when it listens. */
export async function listen(path: string): Promise<{ close(): Promise<void> }> {
  const open = new Set<Served>();
  const listener = createServer((socket) => {
    const served = serve(app, streamChannel(socket, socket));
    open.add(served);
    void served.closed.then(() => open.delete(served));
  });
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(path, resolve);
  });
  return {
    async close() {
      const closed = new Promise((resolve) => listener.close(resolve));
      await Promise.all([...open].map((served) => served.close()));
      await closed;
    },
  };
}

if (process.argv[1] === import.meta.filename) {
  const path = process.argv[2] ?? 'notes.sock';
  const { close } = await listen(path);
  console.log(`Listening on ${path}; Ctrl-C stops it`);
  process.once('SIGINT', () => void close());
}
