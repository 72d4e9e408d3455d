import { channelTransport } from '../client/client-transport.ts';
import type { Dialer, Explain } from '../client/dialer.ts';
import type { Channel } from '../protocol/channel.ts';
import { ProtocolError, ToolError } from '../protocol/errors.ts';
import { type Logger, silent } from '../protocol/log.ts';
import type { Server } from '../server/define.ts';
import { memoryPair } from '../transport/memory.ts';
import { serve } from '../transport/serve.ts';
import { type DialOptions, traceChannel } from './dial-options.ts';

/** The name of a server value, for caches that several clients share. */
const names = new WeakMap<Server, string>();
function nameOf(server: Server): string {
  const name = names.get(server) ?? crypto.randomUUID();
  names.set(server, name);
  return name;
}

function openServer(server: Server, options: DialOptions): Channel {
  const [near, far] = memoryPair();
  const { principal } = options;
  let isClosed = false;
  // The server may still send something after its client has closed, such as the end of a subscription: that is not a fault.
  const send: Channel['send'] = (text) => (isClosed ? undefined : far.send(text));
  const served = serve(server, { ...far, send }, { ...options.serve, principal: principal ?? options.serve.principal });
  return {
    send: near.send,
    incoming: near.incoming,
    async close() {
      isClosed = true;
      await near.close();
      await served.close();
    },
  };
}

/** How many failures of handlers are remembered. The cause of a failed call is looked up immediately. */
const MAX_FAILURES = 100;

/** Remembers the errors of handlers by the id that the peer receives in their place. */
function watchFailures(log: Logger): { readonly log: Logger; readonly explain: Explain } {
  const failures = new Map<string, unknown>();
  const causeOf = (message: string): unknown => {
    for (const [id, error] of failures) if (message.includes(id)) return error;
    return undefined;
  };
  return {
    log(entry) {
      const { errorId, details } = entry;
      if (errorId !== undefined) failures.set(errorId, details);
      const [oldest] = failures.keys();
      if (failures.size > MAX_FAILURES) failures.delete(oldest!);
      log(entry);
    },
    explain(error) {
      if ((error instanceof ProtocolError || error instanceof ToolError) && error.cause === undefined) {
        const value = causeOf(error.message);
        if (value !== undefined) Object.defineProperty(error, 'cause', { value, configurable: true, writable: true });
      }
      throw error;
    },
  };
}

/** Makes the dialer of a server in this process. */
export function dialServer(server: Server, options: DialOptions, partition: string): Dialer {
  const { log, explain } = watchFailures(options.serve.log ?? silent);
  const serving = { ...options, serve: { ...options.serve, log } };
  return {
    open: async () => channelTransport(traceChannel(await openServer(server, serving), options), options.limits),
    key: undefined,
    reopens: false,
    restarts: false,
    server: nameOf(server),
    partition,
    explain,
  };
}
