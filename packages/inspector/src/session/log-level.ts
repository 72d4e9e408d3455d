import type { Client, ConnectOptions } from 'tenon/client';

/** The least severe log messages that a client requests. */
export type LogLevel = NonNullable<ConnectOptions['logLevel']>;

/** Which log messages are requested of a server. */
export interface LogLevelSetting {
  /** What is requested on this connection; undefined: nothing is. */
  readonly level: LogLevel | undefined;
  /**
   * A connection is ready. In 2026-07-28 a server sends no log message that is not requested, so the default is. Earlier revisions have a
   * request for it, which is sent only if somebody chose a level.
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
      // A server that refuses it is connected all the same; what it answered is in the trace.
      if (level !== undefined) client.setLogLevel(level).catch(() => undefined);
    },
    async choose(client, next) {
      await client.setLogLevel(next);
      chosen = next;
      level = next;
    },
  };
}
