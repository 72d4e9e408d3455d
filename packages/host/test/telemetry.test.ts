// The trace of an agent continues through the host to the handlers of its servers: over stdio and HTTP, in both eras.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { trace } from '@opentelemetry/api';
import { telemetry } from 'tenon/otel';
import { type SpanView, traceProcess, treeOf } from '../../../scripts/lib/spans.ts';
import { textOf, started, yes } from './kit.ts';

const spans = traceProcess();
const fixture = fileURLToPath(new URL('fixtures/traced.ts', import.meta.url));
const overHttp = spawn(process.execPath, [fixture, 'http'], { stdio: ['pipe', 'pipe', 'inherit'] });
after(() => overHttp.stdin.end());
const [url] = (await once(overHttp.stdout.setEncoding('utf8'), 'data')) as [string];

const TARGETS = { stdio: { command: process.execPath, args: [fixture] }, http: url.trim() };

for (const [way, target] of Object.entries(TARGETS))
  for (const revision of ['2026-07-28', '2025-11-25'] as const)
    test(`agent, host, server and handler are in one trace, even if a person is asked: ${way}, ${revision}`, async () => {
      await using host = await started({
        servers: { traced: target },
        approve: yes,
        ask: () => ({ allow: true, content: { name: 'Ann' } }),
        connect: () => ({ use: [telemetry()], revision }),
      });
      await host.call('traced__spans', {});
      spans();
      await trace.getTracer('app').startActiveSpan('agent', async (agent) => {
        assert.equal(textOf(await host.call('traced__work', {})), 'done');
        assert.equal(textOf(await host.call('traced__ask', {})), 'Ann');
        agent.end();
      });
      const theirs = JSON.parse(textOf(await host.call('traced__spans', {}))) as SpanView[];
      const calls = [...spans(), ...theirs].filter(({ name }) => name !== 'tools/call spans');
      const wanted = calls.filter(({ name }) => name.startsWith('tools/call') || name === 'agent' || name === 'query');
      assert.deepEqual(treeOf(wanted), [
        'agent (internal)',
        '  tools/call work (client)',
        '    tools/call work (server)',
        '      query (internal)',
        '  tools/call ask (client)',
        '    tools/call ask (server)',
        ...(revision === '2026-07-28' ? ['    tools/call ask (server)'] : []),
      ]);
      assert.equal(new Set(wanted.map((span) => span.trace)).size, 1);
    });
