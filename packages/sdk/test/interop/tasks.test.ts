// Tasks of 2025-11-25 with the official SDK v1 on the other side: every method, over stdio and over HTTP.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { until } from '../../../../scripts/lib/until.ts';
import { connect, type Target } from '../../src/entries/client.ts';
import { serveHttp } from '../../src/entries/node.ts';
import { makeTasks, tasks } from '../suite/fixtures/tasks.ts';
import { program } from '../suite/program.ts';
import { fixture } from './official-client.ts';

const { createTaskServer } = (await import(new URL('fixtures/official-v1-task-server.mjs', import.meta.url).href)) as {
  createTaskServer(store?: InMemoryTaskStore): { connect(transport: Transport): Promise<void> };
};

/** Our server over HTTP, with an authenticated caller: only authenticated callers may list tasks. */
const ours = await serveHttp(makeTasks(), { port: 0, signals: false, drainMs: 50, auth: () => ({ id: 'ann' }) });
after(() => ours.close());

function transportTo(way: 'stdio' | 'HTTP'): Transport {
  if (way === 'HTTP') return new StreamableHTTPClientTransport(new URL(ours.url)) as Transport;
  const { command, args = [], env = {} } = program(tasks, { principal: { id: 'ann' } });
  return new StdioClientTransport({ command, args: [...args], env: { ...env } as Record<string, string> });
}

for (const way of ['stdio', 'HTTP'] as const) {
  test(`the official client v1 runs our tools as tasks, over ${way}`, async () => {
    const client = new Client(
      { name: 'official', version: '1.0.0' },
      { capabilities: { elicitation: { form: {} }, tasks: {} } },
    );
    client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: { color: 'red' } }));
    await client.connect(transportTo(way));
    try {
      await client.listTools();
      const run = async (name: string, args: Record<string, unknown> = {}) => {
        const seen: string[] = [];
        for await (const message of client.experimental.tasks.callToolStream(
          { name, arguments: args },
          CallToolResultSchema,
          { task: { ttl: 60_000 } },
        )) {
          if (message.type === 'result') return { seen, result: message.result, id: seen[0]! };
          if (message.type === 'error') return { seen, error: message.error, id: seen[0]! };
          seen.push(message.type === 'taskCreated' ? message.task.taskId : message.task.status);
        }
        throw new Error('The stream ended without a result');
      };
      const echoed = await run('echo', { text: 'a' });
      assert.deepEqual(echoed.result?.structuredContent, { text: 'a' });
      assert.deepEqual((await run('color')).result?.content, [{ type: 'text', text: 'red' }]);
      assert.equal((await run('refused')).seen.at(-1), 'failed');
      // The wording is that of the official client.
      assert.match(String((await run('broken')).error?.message), /Task \S+ failed/);

      const { tasks: listed } = await client.experimental.tasks.listTasks();
      assert.ok(listed.some(({ taskId }) => taskId === echoed.id));
      assert.equal((await client.experimental.tasks.getTask(echoed.id)).status, 'completed');
      const again = await client.experimental.tasks.getTaskResult(echoed.id, CallToolResultSchema);
      assert.deepEqual(again.structuredContent, { text: 'a' });
      await assert.rejects(client.experimental.tasks.getTask('unknown'), { code: -32602 });

      const stream = client.experimental.tasks.callToolStream(
        { name: 'gated', arguments: { gate: `${way} never` } },
        CallToolResultSchema,
        { task: {} },
      );
      const first = await stream.next();
      assert.ok(first.value?.type === 'taskCreated');
      const cancelled = await client.experimental.tasks.cancelTask(first.value.task.taskId);
      assert.equal(cancelled.status, 'cancelled');
      await assert.rejects(client.experimental.tasks.cancelTask(first.value.task.taskId), { code: -32602 });
    } finally {
      await client.close();
    }
  });
}

/** The official server over HTTP: each session has its own server. */
async function officialUrl(): Promise<string> {
  const store = new InMemoryTaskStore();
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const http = createServer(async (request, response) => {
    let transport = sessions.get(String(request.headers['mcp-session-id']));
    if (transport === undefined) {
      const created = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void sessions.set(id, created),
      });
      await createTaskServer(store).connect(created as Transport);
      transport = created;
    }
    await transport.handleRequest(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  after(() => {
    // It keeps a timer for each task.
    store.cleanup();
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

const OFFICIAL: Readonly<Record<'stdio' | 'HTTP', () => Promise<Target>>> = {
  stdio: async () => ({ command: process.execPath, args: [fixture('official-v1-task-server.mjs')] }),
  HTTP: officialUrl,
};

for (const way of ['stdio', 'HTTP'] as const) {
  test(`our client runs the tools of an official server v1 as tasks, over ${way}`, async () => {
    await using client = await connect<any>(await OFFICIAL[way](), {
      revision: '2025-11-25',
      elicit: () => ({ action: 'accept', content: { color: 'blue' } }),
    });
    assert.equal(await client.call('echo', { text: 'a' }), 'a');
    assert.equal(await client.call('only'), 'as a task');
    assert.equal(await client.call('asks'), 'blue');
    await assert.rejects(client.call('fails'), { name: 'ToolError', message: 'Not today' });

    const echoed = await client.start('echo', { text: 'b' });
    assert.notEqual(echoed.id, undefined);
    assert.equal(await echoed.value(), 'b');
    assert.equal(await (await client.task(JSON.parse(JSON.stringify(echoed)))).value(), 'b');

    const waiting = await client.start('waits');
    assert.equal((await waiting.status()).status, 'working');
    const failed = assert.rejects(waiting.result(), /was cancelled/);
    await waiting.cancel();
    await failed;
    const { tasks: listed } = (await client.request('tasks/list')) as { tasks: { taskId: string; status: string }[] };
    assert.equal(listed.find(({ taskId }) => taskId === waiting.id)?.status, 'cancelled');
  });
}

test('[CANC-4] an abandoned call of our client cancels its task at an official server', async () => {
  const sent: string[] = [];
  await using client = await connect<any>(await OFFICIAL.stdio(), {
    revision: '2025-11-25',
    onTrace(entry) {
      if (entry.kind === 'sent') sent.push((JSON.parse(entry.text) as { method?: string }).method ?? '');
    },
  });
  const controller = new AbortController();
  const call = client.call('waits', {}, { signal: controller.signal });
  await until(() => sent.includes('tasks/get'), 'the call has become a task');
  controller.abort();
  await assert.rejects(call, { name: 'AbortError' });
  await until(() => sent.includes('tasks/cancel'), 'the task is cancelled');
});
