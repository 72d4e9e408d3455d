import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wholeText } from '../../protocol/message-text.ts';
import type { Principal } from '../../protocol/request-context.ts';
import type { JsonObject } from '../../protocol/jsonrpc.ts';
import type { ListMethod } from '../../protocol/results.ts';
import { createEngine } from '../create-engine.ts';
import { server, type ServerOptions } from '../define.ts';
import { fakeRequestContext } from '../fixtures/request-context.ts';
import { resource } from '../resource.ts';
import { tool } from '../tool.ts';

function nothing(): string {
  return '';
}
function named(...names: string[]) {
  return Object.fromEntries(names.map((name) => [name, tool({}, nothing)]));
}

interface Page {
  readonly names: string[];
  readonly next: string | undefined;
  readonly result: JsonObject;
}

function stage(options: Omit<ServerOptions, 'name'>) {
  const app = server({ name: 'test', ...options } as ServerOptions);
  const engine = createEngine(app);
  const page = async (method: ListMethod, cursor?: unknown, principal?: Principal): Promise<Page> => {
    const params = cursor === undefined ? {} : { cursor };
    const result = JSON.parse(
      wholeText(await engine.answer(method, params, fakeRequestContext(principal === undefined ? {} : { principal }))),
    ) as JsonObject;
    const [entries] = Object.values(result).filter(Array.isArray) as { name: string }[][];
    return { names: entries!.map(({ name }) => name), next: result['nextCursor'] as string | undefined, result };
  };
  const rest = async (method: ListMethod, cursor: unknown): Promise<string[]> => {
    const { names, next } = await page(method, cursor);
    return next === undefined ? names : [...names, ...(await rest(method, next))];
  };
  return { app, page, rest };
}

const invalid = { name: 'ProtocolError', code: -32602 };

test('[PAGE-2] pages follow each other until there is no cursor', async () => {
  const { page, rest } = stage({ pageSize: 2, tools: named('a', 'b', 'c', 'd', 'e') });
  const first = await page('tools/list');
  assert.deepEqual(first.names, ['a', 'b']);
  assert.deepEqual(await rest('tools/list', first.next), ['c', 'd', 'e']);
  for (const size of [4, 5, 6]) {
    const { names, next } = await stage({ pageSize: size, tools: named('a', 'b', 'c', 'd', 'e') }).page('tools/list');
    assert.deepEqual([names.length, next === undefined], [Math.min(size, 5), size >= 5]);
  }
});

test('an entry that was removed during paging does not hide any other entry', async () => {
  const all = 'abcdefghijklmnop'.split('');
  for (const gone of ['c', 'f', 'fe', 'bf', 'af', 'abcdef', 'cdef', 'fg', 'p', 'ghijklmnop', 'abcdefghijklmnop']) {
    const { app, page, rest } = stage({ pageSize: 6, tools: named(...all) });
    const { names, next } = await page('tools/list');
    for (const name of gone) app.tools.delete(name);
    app.tools.set('new', tool({}, nothing));
    const seen = new Set([...names, ...(await rest('tools/list', next))]);
    for (const name of [...all.filter((one) => !gone.includes(one)), 'new'])
      assert.ok(seen.has(name), `${name} was left out when ${gone} went`);
  }
});

test('a page after one whose last entry was removed repeats nothing, as long as one of its last entries still exists', async () => {
  const { app, page } = stage({ pageSize: 6, tools: named(...'abcdefghi') });
  const { next } = await page('tools/list');
  for (const name of 'def') app.tools.delete(name);
  assert.deepEqual((await page('tools/list', next)).names, ['g', 'h', 'i']);
});

test('[PAGE-9] a cursor that was not made by this server, for this list and this caller is -32602', async () => {
  const { page } = stage({
    pageSize: 1,
    tools: named('a', 'b'),
    resources: { 'x:{a}': resource({ name: 'a' }, nothing), 'x:{b}/': resource({ name: 'b' }, nothing) },
  });
  const { next } = await page('tools/list');
  for (const cursor of ['', 'x', `${next}x`, next!.slice(1), 0, null, {}, ['a'], next!.toUpperCase()])
    await assert.rejects(page('tools/list', cursor), invalid);
  await assert.rejects(page('resources/templates/list', next), invalid);
  await assert.rejects(page('tools/list', next, { id: 'ann' }), invalid);
  assert.deepEqual((await page('tools/list', next)).names, ['b']);
});

test('a list contains what the caller may see, on every page', async () => {
  const { page } = stage({
    pageSize: 2,
    visibility: (principal) => principal?.id ?? '',
    tools: {
      a: tool({}, nothing),
      b: tool({ visible: ['ann'] }, nothing),
      c: tool({}, nothing),
      d: tool({ visible: ['ann'] }, nothing),
      e: tool({}, nothing),
    },
  });
  const ann = { id: 'ann' };
  const first = await page('tools/list', undefined, ann);
  assert.deepEqual(
    [first.names, (await page('tools/list')).names],
    [
      ['a', 'b'],
      ['a', 'c'],
    ],
  );
  assert.deepEqual((await page('tools/list', first.next, ann)).names, ['c', 'd']);
  await assert.rejects(page('tools/list', first.next), invalid);
});

test('[CACHE-20] a list that may differ between callers is never public', async () => {
  const cache = { ttlMs: 5_000, scope: 'public' } as const;
  const scopeOf = async (options: Omit<ServerOptions, 'name'>, method: ListMethod = 'tools/list'): Promise<unknown> => {
    const { result } = await stage({ cache, tools: {}, ...options }).page(method);
    assert.equal(result['ttlMs'], 5_000);
    return result['cacheScope'];
  };
  assert.equal(await scopeOf({}), 'public');
  assert.equal(await scopeOf({ visibility: () => '' }), 'private');
  assert.equal(await scopeOf({ providers: [{ tools: { list: () => [], get: () => undefined } }] }), 'private');
  const resources = { 'x:{a}': resource({ name: 'a', list: () => [] }, nothing) };
  assert.equal(await scopeOf({ resources }, 'resources/list'), 'private');
  assert.equal(await scopeOf({ resources }, 'resources/templates/list'), 'public');
});

test('a change of the server is visible in the next list', async () => {
  const { app, page } = stage({ tools: named('a') });
  assert.deepEqual((await page('tools/list')).names, ['a']);
  app.tools.set('b', tool({}, nothing));
  assert.deepEqual((await page('tools/list')).names, ['a', 'b']);
  app.tools.delete('a');
  assert.deepEqual((await page('tools/list')).names, ['b']);
});
