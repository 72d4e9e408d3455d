// One trace from the client to the handler, over stdio and HTTP, in both eras: with the real SDK of OpenTelemetry on both sides, in two
// processes.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { z } from 'zod';
import { context, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import {
  type Client,
  connect,
  ProtocolError,
  type Revision,
  type Target,
  ToolError,
} from '../../src/entries/client.ts';
import { telemetry } from '../../src/entries/otel.ts';
import { TASKS_EXTENSION } from '../../src/protocol/tasks.ts';
import { until } from '../../../../scripts/lib/until.ts';
import { prompt, server, tool } from '../../src/entries/index.ts';
import { type SpanView, traceProcess, treeOf } from '../../../../scripts/lib/spans.ts';

const spans = traceProcess();
const command = {
  command: process.execPath,
  args: ['--conditions=tenon-source', fileURLToPath(new URL('fixtures/traced-server.ts', import.meta.url))],
};

const overHttp = spawn(command.command, [...command.args, 'http'], { stdio: ['pipe', 'pipe', 'inherit'] });
after(() => overHttp.stdin.end());
const [url] = (await once(overHttp.stdout.setEncoding('utf8'), 'data')) as [string];

const ANSWERS = { name: { name: 'Ann' } };
const TARGETS = { stdio: command, http: url.trim() };
const clients = new Map<string, Promise<Client>>();
after(async () => {
  for (const client of clients.values()) await (await client).close();
});

/** A client of the server. The spans so far are discarded. */
async function open(way: keyof typeof TARGETS, revision: Revision): Promise<Client> {
  const key = `${way} ${revision}`;
  const options = { revision, answers: ANSWERS, extensions: { [TASKS_EXTENSION]: {} }, use: [telemetry()] };
  if (!clients.has(key)) clients.set(key, connect(TARGETS[way] as Target, options));
  const client = await clients.get(key)!;
  await client.call('spans');
  spans();
  return client;
}

/** The spans of both sides, without those of reading the spans. */
async function allSpans(client: Client): Promise<SpanView[]> {
  const theirs = JSON.parse((await client.call('spans')) as string) as SpanView[];
  return [...spans(), ...theirs]
    .filter(({ name }) => name.startsWith('tools/call') || name === 'query')
    .filter(({ name }) => name !== 'tools/call spans');
}

for (const way of ['stdio', 'http'] as const)
  for (const revision of ['2026-07-28', '2025-11-25'] as const) {
    test(`client span, server span and the span of the handler are in one trace: ${way}, ${revision}`, async () => {
      const client = await open(way, revision);
      assert.equal(await client.call('work', { text: 'hello' }), 'hello');
      const found = await allSpans(client);
      assert.deepEqual(treeOf(found), [
        'tools/call work (client)',
        '  tools/call work (server)',
        '    query (internal)',
      ]);
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

    test(`a call with a question is one client span, with a server span for each run: ${way}, ${revision}`, async () => {
      const client = await open(way, revision);
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

    test(`what a client does to answer a question of a handler belongs to the trace of the call: ${way}, ${revision}`, async () => {
      await using client = (await connect(TARGETS[way] as Target, {
        revision,
        use: [telemetry()],
        elicit: () =>
          trace.getTracer('app').startActiveSpan('user', (span) => {
            span.end();
            return { action: 'accept' as const, content: { name: 'Ann' } };
          }),
      })) as Client;
      await client.call('spans');
      spans();
      assert.equal(await client.call('ask'), 'Ann');
      const theirs = JSON.parse((await client.call('spans')) as string) as SpanView[];
      const found = [...spans(), ...theirs].filter(({ name }) =>
        /^(?:tools\/call ask|elicitation|user|query)/.test(name),
      );
      assert.deepEqual(
        treeOf(found).toSorted(),
        (revision === '2026-07-28'
          ? [
              'tools/call ask (client)',
              '  user (internal)',
              '  tools/call ask (server)',
              '  tools/call ask (server)',
              '    query (internal)',
            ]
          : [
              'tools/call ask (client)',
              '  tools/call ask (server)',
              '    elicitation/create (client)',
              '      elicitation/create (server)',
              '        user (internal)',
              '    query (internal)',
            ]
        ).toSorted(),
      );
      assert.equal(new Set(found.map((span) => span.trace)).size, 1);
    });

    test(`failures are told apart by error.type: ${way}, ${revision}`, async () => {
      const client = await open(way, revision);
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
      const client = await open(way, revision);
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

    test(`the current trace of the caller continues, and its baggage reaches the server: ${way}, ${revision}`, async () => {
      const client = await open(way, revision);
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

test('the duration of calls is measured on both sides, with the boundaries of the conventions', async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2_000_000 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const app = server({
    name: 'measured',
    tools: {
      work: tool({}, () => 'done'),
      fail: tool({}, () => {
        throw new ToolError('no');
      }),
    },
  });
  app.use(telemetry({ meterProvider }));
  await using client = await connect(app, { use: [telemetry({ meterProvider })] });
  // A client without telemetry: names that it invents must not end up in metrics.
  await using any = (await connect(app)) as Client;
  await client.call('work');
  await client.call('work');
  await assert.rejects(client.call('fail'));
  for (let call = 0; call < 3; call++) {
    await assert.rejects(any.call(`invented ${call}`));
    await assert.rejects(any.request(`invented/${call}`));
  }
  await meterProvider.forceFlush();
  const [metrics] = exporter.getMetrics();
  const found = metrics!.scopeMetrics.flatMap((scope) => scope.metrics);
  assert.deepEqual(
    found.map(({ descriptor: { name, unit } }) => [name, unit]),
    [
      ['mcp.client.operation.duration', 's'],
      ['mcp.server.operation.duration', 's'],
    ].toSorted(
      (a, b) =>
        found.findIndex((one) => one.descriptor.name === a[0]) - found.findIndex((one) => one.descriptor.name === b[0]),
    ),
  );
  for (const { descriptor, dataPoints } of found) {
    const points = dataPoints
      .filter(({ attributes }) => attributes['mcp.method.name'] !== 'server/discover')
      .map(({ attributes, value }) => {
        const { buckets, count } = value as { buckets: { boundaries: number[] }; count: number };
        assert.deepEqual(buckets.boundaries, [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]);
        return [attributes['mcp.method.name'], attributes['gen_ai.tool.name'], attributes['error.type'], count];
      });
    const invented = [
      ['tools/call', undefined, undefined, 3],
      ['_OTHER', undefined, undefined, 3],
    ];
    const status = descriptor.name.includes('server') ? invented : [];
    assert.deepEqual(points, [
      ['tools/call', 'work', undefined, 2],
      ['tools/call', 'fail', 'tool_error', 1],
      ...status,
    ]);
  }
});

test('a server that invents error codes makes no more than a bounded number of time series', async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2_000_000 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  let code = 1;
  const app = server({
    name: 'inventive',
    tools: {
      refuse: tool({}, () => {
        throw new ProtocolError(code++, 'no');
      }),
    },
  });
  await using client = await connect(app, { use: [{ 'tools/call': telemetry({ meterProvider }) }] });
  for (let call = 0; call < 300; call++) await assert.rejects(client.call('refuse'));
  await meterProvider.forceFlush();
  const [metrics] = exporter.getMetrics();
  const points = metrics!.scopeMetrics
    .flatMap((scope) => scope.metrics)
    .flatMap(({ dataPoints }) => dataPoints as unknown[]);
  assert.ok(points.length > 50 && points.length <= 101, String(points.length));
  const counts = points as { attributes: Record<string, unknown>; value: { count: number } }[];
  assert.equal(
    counts.reduce((sum, { value }) => sum + value.count, 0),
    300,
  );
  assert.ok(counts.some(({ attributes }) => attributes['error.type'] === '_OTHER'));
});

test('a cancelled call is told apart from a tool that failed, on both sides', async () => {
  for (const revision of ['2026-07-28', '2025-11-25'] as const) {
    let begun = false;
    const app = server({
      name: 'slow',
      tools: {
        wait: tool(
          {},
          (_, { signal }) =>
            new Promise<string>((_resolve, reject) => {
              begun = true;
              signal.addEventListener('abort', () => reject(signal.reason as Error));
            }),
        ),
      },
    });
    app.use({ 'tools/call': telemetry() });
    const use = [{ 'tools/call': telemetry() }];
    await using client = await connect(app, { revision, use, serve: { log: () => {} } });
    spans();
    const cancel = new AbortController();
    const call = assert.rejects(client.call('wait', {}, { signal: cancel.signal }), { name: 'AbortError' });
    await until(() => begun);
    cancel.abort();
    await call;
    const found: SpanView[] = [];
    await until(() => found.push(...spans()) === 2);
    assert.deepEqual(
      found.map(({ attributes }) => attributes['error.type']),
      ['AbortError', 'AbortError'],
    );
  }
});

test('arguments and results are recorded only where that is wanted, and cut', async () => {
  for (const content of [false, true]) {
    const app = server({
      name: 'content',
      tools: { echo: tool({ input: z.object({ text: z.string() }) }, ({ text }) => text) },
      prompts: { plan: prompt({ input: z.object({ city: z.string() }) }, ({ city }) => city) },
    });
    app.use(telemetry({ content }));
    await using client = await connect(app);
    spans();
    await client.call('echo', { text: 'secret' });
    await client.call('echo', { text: 'x'.repeat(20_000) });
    await client.prompt('plan', { city: 'Rome' });
    const [first, long, plan] = spans().filter(({ kind }) => kind === 1);
    assert.equal(first!.attributes['gen_ai.tool.call.arguments'], content ? '{"text":"secret"}' : undefined);
    assert.equal(JSON.stringify(first).includes('secret'), content);
    assert.equal(plan!.name, 'prompts/get plan');
    assert.equal(plan!.attributes['gen_ai.prompt.variable.city'], content ? 'Rome' : undefined);
    assert.ok(JSON.stringify(long).length < 25_000);
    // Whatever a client sends as arguments, it is refused as it would be without telemetry.
    for (const wrong of [null, 'text', 7, { ['k'.repeat(100_000)]: 'v' }]) {
      const refused = client.request('prompts/get', { name: 'plan', arguments: wrong } as never);
      await assert.rejects(refused, { code: -32_602 });
    }
    assert.ok(JSON.stringify(spans()).length < 10_000);
  }
});
