// Runs cases one after the other, and keeps an eye on what no case may leave behind: errors that nobody catches.
import { setImmediate as turn } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { LogEntry, Logger } from '../../src/entries/index.ts';

export interface Report {
  /** Runs a case. It fails when `run` throws, does not end, or an error goes uncaught meanwhile. */
  check(name: string, run: () => Promise<unknown>): Promise<void>;
}

/** What a table came to. */
export interface Outcome {
  /** How many cases the table has, and how many of them were run. */
  readonly cases: number;
  readonly ran: number;
  readonly failures: readonly string[];
}

/** A case that takes longer hangs. */
const HANGS_MS = 15_000;
/** More say nothing new. */
const MOST_FAILURES = 40;

const described = (error: unknown): string => (error instanceof Error ? inspect(error).slice(0, 1_500) : String(error));

/** Runs every `step`-th case of a table. Errors that go uncaught are put down to the case that runs. */
export async function runTable(table: (report: Report) => Promise<void>, step: number): Promise<Outcome> {
  const failures: string[] = [];
  let cases = 0;
  let ran = 0;
  let current = 'before the first case';
  const uncaught = (error: unknown): void => void failures.push(`${current}: uncaught ${described(error)}`);
  process.on('uncaughtException', uncaught);
  const report: Report = {
    async check(name, run) {
      if (failures.length >= MOST_FAILURES || cases++ % step !== 0) return;
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
      // A rejection that nobody handles is told after this turn.
      await turn();
    },
  };
  await table(report).catch((error: unknown) => void failures.push(`${current}, or after it: ${described(error)}`));
  current = 'after the last case';
  for (let turns = 0; turns < 10; turns++) await turn();
  return { cases, ran, failures };
}

/** A log in which nothing may be an error: those are faults of the program that logs. `fault` gives the first, and forgets it. */
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

/** Why a client ended: a reason that its peer gave, and no fault of its own. */
export function endedFor(reason: unknown): void {
  if (!(reason instanceof Error)) throw new Error(`It ended without a reason: ${String(reason)}`);
  for (let error: unknown = reason; error instanceof Error; error = error.cause)
    if (isFault(error)) throw new Error('It ended by a fault of its own', { cause: error });
}

/** Did the program trip over a value? `fetch` throws such errors, too, when a server breaks the rules of HTTP. */
function isFault(error: Error & { code?: unknown }): boolean {
  if (!FAULTS.has(error.name)) return false;
  // What Node refuses to do with a value is the fault of the file that asked for it.
  const places = String(error.code).startsWith('ERR_INVALID_') ? /^ +at .*file:/ : /^ +at .*(?:file|node):/;
  const place = error.stack?.split('\n').find((frame) => places.test(frame)) ?? '';
  return /\/packages\/(?:sdk|auth-proxy)\/(?:src|dist)\//.test(place);
}

/** What the language throws when a program is wrong. */
const FAULTS: ReadonlySet<string> = new Set(['TypeError', 'ReferenceError', 'RangeError']);

/** Errors that a caller of ours may see, whatever a peer does. */
const OURS: ReadonlySet<string> = new Set([
  'AbortError',
  'AuthError',
  'ConnectionError',
  'PeerError',
  'ProtocolError',
  'TimeoutError',
  'ToolError',
]);

/** Waits for the end of something, which may be one of our errors and no other. */
export async function settled(promise: Promise<unknown>): Promise<void> {
  try {
    await promise;
  } catch (error) {
    if (!(error instanceof Error) || !OURS.has(error.name)) throw error;
    if (error.name === 'ConnectionError') endedFor(error);
  }
}

/** The same for what was answered, however badly: to wait for a better answer would be a fault. */
export async function settledInTime(promise: Promise<unknown>): Promise<void> {
  await settled(
    promise.catch((error: unknown) => {
      if (error instanceof Error && error.name === 'TimeoutError')
        throw new Error('It waited in vain', { cause: error });
      throw error;
    }),
  );
}
