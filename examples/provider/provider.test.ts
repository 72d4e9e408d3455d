// Two tenants and an unknown caller: a tool can be called only by those who can see it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect, revisions, ToolError } from 'tenon/client';
import app, { remove, save } from './server.ts';

function names(tools: readonly { readonly name: string }[]): string[] {
  return tools.map(({ name }) => name);
}

for (const revision of revisions) {
  test(`every tenant lists and calls its own tools on ${revision}`, async () => {
    await using north = await connect(app, { revision, principal: { id: 'north' } });
    await using south = await connect(app, { revision, principal: { id: 'south' } });
    await using stranger = await connect(app, { revision });

    assert.deepEqual(names(await north.tools().all()), ['sales']);
    assert.deepEqual(names(await south.tools().all()), ['sales', 'returns']);
    assert.deepEqual(names(await stranger.tools().all()), []);

    assert.equal(await north.call('sales', { year: 2025 }), 'North sold 1200 tables in 2025.');
    assert.equal(await south.call('sales', { year: 2025 }), 'South sold 300 chairs in 2025.');
    for (const [client, name] of [
      [north, 'returns'],
      [stranger, 'sales'],
      [stranger, 'returns'],
    ] as const) {
      await assert.rejects(client.call(name, { year: 2025 }), { code: -32602, message: `Unknown tool: ${name}` });
    }
    await assert.rejects(
      north.call('sales', { year: 'last' }),
      (error) => error instanceof ToolError && /year/.test(error.message),
    );
  });

  test(`added and removed rows are announced and take effect on ${revision}`, async () => {
    await using north = await connect(app, { revision, principal: { id: 'north' } });
    const watch = north.watch({ list: 'tools' });
    await watch.ready;
    save({ tenant: 'north', name: 'stock', description: 'Stock of a year', text: '90 tables in {year}.' });
    for await (const change of watch) {
      assert.deepEqual(change, { list: 'tools', missed: false });
      break;
    }
    assert.equal(await north.call('stock', { year: 2025 }), '90 tables in 2025.');
    remove('north', 'stock');
    assert.deepEqual(names(await north.tools().all()), ['sales']);
    await assert.rejects(north.call('stock', { year: 2025 }), { code: -32602 });
  });
}

test('over stdio the tenant is the one that the process was started for', async () => {
  const args = [join(import.meta.dirname, 'server.ts')];
  await using south = await connect<typeof app>({ command: process.execPath, args, env: { TENANT: 'south' } });
  assert.deepEqual(names(await south.tools().all()), ['sales', 'returns']);
  assert.equal(await south.call('returns', { year: 2024 }), '7 chairs came back in 2024.');
});
