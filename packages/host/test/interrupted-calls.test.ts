// Questions that survive the program in which they were asked.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { server, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { z } from 'zod';
import { until } from '../../../scripts/lib/until.ts';
import { answerPending, createHost, type HostEvent, listPending, verifyAudit } from '../src/index.ts';

function path(name: string): string {
  return fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
}
const KEYS = 'a key that lasts, and is long enough for everybody';

/** Starts a host, waits until it has a question, and kills it. */
async function leave(state: string, target: string): Promise<void> {
  const child: ChildProcess = spawn(process.execPath, [path('leave.ts'), state, target, process.execPath], {
    env: { ...process.env, KEYS },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout!, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function resumed(state: string, servers: Parameters<typeof createHost>[0]['servers']): Promise<HostEvent> {
  const host = await createHost({ state, servers, approve: () => ({ allow: true }) });
  const over = new Promise<HostEvent>((resolve) => {
    host.on((event) => (event.kind === 'resumed' || event.kind === 'problem') && resolve(event));
  });
  await host.start();
  const event = await over;
  await host.close();
  return event;
}

function app() {
  return server({
    name: 'web',
    tools: {
      confirm: tool({ input: z.object({ what: z.string() }) }, async ({ what }, ctx) => {
        const { sure } = await ctx.ask('sure', `Really ${what}?`, z.object({ sure: z.boolean() }));
        return sure ? `Did ${what}` : `Left ${what}`;
      }),
    },
  });
}

const TARGETS = {
  'an HTTP server': async () => {
    const served = await serveHttp(app(), { port: 0 });
    return { target: served.url, servers: { one: served.url }, close: () => served.close() };
  },
  'a stdio server with a key': async () => ({
    target: path('server.ts'),
    servers: { one: { command: process.execPath, args: [path('server.ts')], env: { TENON_KEYS: KEYS } } },
    close: async () => {},
  }),
};

for (const [what, open] of Object.entries(TARGETS)) {
  test(`a question of ${what} survives kill -9, can be answered from another process, and the call completes`, async () => {
    const state = await mkdtemp(join(tmpdir(), 'left-'));
    const { target, servers, close } = await open();
    try {
      await leave(state, target);
      const [item] = await listPending(state);
      assert.ok(item?.kind === 'question');
      assert.equal(item.message, 'Really leave?');
      // No host runs now. The answer is stored for the next one.
      assert.equal(await answerPending(state, item.id, { allow: true, content: { sure: true } }), true);
      const event = await resumed(state, servers);
      assert.ok(event.kind === 'resumed', JSON.stringify(event));
      assert.deepEqual(event.params, { name: 'confirm', arguments: { what: 'leave' } });
      assert.deepEqual((event.result as { content: unknown }).content, [{ type: 'text', text: 'Did leave' }]);
      assert.deepEqual(await listPending(state), []);
      const verified = await verifyAudit(join(state, 'audit.jsonl'));
      assert.equal(verified.ok, true);
    } finally {
      await close();
    }
  });
}

test('an unanswered question waits under the same id in the next program', async () => {
  const state = await mkdtemp(join(tmpdir(), 'left-'));
  const served = await serveHttp(app(), { port: 0 });
  try {
    await leave(state, served.url);
    const [item] = await listPending(state);
    const host = await createHost({ state, servers: { one: served.url }, approve: () => ({ allow: true }) });
    const over = new Promise<HostEvent>((resolve) => {
      host.on((event) => event.kind === 'resumed' && resolve(event));
    });
    await host.start();
    await until(() => host.pending().length > 0);
    assert.equal(host.pending()[0]!.id, item!.id);
    host.answer(item!.id, { allow: false });
    const event = await over;
    assert.ok(event.kind === 'resumed');
    assert.match(JSON.stringify(event.result), /declined|turned down|isError/);
    await host.close();
  } finally {
    await served.close();
  }
});

test('a question that its server no longer accepts is reported as a problem and removed', async () => {
  const state = await mkdtemp(join(tmpdir(), 'left-'));
  const first = await serveHttp(app(), { port: 0 });
  await leave(state, first.url);
  await first.close();
  // The same server with a different key.
  const second = await serveHttp(app(), { port: 0, keys: ['a key that the first server did not have'] });
  try {
    const [item] = await listPending(state);
    await answerPending(state, item!.id, { allow: true, content: { sure: true } });
    const event = await resumed(state, { one: second.url });
    assert.ok(event.kind === 'problem', JSON.stringify(event));
    assert.match(event.message, /could not be resumed/);
    assert.deepEqual(await listPending(state), []);
  } finally {
    await second.close();
  }
});

test('a call whose host is killed after the question was answered is not repeated, and the next host reports that', async () => {
  const state = await mkdtemp(join(tmpdir(), 'left-'));
  let times = 0;
  const slow = server({
    name: 'web',
    tools: {
      confirm: tool({ input: z.object({ what: z.string() }) }, async (_input, ctx) => {
        await ctx.ask('sure', 'Really?', z.object({ sure: z.boolean() }));
        times++;
        // It takes longer than the host lives.
        await once(ctx.signal, 'abort');
        return 'too late';
      }),
    },
  });
  const served = await serveHttp(slow, { port: 0 });
  try {
    const child = spawn(process.execPath, [path('leave.ts'), state, served.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    const [item] = await listPending(state);
    await answerPending(state, item!.id, { allow: true, content: { sure: true } });
    await until(() => times > 0);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const event = await resumed(state, { one: served.url });
    assert.ok(event.kind === 'problem', JSON.stringify(event));
    assert.match(event.message, /confirm.*after its last question was answered.*It may have taken effect/);
    assert.equal(times, 1);
    assert.deepEqual(await readdir(join(state, 'pending')), []);
  } finally {
    await served.close();
  }
});
