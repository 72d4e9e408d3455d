import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../../src/entries/client.ts';
import { server, tool } from '../../src/entries/index.ts';
import { everywhere, modern } from './cells.ts';
import { everywhereRaw, openRaw, type Raw } from './raw.ts';

const LISTS = [
  ['tools/list', 'tools', 'name'],
  ['resources/list', 'resources', 'uri'],
  ['resources/templates/list', 'resourceTemplates', 'uriTemplate'],
  ['prompts/list', 'prompts', 'name'],
] as const;

/** The names on one page, and the cursor of the next. */
async function page(
  raw: Raw,
  method: string,
  cursor?: unknown,
): Promise<{ names: string[]; next: string | undefined }> {
  const { result, error } = await raw.request(method, cursor === undefined ? undefined : { cursor });
  assert.equal(error, undefined);
  const [, key, id] = LISTS.find(([name]) => name === method)!;
  return { names: result![key].map((entry: Record<string, string>) => entry[id]), next: result!['nextCursor'] };
}

/** All pages, with an action between the first and the second. */
async function pages(raw: Raw, method: string, between?: () => Promise<unknown>): Promise<string[][]> {
  const all: string[][] = [];
  let cursor: string | undefined;
  do {
    const { names, next } = await page(raw, method, cursor);
    all.push(names);
    cursor = next;
    if (all.length === 1) await between?.();
  } while (cursor !== undefined);
  return all;
}

async function refused(raw: Raw, method: string, cursor: unknown): Promise<void> {
  const { error } = await raw.request(method, { cursor });
  assert.equal(error?.code, -32602, JSON.stringify(cursor));
}

everywhereRaw('[PAGE-2] every list comes in pages, each entry once, in the order of the list', async (raw) => {
  for (const [method] of LISTS) {
    const all = await pages(raw, method);
    assert.ok(
      all.slice(0, -1).every((names) => names.length === 5),
      method,
    );
    assert.ok(all.at(-1)!.length > 0 && all.at(-1)!.length <= 5);
    assert.equal(new Set(all.flat()).size, all.flat().length, 'nothing comes twice');
  }
  assert.equal((await pages(raw, 'prompts/list')).length, 2);
  assert.ok((await pages(raw, 'tools/list')).length > 4);
});

everywhereRaw(
  '[CACHE-19] all pages of a list have the same caching hints',
  async (raw) => {
    for (const [method] of LISTS) {
      const hints = new Set<string>();
      let cursor: string | undefined;
      do {
        const { result } = await raw.request(method, cursor === undefined ? {} : { cursor });
        hints.add(`${result!['ttlMs']} ${result!['cacheScope']}`);
        cursor = result!['nextCursor'];
      } while (cursor !== undefined);
      assert.deepEqual([...hints], ['0 private'], method);
    }
  },
  { only: modern },
);

everywhereRaw('[PAGE-3] a cursor is stable: it returns the same page again', async (raw) => {
  const { next } = await page(raw, 'tools/list');
  const once = await page(raw, 'tools/list', next);
  await page(raw, 'tools/list');
  const again = await page(raw, 'tools/list', next);
  assert.deepEqual(again.names, once.names);
});

everywhereRaw('a cursor is unreadable without the key', async (raw) => {
  const { names, next } = await page(raw, 'tools/list');
  const readable = Buffer.from(next!, 'base64url').toString('latin1');
  for (const name of names) assert.equal(readable.includes(name), false);
  assert.notEqual((await page(raw, 'tools/list')).next, next, 'not even that it is the same');
});

everywhereRaw('[PAGE-9] a changed, truncated or invented cursor is an invalid-params error', async (raw) => {
  const { next } = await page(raw, 'tools/list');
  for (const at of [0, 1, 4, 6, 12, 18, 24, 40, next!.length - 8, next!.length - 2]) {
    await refused(raw, 'tools/list', `${next!.slice(0, at)}${next![at] === 'A' ? 'B' : 'A'}${next!.slice(at + 1)}`);
  }
  for (const cursor of [
    '',
    'x',
    next!.slice(0, -4),
    next!.slice(4),
    `${next}AAAA`,
    ` ${next}`,
    '5',
    'eyJhIjoxfQ',
    'é',
    'A'.repeat(100_000),
  ])
    await refused(raw, 'tools/list', cursor);
});

