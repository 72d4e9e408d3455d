// One trace from the client to the handler, over stdio and HTTP, in both eras: with the real SDK of OpenTelemetry on both sides, in two
// processes.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { context, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { type Client, connect, type ConnectOptions, ToolError } from '../../src/entries/client.ts';
import { telemetry } from '../../src/entries/otel.ts';
import { TASKS_EXTENSION } from '../../src/protocol/tasks.ts';
import { until } from '../../../../scripts/lib/until.ts';
import { type SpanView, traceProcess, treeOf } from '../../../../scripts/lib/spans.ts';

const spans = traceProcess();
const command = {
  command: process.execPath,
  args: ['--conditions=tenon-source', fileURLToPath(new URL('fixtures/traced-server.ts', import.meta.url))],
};

const overHttp = spawn(command.command, [...command.args, 'http'], { stdio: ['pipe', 'pipe', 'inherit'] });
after(() => overHttp.stdin.end());
const [url] = (await once(overHttp.stdout.setEncoding('utf8'), 'data')) as [string];

const OPEN = {
  stdio: (options: ConnectOptions) => connect(command, { ...options, use: [telemetry()] }),
  http: (options: ConnectOptions) => connect(url.trim(), { ...options, use: [telemetry()] }),
};
const ANSWERS = { name: { name: 'Ann' } };

/** The spans of both sides, without those of looking at them. */
async function allSpans(client: Client): Promise<SpanView[]> {
  const theirs = JSON.parse((await client.call('spans')) as string) as SpanView[];
  return [...spans(), ...theirs].filter(({ name }) => name.startsWith('tools/call') || name === 'query').filter(({ name }) => name !== 'tools/call spans');
}

for (const [way, open] of Object.entries(OPEN))
  for (const revision of ['2026-07-28', '2025-11-25'] as const) {
    test(`client span, server span and the span of the handler are in one trace: ${way}, ${revision}`, async () => {
      await using client = await open({ revision, answers: ANSWERS });
      await client.call('spans');
      spans();
      assert.equal(await client.call('work', { text: 'hello' }), 'hello');
      const found = await allSpans(client);
      assert.deepEqual(treeOf(found), ['tools/call work (client)', '  tools/call work (server)', '    query (internal)']);
      assert.equal(new Set(found.map((span) => span.trace)).size, 1);
      const [sent, received] = found as [SpanView, SpanView];
      const http = way === 'http' ? { 'network.transport': 'tcp', 'network.protocol.name': 'http' } : {};
      const shared = {
        'mcp.method.name': 'tools/call',
        'mcp.protocol.version': revision,
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'work',
        ...http,
      };
      const address = way === 'http' ? { 'server.address': '127.0.0.1', 'server.port': Number(new URL(url).port) } : {};
      const server = found.find(({ kind }) => kind === 1)!;
      assert.deepEqual(sent.attributes, { ...shared, ...address });
      assert.deepEqual(server.attributes, { ...shared, 'jsonrpc.request.id': server.attributes['jsonrpc.request.id'] });
      assert.match(String(server.attributes['jsonrpc.request.id']), /^\d+$/);
      assert.ok(received !== undefined);
    });

    test(`a call that asks is one call of the client, with a server span for each run: ${way}, ${revision}`, async () => {
      await using client = await open({ revision, answers: ANSWERS });
      await client.call('spans');
      spans();
      assert.equal(await client.call('ask'), 'Ann');
      const found = await allSpans(client);
      const run = ['  tools/call ask (server)', '    query (internal)'];
      assert.deepEqual(treeOf(found), [
        'tools/call ask (client)',
        ...(revision === '2026-07-28' ? ['  tools/call ask (server)'] : []),
        ...run,
      ]);
      const stopped = found.filter(({ attributes }) => attributes['tenon.answer.kind'] === 'input_required');
      assert.equal(stopped.length, revision === '2026-07-28' ? 1 : 0);
    });

    test(`failures are told apart by error.type: ${way}, ${revision}`, async () => {
      await using client = await open({ revision });
      await client.call('spans');
      spans();
      await assert.rejects(client.call('fail'), ToolError);
      await assert.rejects(client.call('refuse'));
      await assert.rejects(client.call('nowhere'));
      const found = await allSpans(client);
      const errors = found.map(({ name, kind, status, attributes }) => [
        ...[name.slice('tools/call '.length), kind === 1 ? 'server' : 'client', status === 2],
        ...[attributes['error.type'], attributes['rpc.response.status_code']],
      ]);
      const sorted = errors.toSorted((a, b) => String(a).localeCompare(String(b)));
      assert.deepEqual(sorted, [
        ['fail', 'client', true, 'tool_error', undefined],
        ['fail', 'server', true, 'tool_error', undefined],
        ['nowhere', 'client', true, '-32602', '-32602'],
        ['nowhere', 'server', false, undefined, '-32602'],
        ['refuse', 'client', true, '4321', '4321'],
        ['refuse', 'server', true, '4321', '4321'],
      ]);
    });

    test(`the run of a task belongs to the trace of its call, and is linked to the request: ${way}, ${revision}`, async () => {
      await using client = await open({ revision, extensions: { [TASKS_EXTENSION]: {} } });
      await client.call('spans');
      spans();
      const task = revision === '2026-07-28' ? {} : { task: { ttl: 60_000 } };
      const made = await client.request('tools/call', { name: 'long', arguments: {}, ...task });
      const { taskId } = (made['task'] ?? made) as { taskId: string };
      let status: unknown;
      await until(async () => (status = (await client.request('tasks/get', { taskId }))['status']) !== 'working');
      assert.equal(status, 'completed');
      const found = await allSpans(client);
      assert.deepEqual(treeOf(found), [
        'tools/call long (client)',
        '  tools/call long (server)',
        '  tools/call long (internal)',
        '    query (internal)',
      ]);
      const request = found.find(({ kind }) => kind === 1)!;
      const run = found.find(({ name, kind }) => kind === 0 && name !== 'query')!;
      assert.deepEqual(run.links, [request.id]);
      assert.deepEqual([request.attributes['tenon.answer.kind'], run.attributes['tenon.task.run']], ['task', 1]);
    });

    test(`the trace in which a program calls continues, and its baggage reaches the server: ${way}, ${revision}`, async () => {
      await using client = await open({ revision });
      await client.call('spans');
      spans();
      const outer = trace.getTracer('app').startSpan('agent');
      const baggage = propagation.createBaggage({ tenant: { value: 'ä, b' } });
      const within = propagation.setBaggage(trace.setSpan(ROOT_CONTEXT, outer), baggage);
      assert.equal(await context.with(within, () => client.call('baggage')), 'ä, b');
      outer.end();
      const found = await allSpans(client);
      assert.ok(found.every((span) => span.trace === outer.spanContext().traceId));
      assert.equal(found.find(({ kind }) => kind === 2)!.parent, outer.spanContext().spanId);
    });
  }
