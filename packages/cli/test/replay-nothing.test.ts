import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import type { ReplayRow } from '@tenon/inspector/trace';
import { until } from '../../../scripts/lib/until.ts';
import { freePort } from '../../../scripts/lib/free-port.ts';

import { failureIn, fixture, type Outcome, tenon, TENON } from './run-tenon.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon replay '));
after(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
function newFile(): string {
  return join(folder, `${++count}.mcptrace`);
}

const node = process.execPath;

function rowsOf({ stdout }: Outcome): ReplayRow[] {
  return (JSON.parse(stdout) as { rows: ReplayRow[] }).rows;
}

/** Waits until the recorder has written everything: the recorded server has exited. */
async function ended(file: string): Promise<void> {
  await until(() => readFileSync(file, 'utf8').includes('"kind":"exit"'), 'the end of the server');
}

/** A trace of these messages, one millisecond apart. */
function written(...said: readonly (readonly [from: string, message: object, more?: object])[]): string {
  const file = newFile();
  const lines = said.map(([from, message, more], at) => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    return JSON.stringify({ n: at + 1, at, session: 's', kind: 'message', from, text, ...more });
  });
  writeFileSync(file, ['{"mcptrace":1,"began":"2026-11-21T15:00:00.000Z","by":"a test"}', ...lines].join('\n'));
  return file;
}

test('a server that does not start or cannot be reached is not reported as answering differently', async () => {
  const file = written(['client', { id: 1, method: 'initialize', params: {} }], ['server', { id: 1, result: {} }]);
  const failed = async (...server: readonly string[]): Promise<Record<string, unknown>> => {
    const outcome = await tenon(['replay', file, ...server]);
    assert.equal(outcome.stdout, '');
    assert.equal(outcome.code, failureIn(outcome)['exit']);
    return failureIn(outcome);
  };
  const none = await failed('--', join(folder, 'no such program'));
  assert.deepEqual([none['exit'], none['code'], none['evidence']], [4, 'not_started', 'ENOENT']);
  const ends = await failed('--', node, '-e', 'console.error("DATABASE_URL missing"); process.exit(3)');
  assert.deepEqual(
    [ends['exit'], ends['code'], ends['exitCode'], ends['stderr']],
    [4, 'server_exited', 3, 'DATABASE_URL missing'],
  );
  const refused = await failed(`http://127.0.0.1:${await freePort()}/mcp`);
  assert.deepEqual([refused['exit'], refused['code']], [4, 'not_connected']);
  assert.match(String(refused['message']), /ECONNREFUSED/);
  const refusing = async (status: number): Promise<unknown[]> => {
    const server = createServer((_, response) => response.writeHead(status).end('no'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { exit, code, message } = await failed(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
    server.close();
    return [exit, code, message];
  };
  assert.deepEqual(await refusing(410), [4, 'not_connected', 'The server answered with HTTP status 410']);
  assert.deepEqual((await refusing(401)).slice(0, 2), [3, 'unauthorized']);
});

test('a trace without any response is not reported as unchanged', async () => {
  const file = written(['client', { id: 1, method: 'initialize', params: {} }]);
  const outcome = await tenon(['replay', file, '--', node, '-e', 'process.stdin.resume()']);
  assert.deepEqual([outcome.code, failureIn(outcome)['code']], [9, 'nothing_compared']);
  const [row] = rowsOf(outcome);
  assert.deepEqual([row!.status, row!.reason], ['skipped', 'It is not answered in the trace, so nothing is compared']);
  const shown = await tenon(['replay', '--text', file, '--', node, '-e', 'process.stdin.resume()']);
  assert.match(shown.stdout, /\n0 of 0 are unchanged, 1 not compared\n$/);
});

test('a trace of HTTP with SSE is served over Streamable HTTP with a note', async () => {
  const about = { name: 's', transport: 'http', target: 'http://127.0.0.1/sse', recorder: 'tap' };
  const event = { exchange: 1, part: 'event', event: { name: 'endpoint', id: '' } };
  const said = [
    ['client', { id: 1, method: 'initialize', params: {} }],
    ['server', { id: 1, result: { protocolVersion: '2024-11-05' } }],
  ] as const;
  const warned = async (file: string): Promise<boolean> => {
    const outcome = await tenon(['serve', file, '--http', '0'], {
      onStderr: (stderr, kill) => stderr.includes('Serving') && kill('SIGINT'),
    });
    return outcome.stderr.includes('clients that support only the older one cannot connect');
  };
  const head = ['client', {}, { kind: 'session', from: undefined, text: 's', about }] as const;
  assert.equal(
    await warned(written(head, ['server', {}, { kind: 'http', text: 'event', http: event }], ...said)),
    true,
  );
  assert.equal(await warned(written(head, ...said)), false);
});

test('a client that starts the server twice gets its recorded responses', async () => {
  const { Client } = await import('@modelcontextprotocol/client');
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const session = async (...command: readonly string[]): Promise<unknown[]> => {
    const client = new Client({ name: 'a client', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StdioClientTransport({ command: node, args: [...command], stderr: 'ignore' }));
    try {
      return [
        client.getNegotiatedProtocolVersion(),
        client.getServerVersion(),
        await client.listTools(),
        await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } }),
      ];
    } finally {
      await client.close();
    }
  };
  const file = newFile();
  const recorded = await session(TENON, 'record', '-q', '-o', file, '--', node, TENON, 'run', fixture('modern.ts'));
  const second = file.replace('.mcptrace', '-2.mcptrace');
  await ended(second);
  assert.equal(recorded[0], '2026-07-28');
  assert.deepEqual(await session(TENON, 'serve', second), recorded);
  await assert.rejects(session(TENON, 'serve', file), new RegExp(`look at ${basename(second)}`));
});
