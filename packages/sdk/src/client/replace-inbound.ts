import type { RpcConnection, Inbound } from './rpc-connection.ts';

/** Makes `inbound` the handler of a connection, and passes on the messages that arrived too early for it. */
export function replaceInbound(rpc: RpcConnection, inbound: Inbound): void {
  const before = rpc.inbound;
  rpc.inbound = inbound;
  before.handOver?.(inbound);
}