everywhereRaw(
  '[PAGE-9] a cursor that is not a string is an invalid-params error',
  async (raw) => {
    for (const cursor of [5, 0, false, null, {}, ['x']]) await refused(raw, 'tools/list', cursor);
  },
  { hostile: true },
);

everywhereRaw('[PAGE-9] a cursor of another list is an invalid-params error', async (raw) => {
  const { next } = await page(raw, 'tools/list');
  for (const method of ['resources/list', 'resources/templates/list', 'prompts/list']) await refused(raw, method, next);
  assert.ok((await page(raw, 'tools/list', next)).names.length > 0);
});

const shortly = { limits: { cacheMs: 30 } };

everywhereRaw(
  '[PAGE-9] an expired cursor is an invalid-params error',
  async (raw) => {
    const { next } = await page(raw, 'tools/list');
    await new Promise((resolve) => setTimeout(resolve, 50));
    await refused(raw, 'tools/list', next);
  },
  { serve: shortly },
);

const keys = ['a key of two servers, of 32 bytes'];
const alice = { keys, principal: { id: 'alice' } };
const bob = { keys, principal: { id: 'bob' } };

everywhereRaw(
  '[PAGE-9] a cursor of another caller, or of another server, is an invalid-params error',
  async (raw) => {
    const others = await Promise.all([
      openRaw(raw.cell, { serve: alice }),
      openRaw(raw.cell, { serve: bob }),
      openRaw(raw.cell, {}),
    ]);
    const [same, else_, foreign] = others;
    try {
      const { next } = await page(raw, 'tools/list');
      assert.ok(
        (await page(same!, 'tools/list', next)).names.length > 0,
        'the same principal can continue at another server with the same keys',
      );
      await refused(else_!, 'tools/list', next);
      await refused(foreign!, 'tools/list', next);
    } finally {
      await Promise.all(others.map((other) => other.close()));
    }
  },
  {
    serve: alice,
    only: ({ transport, revision }) => transport === 'memory' || ['2026-07-28', '2025-11-25'].includes(revision),
  },
);

everywhereRaw(
  'a list that changes during paging neither loses nor repeats entries that stay',
  async (raw) => {
    const before = (await pages(raw, 'tools/list')).flat();
    const shrink = (name: string) => raw.request('tools/call', { name: 'shrink', arguments: { name } });
    // The entry at the cursor, one before it, and one after it.
    const [behind, at, ahead] = [before[1]!, before[4]!, before[6]!];
    const all = await pages(raw, 'tools/list', async () => {
      await shrink(at);
      await shrink(ahead);
      await raw.request('tools/call', { name: 'grow', arguments: { name: 'one-more' } });
    });
    assert.deepEqual(all.flat(), [...before.filter((name) => name !== ahead), 'one-more']);
    const later = await pages(raw, 'tools/list', () => shrink(behind));
    assert.deepEqual(later.flat(), [...before.filter((name) => name !== ahead && name !== at), 'one-more']);
  },
  { alone: true },
);

everywhere('[PAGE-1, PAGE-5] a client gathers all pages, whatever their size', async ({ client, wire }) => {
  const names = (await client.tools({ fresh: true }).all()).map(({ name }) => name);
  assert.equal(
    wire.filter(({ from, message }) => from === 'client' && message.method === 'tools/list').length,
    Math.ceil(names.length / 5),
  );
  for (const pageSize of [1, 7, 1_000]) {
    const made = server({
      name: 'sized',
      pageSize,
      tools: Object.fromEntries(names.map((name) => [name, tool({}, () => name)])),
    });
    await using other = await connect(made, { revision: client.revision });
    assert.deepEqual(
      (await other.tools().all()).map(({ name }) => name),
      names,
    );
  }
});

test('a page size that is not a positive integer is refused when the server is defined', () => {
  for (const pageSize of [0, -1, 1.5, Number.NaN, Infinity, '5' as never])
    assert.throws(() => server({ name: 'x', pageSize }), /pageSize/);
});
