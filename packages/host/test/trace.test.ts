import assert from 'node:assert/strict';
import process from 'node:process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { server, tool } from 'tenon';
import type { TraceEntry } from 'tenon/client';
import { createHost } from '../src/index.ts';

const FIXTURE = fileURLToPath(new URL('fixtures/server.ts', import.meta.url));

function servers() {
  return {
    process: { command: process.execPath, args: [FIXTURE], env: { FIXTURE: 'plain' } },
    memory: server({ name: 'm', version: '1', tools: { hello: tool({ readOnly: true }, () => 'hi') } }),
  };
}

test('all messages are traced with the alias of the server, also to the onTrace of a single connection', async () => {
  const told = new Map<string, TraceEntry[]>([
    ['process', []],
    ['memory', []],
  ]);
  const own: TraceEntry[] = [];
  const host = await createHost({
    servers: servers(),
    approve: () => ({ allow: true }),
    onTrace: (entry, name) => void told.get(name)!.push(entry),
    connect: ({ alias }) => (alias === 'memory' ? { onTrace: (entry) => void own.push(entry) } : {}),
  });
  await host.start();
  await host.call('memory__hello', {});
  await host.call('process__greet', { name: 'Ada' });
  await host.close();
  for (const [name, tool] of [
    ['memory', 'hello'],
    ['process', 'greet'],
  ] as const) {
    const calls = told.get(name)!.filter(({ kind, text }) => kind === 'sent' && text.includes('"tools/call"'));
    assert.equal(calls.length, 1);
    assert.ok(calls[0]!.text.includes(`"${tool}"`));
  }
  const kinds = told.get('process')!.map(({ kind }) => kind);
  assert.deepEqual([kinds[0], kinds.at(-1)], ['open', 'exit']);
  assert.deepEqual(own, told.get('memory'));
});

test('an exception of onTrace affects neither the server nor other listeners', async () => {
  const told: string[] = [];
  await using host = await createHost({
    servers: servers(),
    approve: () => ({ allow: true }),
    onTrace: (_, name) => void told.push(name),
    connect: () => ({
      onTrace() {
        throw new Error('the trace function fails');
      },
    }),
  });
  await host.start();
  assert.deepEqual((await host.call('memory__hello', {})).content, [{ type: 'text', text: 'hi' }]);
  assert.ok(told.includes('memory') && told.includes('process'));
});
