// Calls that servers run as tasks, through the host: it waits for them, forwards their questions to the person, and cancels them with the
// call.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { server, tool } from 'tenon';
import { z } from 'zod';
import { until } from '../../../scripts/lib/until.ts';
import { createHost } from '../src/index.ts';

function jobs() {
  const state = { running: 0, aborted: 0 };
  const app = server({
    name: 'jobs',
    version: '1.0.0',
    tools: {
      work: tool({ taskSupport: 'required' }, () => 'done'),
      ask: tool({ taskSupport: 'optional' }, async (_, ctx) => {
        const { color } = await ctx.ask('color', 'Which color?', z.object({ color: z.string() }));
        return color;
      }),
      endless: tool({ taskSupport: 'required' }, async (_, { signal }) => {
        state.running++;
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        state.aborted++;
        return 'stopped';
      }),
    },
  });
  return { app, state };
}

function textOf({ content }: { readonly content: readonly unknown[] }): string {
  return (content[0] as { readonly text: string }).text;
}

for (const revision of ['2025-11-25', '2026-07-28'] as const) {
  const started = async (app: ReturnType<typeof jobs>['app']) => {
    const host = await createHost({
      servers: { jobs: app },
      connect: () => ({ revision }),
      rules: [{ effect: 'allow', act: 'call' }],
      ask: () => ({ allow: true, content: { color: 'red' } }),
    });
    await host.start();
    return host;
  };

  test(`a call that its server runs as a task is awaited, and its question reaches the person, on ${revision}`, async () => {
    const { app } = jobs();
    await using host = await started(app);
    assert.equal(textOf(await host.call('jobs__work', {})), 'done');
    assert.equal(textOf(await host.call('jobs__ask', {})), 'red');
  });

  test(`cancelling a call cancels its task, on ${revision}`, async () => {
    const { app, state } = jobs();
    await using host = await started(app);
    const controller = new AbortController();
    const call = host.call('jobs__endless', {}, { signal: controller.signal });
    await until(() => state.running === 1, 'the task runs');
    controller.abort();
    await assert.rejects(async () => {
      const result = await call;
      if (result.isError === true) throw new Error('it was cancelled');
    });
    await until(() => state.aborted === 1, 'the task was cancelled');
  });
}
