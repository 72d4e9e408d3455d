// Runs cases one after the other, and detects uncaught errors, which no case may cause.
import { setImmediate as turn } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { LogEntry, Logger } from '../../src/entries/index.ts';

export interface Report {
  /** Runs a case. It fails if `run` throws, does not end, or an error is uncaught meanwhile. */
  check(name: string, run: () => Promise<unknown>): Promise<void>;
}

/** The result of a table. */
export interface Outcome {
  /** The number of cases in the table, and of those that were run. */
  readonly cases: number;
  readonly ran: number;
  readonly failures: readonly string[];
}

/** A case that takes longer hangs. */
const HANGS_MS = 15_000;
/** The maximum number of reported failures; more would add no information. */
const MAX_FAILURES = 40;

function described(error: unknown): string {
  return error instanceof Error ? inspect(error).slice(0, 1_500) : String(error);
}

/** Runs every `step`-th case of a table. Uncaught errors are attributed to the running case. */
export async function runTable(table: (report: Report) => Promise<void>, step: number): Promise<Outcome> {
  const failures: string[] = [];
  let cases = 0;
  let ran = 0;
  let current = 'before the first case';
  const uncaught = (error: unknown): void => void failures.push(`${current}: uncaught ${described(error)}`);
  process.on('uncaughtException', uncaught);
  const report: Report = {
    async check(name, run) {
      if (failures.length >= MAX_FAILURES || cases++ % step !== 0) return;
      ran++;
      current = name;
      const hangs = new AbortController();
      const late = new Promise<never>((_, reject) => {
        const timer = setTimeout(() => reject(new Error('it does not end')), HANGS_MS);
        hangs.signal.addEventListener('abort', () => clearTimeout(timer));
      });
      try {
        await Promise.race([run(), late]);
      } catch (error) {
        failures.push(`${name}: ${described(error)}`);
      } finally {
        hangs.abort();
      }
      // An unhandled rejection is reported after this turn.
      await turn();
    },
  };
  await table(report).catch((error: unknown) => void failures.push(`${current}, or after it: ${described(error)}`));
  current = 'after the last case';
  for (let turns = 0; turns < 10; turns++) await turn();
  return { cases, ran, failures };
}

/** A log in which no entry may contain a programming error. `fault` returns the first, and forgets it. */
export function watchedLog(): { readonly log: Logger; fault(): void } {
  let first: LogEntry | undefined;
  return {
    log(entry) {
      if (entry.level === 'error') first ??= entry;
    },
    fault() {
      const found = first;
      first = undefined;
      if (found !== undefined) throw new Error(`It logged an error: ${found.message}`, { cause: found.details });
    },
  };
}

/** Checks that a client ended because of its peer, and not because of its own fault. */
export function endedFor(reason: unknown): void {
  if (!(reason instanceof Error)) throw new Error(`It ended without a reason: ${String(reason)}`);
  for (let error: unknown = reason; error instanceof Error; error = error.cause)
    if (isFault(error)) throw new Error('It ended by a fault of its own', { cause: error });
}

/** Is this a programming error? `fetch` throws such errors, too, if a server breaks the rules of HTTP. */
function isFault(error: Error & { code?: unknown }): boolean {
  if (!FAULTS.has(error.name)) return false;
  // If Node rejects a value, it is the fault of the file that passed it.
  const places = String(error.code).startsWith('ERR_INVALID_') ? /^ +at .*file:/ : /^ +at .*(?:file|node):/;
  const place = error.stack?.split('\n').find((frame) => places.test(frame)) ?? '';
  return /\/packages\/(?:sdk|auth-proxy)\/(?:src|dist)\//.test(place);
}

/** Errors that the language throws for programming errors. */
const FAULTS: ReadonlySet<string> = new Set(['TypeError', 'ReferenceError', 'RangeError']);

/** Errors that our callers may get, whatever a peer does. */
const OURS: ReadonlySet<string> = new Set([
  'AbortError',
  'AuthError',
  'ConnectionError',
  'PeerError',
  'ProtocolError',
  'TimeoutError',
  'ToolError',
]);

/** Waits for a promise that may only reject with one of our errors. */
export async function settled(promise: Promise<unknown>): Promise<void> {
  try {
    await promise;
  } catch (error) {
    if (!(error instanceof Error) || !OURS.has(error.name)) throw error;
    if (error.name === 'ConnectionError') endedFor(error);
  }
}

/** The same for a request that was answered, however badly: waiting for a better response would be a fault. */
export async function settledInTime(promise: Promise<unknown>): Promise<void> {
  await settled(
    promise.catch((error: unknown) => {
      if (error instanceof Error && error.name === 'TimeoutError')
        throw new Error('It waited in vain', { cause: error });
      throw error;
    }),
  );
}
