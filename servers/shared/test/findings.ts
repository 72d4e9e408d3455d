// `tenon check` on a server.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { commandOf, type ServerStart } from './ways.ts';

const TENON = fileURLToPath(new URL('../../../packages/cli/bin/tenon.js', import.meta.url));

/** Fails if `tenon check` finds anything about a server. Resolves with everything that it printed. */
export async function assertNoFindings(started: ServerStart): Promise<string> {
  const args = [TENON, 'check', '--json', '--', ...commandOf(started)];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 });
  const { rows } = JSON.parse(stdout) as { rows: { title: string; status: string; findings: unknown[] }[] };
  assert.ok(rows.length >= 8);
  for (const { title, status, findings } of rows) assert.deepEqual([status, findings], ['pass', []], title);
  return `${stdout}${stderr}`;
}
