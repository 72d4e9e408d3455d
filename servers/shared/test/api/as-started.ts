// Tests of a server as its users start it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import process from 'node:process';
import { after, test } from 'node:test';
import { assertNoFindings } from '../findings.ts';
import type { ConnectOptions } from 'tenon/client';
import { commandOf, type ServerStart, type TestClient, waysTo } from '../ways.ts';

/** Tests a server over stdio and HTTP, in a revision of each era, and with `tenon check`. */
export function testAsStarted(
  started: ServerStart,
  use: (client: TestClient) => Promise<void>,
  options: ConnectOptions = {},
): void {
  const { ways, stop } = waysTo(started, options);
  after(stop);
  for (const revision of ['2025-11-25', '2026-07-28'])
    for (const transport of ['stdio', 'HTTP'])
      test(`${revision} over ${transport}: the tools are listed, called, and fail with a message for the model`, async () => {
        const client = await ways.get(`${revision} over ${transport}`)!();
        try {
          await use(client);
        } finally {
          await client.close();
        }
      });
  test('`tenon check` has no finding', async () => void (await assertNoFindings({ name: started.name })));
}

/** Starts a server that cannot start, and gives what it writes. Fails if it starts. */
export async function refusedStart(name: string, args: readonly string[], env: Record<string, string> = {}) {
  const [command, ...rest] = commandOf({ name, args });
  const { code, written } = await new Promise<{ code: unknown; written: string }>((resolve) => {
    const options = { env: { PATH: process.env['PATH'], ...env } };
    const child = execFile(command, rest, options, (error, stdout, stderr) =>
      resolve({ code: error?.code, written: `${stdout}${stderr}` }),
    );
    child.stdin!.end();
  });
  assert.equal(code, 2, written);
  return written;
}
