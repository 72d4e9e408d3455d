import process from 'node:process';
import type { LogEntry, Logger } from '../../protocol/log.ts';
import type { Server } from '../../server/define.ts';
import { serve, type ServeOptions } from '../serve.ts';
import { ownStdio } from './own-stdio.ts';
import { runUntilClosed, type RunOptions } from './run-until-closed.ts';

/** Options for serving on stdin and stdout. */
export interface StdioOptions extends ServeOptions, RunOptions {}

/**
 * Serves a server on stdin and stdout until the client disconnects, then ends the process: code after it never runs. With `exit: false` it
 * returns instead, also after SIGTERM and SIGINT, so that the program can clean up.
 *
 * All other output to stdout (`console.log`, `process.stdout.write`) goes to stderr instead. The log is written to stderr as lines of text
 * unless `log` is given. Rejects with an `Error` if stdin and stdout are already served.
 *
 * @example
 * ```ts
 * import { server } from 'tenon';
 * import { serveStdio } from 'tenon/node';
 *
 * const app = server({ name: 'notes', version: '1.0.0' });
 * await serveStdio(app);
 * ```
 */
export async function serveStdio(app: Server, options: StdioOptions = {}): Promise<void> {
  const channel = ownStdio(options);
  const given = { log: stderrLog, drainMs: options.graceMs, ...options };
  const { TENON_STORE, TENON_KEYS_FILE } = process.env;
  // Most programs have neither, and load nothing for it.
  const own = TENON_STORE || TENON_KEYS_FILE ? await openEnvironment(given) : given;
  const served = serve(app, channel, { ...given, store: options.store ?? own.store, keys: options.keys ?? own.keys });
  await runUntilClosed(served, options);
}

async function openEnvironment(options: ServeOptions) {
  return (await import('../../store/node/environment.ts')).openEnvironment({ ...options, bus: 'none' });
}

/** The maximum length of the text for a thrown value, in characters. */
const MAX_DETAILS = 16_384;

const stderrLog: Logger = ({ level, event, message, details }: LogEntry): void => {
  if (level === 'debug') return;
  const more = details === undefined ? '' : typeof details === 'string' ? ` ${details}` : `\n${shownDetails(details)}`;
  const cut = more.length > MAX_DETAILS ? `${more.slice(0, MAX_DETAILS)}…` : more;
  process.stderr.write(`[${level}] ${event}: ${message}${cut}\n`);
};

/** Any value can be thrown. `inspect` runs no code of the value: no getters, no `toString`. */
function shownDetails(details: unknown): string {
  // Loaded with the first failure: most servers log none.
  return process.getBuiltinModule('node:util').inspect(details, { depth: 4 });
}
