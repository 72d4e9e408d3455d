// The other side: a channel is all `connect` needs.
import { connect as connectSocket } from 'node:net';
import { once } from 'node:events';
import { connect, type ConnectOptions } from 'tenon/client';
import { streamChannel } from 'tenon/node';
import type app from '../notes/server.ts';

/** Connects to the notebook on a socket. */
export const dial = async (path: string, options?: ConnectOptions) => {
  const socket = connectSocket(path);
  await once(socket, 'connect');
  return connect<typeof app>(streamChannel(socket, socket), options);
};
