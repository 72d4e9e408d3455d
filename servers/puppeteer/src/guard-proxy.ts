// The browser reaches the network only through this SOCKS5 proxy (RFC 1928), so no request gets past the rules: redirects, frames, fetch,
// WebSockets, workers, preconnects. The browser does not resolve names; each name is resolved here, and the address that was checked is used.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, isIPv6, type LookupFunction, type Socket } from 'node:net';
import { limited } from './limited.ts';
import { type Destination, destinationOf, type Origins, RefusedError } from './origins.ts';

const HANDSHAKE_MS = 10_000;
/** How long the addresses of a name may take, and then the connection. */
const CONNECT_MS = 15_000;
const MAX_CONNECTIONS = 512;
/** For how many destinations it is remembered why they could not be connected to. */
const MAX_FAILURES = 200;

const NEVER = new AbortController().signal;

const VERSION = 5;
const REPLY = { succeeded: 0, notAllowed: 2, unreachable: 4, unsupported: 7 } as const;

/** A running proxy. */
export interface GuardProxy {
  readonly port: number;
  /** Why the last connection to a destination was not made; undefined if there was none, or it was made. */
  failureOf(destination: Destination): string | undefined;
  close(): void;
}

function keyOf({ hostname, port }: Destination): string {
  return `${hostname} ${port}`;
}

/** Starts a proxy on a free local port. */
export async function startGuardProxy(origins: Origins, connectMs = CONNECT_MS): Promise<GuardProxy> {
  const failures = new Map<string, string>();
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    const report = (destination: Destination, failure: string | undefined): void => {
      failures.delete(keyOf(destination));
      if (failure !== undefined) failures.set(keyOf(destination), failure);
      if (failures.size > MAX_FAILURES) failures.delete(failures.keys().next().value!);
    };
    void serve(socket, { origins, connectMs, report }).catch(() => socket.destroy());
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    failureOf: (destination) => failures.get(keyOf(destination)),
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

interface Serving {
  readonly origins: Origins;
  readonly connectMs: number;
  readonly report: (destination: Destination, failure: string | undefined) => void;
}

/** Serves one connection. Rejects if the peer does not speak SOCKS5, or is too slow. */
async function serve(socket: Socket, serving: Serving): Promise<void> {
  const { report } = serving;
  socket.setTimeout(HANDSHAKE_MS, () => socket.destroy());
  const read = reader(socket);
  const [version, count] = await read(2);
  if (version !== VERSION) throw new Error('That is not SOCKS5');
  await read(count!);
  // No authentication: what the proxy allows is what the pages may do, and any program on this machine can do as much.
  socket.write(Uint8Array.of(VERSION, 0));
  const [, command, , type] = await read(4);
  const destination = await readDestination(read, type!);
  if (command !== 1 || destination === undefined) return void socket.end(replyOf(REPLY.unsupported));
  socket.setTimeout(0);
  let target: Socket;
  try {
    target = await connectTo(destination, serving);
  } catch (error) {
    const isRefused = error instanceof RefusedError;
    report(destination, (error as Error).message);
    return void socket.end(replyOf(isRefused ? REPLY.notAllowed : REPLY.unreachable));
  }
  report(destination, undefined);
  target.on('error', () => socket.destroy()).once('close', () => socket.destroy());
  socket.once('close', () => target.destroy());
  if (socket.destroyed) return void target.destroy();
  socket.write(replyOf(REPLY.succeeded));
  socket.pipe(target).pipe(socket);
}

function replyOf(code: number): Uint8Array {
  return Uint8Array.of(VERSION, code, 0, 1, 0, 0, 0, 0, 0, 0);
}

/** Reads bytes of the handshake. What comes after them stays in the socket. */
function reader(socket: Socket): (count: number) => Promise<Buffer> {
  return async (count) => {
    if (count === 0) return Buffer.alloc(0);
    for (;;) {
      const bytes = socket.read(count) as Buffer | null;
      if (bytes !== null && bytes.length === count) return bytes;
      if (bytes !== null || socket.readableEnded || socket.destroyed) throw new Error('The handshake was cut');
      await once(socket, 'readable');
    }
  };
}

/** Reads the address of a request. Undefined: its type is unknown. */
async function readDestination(
  read: (count: number) => Promise<Buffer>,
  type: number,
): Promise<Destination | undefined> {
  const host = await readHost(read, type);
  const url = `http://${host}:${(await read(2)).readUInt16BE()}`;
  // The parser of URLs gives names and addresses the form that they have in the rules.
  return host !== undefined && URL.canParse(url) ? destinationOf(new URL(url)) : undefined;
}

async function readHost(read: (count: number) => Promise<Buffer>, type: number): Promise<string | undefined> {
  if (type === 1) return (await read(4)).join('.');
  if (type === 3) {
    const name = (await read((await read(1))[0]!)).toString('latin1');
    return isIPv6(name) ? `[${name}]` : name;
  }
  if (type !== 4) return undefined;
  const bytes = await read(16);
  return `[${Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(at * 2).toString(16)).join(':')}]`;
}

async function connectTo(destination: Destination, { origins, connectMs }: Serving): Promise<Socket> {
  const { hostname, port } = destination;
  const seconds = connectMs / 1_000;
  // A lookup of the system cannot be cancelled, and may take minutes.
  const unresolved = (): Error => new Error(`the addresses of ${hostname} were not found within ${seconds} seconds`);
  const addresses = await limited(
    origins.addressesOf(destination),
    { signal: NEVER, timeoutMs: connectMs },
    unresolved,
  );
  const pinned = ((_, { all }, answer) =>
    all === true
      ? answer(null, [...addresses])
      : answer(null, addresses[0]!.address, addresses[0]!.family)) as LookupFunction;
  const target = connect({ host: hostname, port, lookup: pinned, autoSelectFamily: true, noDelay: true });
  const limit = setTimeout(
    () => target.destroy(new Error(`${hostname}:${port} did not answer within ${seconds} seconds`)),
    connectMs,
  );
  try {
    await once(target, 'connect');
    return target;
  } finally {
    clearTimeout(limit);
  }
}
