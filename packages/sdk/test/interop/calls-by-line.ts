// The common part of the official clients of `random-cuts.test.ts`: they read calls as lines, and print the outcome of each.

import { createInterface } from 'node:readline';
import { type Call, describeError, type Outcome } from './counted.ts';

/** A connected client. */
export interface Connected {
  /** Calls a tool, and returns the text of its result. */
  call(call: Call): Promise<string>;
  close(): Promise<void>;
}

interface Connection {
  readonly opened: Promise<Connected>;
  running: number;
  /** A call failed, so new calls use a new connection. */
  failed: boolean;
}

/** How long connecting may take, in milliseconds. */
const CONNECT_MS = 3_000;
/** The maximum number of attempts to connect for one call. */
const ATTEMPTS = 3;

/** Makes the calls that arrive on stdin, each at once, until stdin ends. */
export async function makeCalls(open: () => Promise<Connected>): Promise<void> {
  let current: Connection | undefined;
  const release = (connection: Connection): void => {
    if (connection.running > 0 || !connection.failed) return;
    connection.opened.then((connected) => connected.close()).catch(() => {});
  };
  const make = async (call: Call): Promise<Outcome> => {
    current ??= { opened: openSoon(open), running: 0, failed: false };
    const connection = current;
    connection.running++;
    try {
      return { key: call.key, text: await (await connection.opened).call(call) };
    } catch (error) {
      connection.failed = true;
      if (current === connection) current = undefined;
      return { key: call.key, error: describeError(error) };
    } finally {
      connection.running--;
      release(connection);
    }
  };
  console.log('ready');
  for await (const line of createInterface({ input: process.stdin }))
    void make(JSON.parse(line) as Call).then((outcome) => console.log(JSON.stringify(outcome)));
  process.exit();
}

/** The official clients wait without a limit for the answer to a notification. */
async function openSoon(open: () => Promise<Connected>): Promise<Connected> {
  for (let attempt = 1; ; attempt++) {
    try {
      const late = new Promise<never>((_, reject) =>
        setTimeout(() => reject(new Error('no connection in time')), CONNECT_MS).unref(),
      );
      return await Promise.race([open(), late]);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}
