// The client side: `connect` needs only a channel.
// Run it:  node examples/unix-socket/connect.ts /tmp/notes.sock lisbon
import { once } from 'node:events';
import { connect as dialSocket } from 'node:net';
import { connect, type ConnectOptions } from 'tenon/client';
import { streamChannel } from 'tenon/node';
import type app from '../notes/server.ts';

/** Connects to the notebook on a socket. */
export async function dial(path: string, options?: ConnectOptions) {
  const socket = dialSocket(path);
  await once(socket, 'connect');
  return connect<typeof app>(streamChannel(socket, socket), options);
}

if (process.argv[1] === import.meta.filename) {
  const [path = 'notes.sock', text = ''] = process.argv.slice(2);
  await using client = await dial(path);
  const { found } = await client.call('search_notes', { text });
  for (const { id, title } of found) console.log(`${id}  ${title}`);
}
