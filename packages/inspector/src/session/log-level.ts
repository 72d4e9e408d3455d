import type { Client, ConnectOptions } from 'tenon/client';

/** The least severe log messages that a client requests. */
export type LogLevel = NonNullable<ConnectOptions['logLevel']>;

/** The log level requested of a server. */
export interface LogLevelSetting {
  /** The level requested on this connection. Undefined: none. */
  readonly level: LogLevel | undefined;
  /**
   * Called when a connection is ready. In 2026-07-28 a server sends no log message unless a level is requested, so the default is
   * requested. Earlier revisions have a request for it, which is sent only if a level was chosen.
   */
  begin(client: Client): void;
  /** Requests another level, on this connection and later ones. */
  choose(client: Client, level: LogLevel): Promise<void>;
}

export function createLogLevelSetting(standard: LogLevel | undefined): LogLevelSetting {
  let chosen: LogLevel | undefined;
  let level: LogLevel | undefined;
  return {
    get level() {
      return level;
    },
    begin(client) {
      const wanted = chosen ?? (client.era === 'modern' ? standard : undefined);
      level = client.capabilities.logging === undefined ? undefined : wanted;
      // If a server rejects it, the connection is still usable; its answer is in the trace.
      if (level !== undefined) client.setLogLevel(level).catch(() => undefined);
    },
    async choose(client, next) {
      await client.setLogLevel(next);
      chosen = next;
      level = next;
    },
  };
}
