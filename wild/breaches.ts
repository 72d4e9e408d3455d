// Breaches that are planted in what a server of others says, one in each server, and whether `tenon check` finds them.
import { join } from 'node:path';
import process from 'node:process';
import { type Cell, ok, red } from './cell.ts';
import { withHome } from './programs.ts';
import { launchOf, type Server } from './servers.ts';
import { failedRows, tenonWith } from './verbs.ts';

/** The breaches of `breach.mjs`, each called after the rule that is broken. */
export const BREACHES = [
  'stdout-noise',
  'not-json-rpc',
  'duplicate-response',
  'unknown-response',
  'response-shape',
  'id-type-changed',
  'id-null',
  'list-shape',
  'progress-unknown',
  'log-shape',
  'error-shape',
  'cursor-loop',
  'wrong-revision',
] as const;
export type Breach = (typeof BREACHES)[number];

/** How long Tenon waits for an answer whose id was changed, in milliseconds: some servers need half of it to start. */
const ANSWER_MS = 20_000;
/**
 * Rules that are right, too, where one is planted: a line that is no message is noise, a message without a jsonrpc member is none, and
 * in 2026-07-28 a server sends no requests, and a log message nobody asked for is another breach of the same line.
 */
const ALSO: Readonly<Partial<Record<Breach, readonly string[]>>> = {
  'not-json-rpc': ['stdout-noise'],
  'log-shape': ['log-unasked', 'notification-capability'],
  'wrong-revision': ['server-request'],
};

/** Plants a breach in a server: `ok` if the rule that is broken finds it and the server is named. */
export function tryBreach(server: Server, breach: Breach): Promise<Cell> {
  return withHome(async (home) => {
    const { command, env } = launchOf(server, home);
    const between = [process.execPath, join(import.meta.dirname, 'breach.mjs'), breach, ...command];
    const ended = await tenonWith({ home, env, command: between }, ANSWER_MS, 'check', '--json', '--wire');
    const rows = failedRows(ended);
    const rules = [breach, ...(ALSO[breach] ?? [])];
    const found = rows.find(({ id, sides }) => rules.includes(id) && sides.includes('server'));
    const others = rows.filter(({ sides }) => sides.some((side) => side !== 'server' && side !== 'unknown'));
    if (others.length > 0) return red(`${others.map(({ id, sides }) => `${id} (${sides.join(', ')})`).join(', ')}`);
    return found === undefined ? red(`not found: ${rows.map(({ id }) => id).join(', ') || ended.err}`) : ok(found.id);
  });
}
