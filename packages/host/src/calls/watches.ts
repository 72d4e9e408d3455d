import type { Client } from 'tenon/client';
import type { HostListener } from '../events.ts';
import type { Gate } from '../policy/gate.ts';
import { readSubject, type ServerIdentity } from '../policy/subject.ts';
import type { Recorder } from '../recorder.ts';
import type { Connection } from '../servers/connection.ts';
import { HostError } from '../values/host-error.ts';
import { messageOf } from '../values/message-of.ts';
import { DeniedError } from './denied-error.ts';

/** A change of a watched resource. */
export interface ResourceChange {
  /** The URI: that of the watched resource, or of a part of it. */
  readonly uri: string;
  /** True if earlier changes may have been missed, for example because the server was started again. */
  readonly missed: boolean;
}

/** Options of `watch`. */
export interface WatchOptions {
  /** Ends the watch. */
  readonly signal?: AbortSignal | undefined;
}

/** Subscriptions to resources. They survive the restart of a server. */
export interface Watches {
  /**
   * Subscribes to changes of a resource, until the returned function is called, the signal aborts or the host closes. Resolves when the
   * server has confirmed it. No approval is asked for, because a watch reveals no contents; a rule that denies reading also denies this.
   * Rejects with a `DeniedError`, with a `HostError` if the server is not running, and with the errors of the client, such as a
   * `ProtocolError` if the server does not announce changes.
   */
  watch(
    server: string,
    uri: string,
    onChange: (change: ResourceChange) => void,
    options?: WatchOptions,
  ): Promise<() => void>;
  /** Subscribes again after a start of the server. */
  connected(server: string, client: Client): void;
}

export interface WatchesOptions {
  readonly gate: Gate;
  readonly recorder: Recorder;
  readonly closing: AbortSignal;
  readonly emit: HostListener;
  connection(server: string): Connection | undefined;
  identity(server: string): ServerIdentity;
}

/** A watch of the program, and its subscription at the current client. */
interface ActiveWatch {
  readonly server: string;
  readonly uri: string;
  readonly onChange: (change: ResourceChange) => void;
  readonly stop: AbortController;
  client: Client | undefined;
  /** Resolves when the current client has subscribed. */
  ready: Promise<void>;
  /** The server announced changes before, so some may have been missed. */
  wasActive: boolean;
}

function notify({ onChange }: ActiveWatch, change: ResourceChange): void {
  try {
    onChange(change);
  } catch {
    // A failing listener must not affect the host.
  }
}

export function createWatches(options: WatchesOptions): Watches {
  const { gate, recorder, closing, emit } = options;
  const all = new Set<ActiveWatch>();

  const subscribe = async (watched: ActiveWatch, client: Client): Promise<void> => {
    const watch = client.watch({ uri: watched.uri }, { signal: watched.stop.signal });
    const read = async (): Promise<void> => {
      for await (const change of watch) if ('uri' in change) notify(watched, change);
    };
    // When a client ends, the next one subscribes again. Other errors reject `ready`, too.
    read().catch(() => {});
    await watch.ready;
    if (watched.wasActive) notify(watched, { uri: watched.uri, missed: true });
    watched.wasActive = true;
  };

  /** Subscribes once with each client. */
  const follow = (watched: ActiveWatch, client: Client): Promise<void> => {
    if (watched.client === client) return watched.ready;
    watched.client = client;
    return (watched.ready = subscribe(watched, client));
  };

  const decide = async (server: string, uri: string): Promise<void> => {
    const { allow, why } = await gate.decide(readSubject(options.identity(server), uri), undefined, {});
    await recorder.recordDecision({ act: 'watch', server, target: uri, requestedBy: 'user', allow, why });
    if (!allow) throw new DeniedError(`${uri} is not watched: ${why}`);
  };

  return {
    async watch(server, uri, onChange, { signal } = {}) {
      signal?.throwIfAborted();
      const connection = options.connection(server);
      if (connection === undefined) throw new HostError('unknown-server', `There is no server '${server}'`);
      await decide(server, uri);
      const stop = new AbortController();
      const watched: ActiveWatch = {
        ...{ server, uri, onChange, stop },
        client: undefined,
        ready: Promise.resolve(),
        wasActive: false,
      };
      const end = (): void => {
        all.delete(watched);
        stop.abort();
        for (const each of [signal, closing]) each?.removeEventListener('abort', end);
      };
      for (const each of [signal, closing]) each?.addEventListener('abort', end, { once: true });
      all.add(watched);
      try {
        await connection.use((client) => follow(watched, client));
      } catch (error) {
        end();
        signal?.throwIfAborted();
        throw error;
      }
      return end;
    },
    connected(server, client) {
      for (const watched of [...all]) {
        if (watched.server !== server) continue;
        follow(watched, client).catch((error: unknown) => {
          // A new watch reports its own error, and the next client tries again after a lost connection.
          if (!watched.wasActive || watched.stop.signal.aborted || watched.client !== client) return;
          if (options.connection(server)?.client !== client) return;
          all.delete(watched);
          watched.stop.abort();
          const message = `Its resource ${watched.uri} is not watched any more: ${messageOf(error)}`;
          emit({ kind: 'problem', server, message });
        });
      }
    },
  };
}
