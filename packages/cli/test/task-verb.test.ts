// `tenon task`: the tasks of a server that keeps running, in both revisions that have tasks.

import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { server, tool } from 'tenon';
import { connect } from 'tenon/client';
import { serveHttp } from 'tenon/node';
import { z } from 'zod';
import { tenon, textIn } from './run-tenon.ts';

const app = server({
  name: 'tasks',
  version: '1.0.0',
  tools: {
    echo: tool({ input: z.object({ text: z.string() }), taskSupport: 'optional' }, ({ text }) => text),
    wait: tool({ taskSupport: 'optional' }, async (_, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return 'stopped';
    }),
    ask: tool({ taskSupport: 'optional' }, async (_, ctx) => {
      const { color } = await ctx.ask('color', 'Which color?', z.object({ color: z.string() }));
      return color;
    }),
  },
});
const answers = join(mkdtempSync(join(tmpdir(), 'tenon-answers-')), 'answers.json');
writeFileSync(answers, '{"color":{"color":"red"}}');

const { url, close } = await serveHttp(app, { port: 0, signals: false, drainMs: 50, auth: () => ({ id: 'ann' }) });
after(() => close());

async function start(
  revision: '2025-11-25' | '2026-07-28',
  name: 'echo' | 'wait' | 'ask',
  args: Record<string, unknown> = {},
): Promise<string> {
  const client = await connect<any>(url, { revision, elicit: () => ({ action: 'cancel' }) });
  const task = await client.start(name, args);
  await client.close();
  return task.id!;
}

for (const revision of ['2025-11-25', '2026-07-28'] as const) {
  const at = ['--revision', revision, url];

  test(`a task is shown, waited for and cancelled by its id, on ${revision}`, async () => {
    const ended = await start(revision, 'echo', { text: 'a' });
    const waited = await tenon(['task', 'wait', ended, ...at]);
    assert.deepEqual([waited.code, textIn(waited)], [0, 'a'], waited.stderr);
    const running = await start(revision, 'wait');
    const shown = await tenon(['task', 'show', running, '--json', ...at]);
    assert.deepEqual([shown.code, JSON.parse(shown.stdout).status], [0, 'working'], shown.stderr);
    const cancelled = await tenon(['task', 'cancel', running, ...at]);
    assert.equal(cancelled.code, 0, cancelled.stderr);
    const after = await tenon(['task', 'wait', running, ...at]);
    assert.equal(after.code !== 0, true);
    assert.match(after.stderr, /cancelled/);
  });

  test(`questions of a task are answered as in a call, on ${revision}`, async () => {
    const id = await start(revision, 'ask');
    const run = await tenon(['task', 'wait', id, '--answers', answers, ...at]);
    assert.deepEqual([run.code, textIn(run)], [0, 'red'], run.stderr);
  });

  test(`an unknown task is an error of the server, on ${revision}`, async () => {
    const run = await tenon(['task', 'show', 'unknown', ...at]);
    assert.notEqual(run.code, 0);
    assert.match(run.stderr, /There is no task unknown/);
  });
}

test('tasks of 2025-11-25 are listed', async () => {
  const id = await start('2025-11-25', 'echo', { text: 'a' });
  const run = await tenon(['task', 'list', '--json', '--revision', '2025-11-25', url]);
  assert.equal(run.code, 0, run.stderr);
  const { tasks } = JSON.parse(run.stdout) as { readonly tasks: readonly { readonly taskId: string }[] };
  assert.ok(tasks.some(({ taskId }) => taskId === id));
});

test('without an id, or with an unknown word, the message says what can be done', async () => {
  for (const words of [['task'], ['task', 'show'], ['task', 'fly', 'a']]) {
    const run = await tenon([...words, url]);
    assert.equal(run.code, 2, run.stderr);
    assert.match(run.stderr, /tenon task list/);
  }
});

/** A server of 2025-11-25 that answers `tasks/list` with this page, and counts the requests. */
async function listing(page: object): Promise<{ readonly url: string; asked(): number }> {
  let asked = 0;
  const capabilities = { tasks: { list: {} }, tools: {} };
  const peer = createServer((request, response) => {
    void text(request).then((body) => {
      const { id, method } = JSON.parse(body || '{}') as { readonly id?: number; readonly method?: string };
      if (id === undefined) return response.writeHead(request.method === 'POST' ? 202 : 405).end();
      if (method === 'tasks/list') asked++;
      const agreed = { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'a', version: '1' } };
      const result = method === 'tasks/list' ? page : agreed;
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  await new Promise<void>((resolve) => peer.listen(0, '127.0.0.1', resolve));
  after(() => peer.close());
  return { url: `http://127.0.0.1:${(peer.address() as AddressInfo).port}/mcp`, asked: () => asked };
}

test('a server whose list of tasks never ends is an error, after a limited number of requests', async () => {
  const { url, asked } = await listing({ tasks: [], nextCursor: 'more' });
  const listed = await tenon(['task', 'list', '--revision', '2025-11-25', url]);
  assert.notEqual(listed.code, 0);
  assert.match(listed.stderr, /list of tasks does not end/);
  assert.ok(asked() <= 1_000, String(asked()));
});

test('list entries that are not tasks are left out', async () => {
  const { url } = await listing({ tasks: [null, 5, { taskId: 'a', status: 'working' }] });
  const listed = await tenon(['task', 'list', '--revision', '2025-11-25', url]);
  assert.equal(listed.code, 0, listed.stderr);
  assert.deepEqual(JSON.parse(listed.stdout), { tasks: [{ taskId: 'a', status: 'working' }] });
});
