// One statement in the extended query protocol, which accepts no second one:
// https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY
import type { Client, Connection, Submittable } from 'pg';

/** A column of a result. */
export interface Field {
  readonly name: string;
  /** The object id of its type; the base type for a domain. */
  readonly dataTypeID: number;
}

/** The messages that a statement sends. The declarations of the driver are for an older version. */
interface Wire {
  parse(message: { readonly name: string; readonly text: string }): void;
  describe(message: { readonly type: 'S'; readonly name: string }): void;
  bind(message: { readonly statement: string }): void;
  execute(message: { readonly rows: number }): void;
  flush(): void;
  sync(): void;
  once(event: 'noData', listener: () => void): unknown;
  off(event: 'noData', listener: () => void): unknown;
  readonly stream: {
    on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
    off(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
    destroy(): unknown;
  };
}

/** What the driver calls with the messages of the server. */
interface Query extends Submittable {
  handleRowDescription(message: { readonly fields: readonly Field[] }): void;
  handleDataRow(message: { readonly fields: readonly (string | null)[] }): void;
  handlePortalSuspended(): void;
  handleCommandComplete(): void;
  handleEmptyQuery(): void;
  handleCopyInResponse(): void;
  handleCopyData(): void;
  handleReadyForQuery(): void;
  handleError(error: Error): void;
}

const NAME = 'tenon_statement';

/**
 * Parses a statement without running it. Returns the columns of its result; undefined for a statement that returns no rows, such as
 * `COMMIT`, `SET`, `COPY`, `DO` or `PREPARE TRANSACTION`.
 */
export function prepare(client: Client, sql: string): Promise<readonly Field[] | undefined> {
  return submit(client, (wire, { settle, fail }) => {
    let fields: readonly Field[] | undefined;
    wire.parse({ name: NAME, text: sql });
    wire.describe({ type: 'S', name: NAME });
    wire.sync();
    return {
      handleRowDescription: (message) => (fields = message.fields),
      handleReadyForQuery: () => settle(fields),
      handleError: fail,
    };
  });
}

/** How many rows are requested at once. */
const BATCH = 100;
/** How much the server may send beyond the limit, in bytes, before the connection is cut. */
const MAX_EXCESS_BYTES = 16 * 1024 * 1024;

/** What to do with each row. */
export interface RowReader {
  /** Takes a row. False: the result is long enough. */
  take(row: readonly (string | null)[]): boolean;
  /** How many bytes the result may have. A single row that is much longer is never received completely. */
  readonly maxBytes: number;
}

/** Runs the prepared statement and reads its rows in batches. Returns whether the result is complete. */
export function fetchRows(client: Client, { take, maxBytes }: RowReader): Promise<boolean> {
  return submit(client, (wire, { settle, fail }) => {
    let isComplete = false;
    let isEnough = false;
    let received = 0;
    const { stream } = wire;
    const stopCounting = (): void => void stream.off('data', count);
    const count = (chunk: Uint8Array): void => {
      received += chunk.length;
      if (received <= maxBytes + MAX_EXCESS_BYTES) return;
      stopCounting();
      stream.destroy();
      settle(false);
    };
    const request = (): void => {
      wire.execute({ rows: BATCH });
      wire.flush();
    };
    stream.on('data', count);
    wire.bind({ statement: NAME });
    request();
    return {
      handleDataRow: ({ fields }) => {
        isEnough ||= !take(fields);
      },
      handlePortalSuspended: () => (isEnough ? wire.sync() : request()),
      handleCommandComplete: () => {
        isComplete = !isEnough;
        wire.sync();
      },
      handleReadyForQuery: () => {
        stopCounting();
        settle(isComplete);
      },
      handleError: (error) => {
        stopCounting();
        wire.sync();
        fail(error);
      },
    };
  });
}

interface Outcome<T> {
  settle(value: T): void;
  fail(error: Error): void;
}

function submit<T>(client: Client, start: (wire: Wire, outcome: Outcome<T>) => Partial<Query>): Promise<T> {
  return new Promise((resolve, reject) => {
    let handlers: Partial<Query> = {};
    const nothing = (): void => {};
    const query: Query = {
      submit: (connection: Connection) => {
        handlers = start(connection as unknown as Wire, { settle: resolve, fail: reject });
      },
      handleRowDescription: (message) => handlers.handleRowDescription?.(message),
      handleDataRow: (message) => handlers.handleDataRow?.(message),
      handlePortalSuspended: () => handlers.handlePortalSuspended?.(),
      handleCommandComplete: () => handlers.handleCommandComplete?.(),
      // A statement without rows is never executed, so these have nothing to do.
      handleEmptyQuery: nothing,
      handleCopyInResponse: nothing,
      handleCopyData: nothing,
      handleReadyForQuery: () => handlers.handleReadyForQuery?.(),
      handleError: (error) => (handlers.handleError === undefined ? reject(error) : handlers.handleError(error)),
    };
    client.query(query);
  });
}
