import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SERVER } from '../protocol/contract.ts';
import type { LogEntry } from '../protocol/log.ts';
import type { ListMethod } from '../protocol/results.ts';
import { Catalog } from './catalog.ts';
import { server, type ServerOptions } from './define.ts';
import { findResource, findTemplate } from './find-resource.ts';
import { prompt } from './prompt.ts';
import type { Provider } from './provider.ts';
import { resource } from './resource.ts';
import { type Tool, tool } from './tool.ts';
import type { Viewer } from './visibility.ts';

const USER: Viewer = { principal: undefined, visibilityClass: 'user' };
const ADMIN: Viewer = { principal: { id: 'root' }, visibilityClass: 'admin' };

function stage(options: Omit<ServerOptions, 'name'>) {
  const app = server({ name: 'test', ...options } as ServerOptions);
  const log: LogEntry[] = [];
  const catalog = new Catalog(app[SERVER], (entry) => void log.push(entry));
  const names = async (method: ListMethod, viewer: Viewer = USER): Promise<string[]> =>
    (await catalog.entries(method, viewer, () => ({}) as never)).map((entry) =>
      'uri' in entry ? entry.uri : 'uriTemplate' in entry ? entry.uriTemplate : entry.name,
    );
  const found = async (uri: string, viewer: Viewer = USER): Promise<string | undefined> =>
    (await findResource(catalog, uri, viewer))?.resource.name;
  return { app, catalog, log, names, found };
}

function nothing(): string {
  return '';
}
const thing = tool({}, nothing);

/** A provider of tools from a table. */
function tools(items: Readonly<Record<string, unknown>>): Provider {
  return {
    tools: {
      list: () => Object.entries(items) as [string, Tool][],
      get: (name) => (Object.hasOwn(items, name) ? (items[name] as Tool) : undefined),
    },
  };
}

test('an item that is not listed for a caller is not found for it either', async () => {
  const { catalog, names, found } = stage({
    visibility: () => '',
    tools: {
      open: thing,
      secret: tool({ visible: ['admin'] }, nothing),
      tested: tool({ visible: (name) => name === 'admin' }, nothing),
    },
    prompts: { hidden: prompt({ visible: ['admin'] }, nothing) },
    resources: {
      'x:secret': resource({ name: 'secret', visible: ['admin'] }, nothing),
      'x:{any}/secret': resource(
        { name: 'template', visible: ['admin'], list: () => [{ uri: 'x:1/secret', name: 'one' }] },
        nothing,
      ),
    },
  });
  assert.deepEqual(await names('tools/list'), ['open']);
  assert.deepEqual(await names('tools/list', ADMIN), ['open', 'secret', 'tested']);
  for (const name of ['secret', 'tested']) assert.equal(await catalog.tool(name, USER), undefined);
  assert.equal((await catalog.tool('secret', ADMIN))?.name, 'secret');
  assert.deepEqual([await catalog.prompt('hidden', USER), await names('prompts/list')], [undefined, []]);
  assert.deepEqual(
    [await found('x:secret'), await found('x:1/secret'), await findTemplate(catalog, 'x:{any}/secret', USER)],
    [undefined, undefined, undefined],
  );
  assert.deepEqual([await names('resources/list'), await names('resources/templates/list')], [[], []]);
  assert.deepEqual([await found('x:secret', ADMIN), await found('x:1/secret', ADMIN)], ['x:secret', 'x:{any}/secret']);
  assert.deepEqual(await names('resources/list', ADMIN), ['x:secret', 'x:1/secret']);
});

test('prototype names are ordinary names', async () => {
  const { catalog } = stage({ tools: { ['__proto__']: thing } });
  assert.equal((await catalog.tool('__proto__', USER))?.name, '__proto__');
  for (const name of ['constructor', 'toString', 'hasOwnProperty']) {
    assert.equal(await catalog.tool(name, USER), undefined);
    assert.equal(await catalog.prompt(name, USER), undefined);
  }
});

test("the server's own items are found in the same turn", () => {
  const { catalog } = stage({
    tools: { a: thing },
    resources: { 'x:a': resource({ name: 'a' }, nothing), 'x:b/{c}': resource({ name: 'b' }, nothing) },
  });
  assert.equal((catalog.tool('a', USER) as { name: string }).name, 'a');
  for (const [uri, name] of [
    ['x:a', 'x:a'],
    ['x:b/1', 'x:b/{c}'],
  ] as const)
    assert.equal((findResource(catalog, uri, USER) as { resource: { name: string } }).resource.name, name);
});

test('a URI is resolved to the exact resource, then to the most specific template, then to the first', async () => {
  const { found, app } = stage({
    resources: {
      'x:{+all}': resource({ name: 'all' }, nothing),
      'x:a/{b}': resource({ name: 'more' }, nothing),
      'x:a/{c}': resource({ name: 'equal' }, nothing),
      'x:a/b': resource({ name: 'exact' }, nothing),
    },
  });
  assert.deepEqual(
    [await found('x:a/b'), await found('x:a/c'), await found('x:q/w'), await found('y:a')],
    ['x:a/b', 'x:a/{b}', 'x:{+all}', undefined],
  );
  app.resources.delete('x:a/{b}');
  assert.equal(await found('x:a/c'), 'x:a/{c}');
  app.resources.set('x:a/d{e}', resource({ name: 'new' }, nothing));
  assert.equal(await found('x:a/d1'), 'x:a/d{e}');
});

test("the server's own items come before those of providers, and those of the first provider before the second", async () => {
  const { catalog, names } = stage({
    tools: { a: tool({ title: 'own' }, nothing) },
    providers: [
      tools({ a: tool({ title: 'first' }, nothing), b: tool({ title: 'first' }, nothing) }),
      tools({ b: tool({ title: 'second' }, nothing), c: tool({ title: 'second' }, nothing) }),
    ],
  });
  const title = async (name: string): Promise<string | undefined> => (await catalog.tool(name, USER))?.entry.title;
  assert.deepEqual([await title('a'), await title('b'), await title('c')], ['own', 'first', 'second']);
  assert.deepEqual(await names('tools/list'), ['a', 'b', 'c']);
});

test('a name that the server hides is not looked up in providers', async () => {
  const { catalog, names } = stage({
    visibility: () => '',
    tools: { a: tool({ visible: ['admin'] }, nothing) },
    providers: [tools({ a: thing })],
  });
  assert.equal(await catalog.tool('a', USER), undefined);
  assert.deepEqual(await names('tools/list'), []);
});

test('an unusable item of a provider is left out and reported once, and no later provider replaces it', async () => {
  const wrong = { 'bad name': tool({}, nothing), res: resource({ name: 'r' }, nothing), text: 'a text', no: null };
  const { catalog, names, log } = stage({ providers: [tools({ ...wrong, good: thing }), tools({ res: thing })] });
  for (let time = 0; time < 2; time++) {
    assert.deepEqual(await names('tools/list'), ['good']);
    for (const name of Object.keys(wrong)) assert.equal(await catalog.tool(name, USER), undefined);
  }
  const about = (name: string): number => log.filter(({ message }) => message.includes(`'${name}'`)).length;
  assert.deepEqual([about('bad name'), about('res')], [1, 1]);
  assert.ok(log.every(({ event }) => event === 'provider-item-unusable'));
});

test('items of providers are compiled once per object', async () => {
  let compiled = 0;
  const counting = { ...thing, compile: (name: string) => (compiled++, thing.compile(name)) };
  const { catalog, names } = stage({ providers: [tools({ a: counting })] });
  for (let time = 0; time < 3; time++)
    assert.deepEqual([await names('tools/list'), (await catalog.tool('a', USER))?.name], [['a'], 'a']);
  assert.equal(compiled, 1);
});

test('a provider receives the caller', async () => {
  const seen: (string | undefined)[] = [];
  const provider: Provider = {
    resources: {
      list: ({ principal }) => (
        seen.push(principal?.id),
        [[`x:${principal?.id}/{file}`, resource({ name: 'own' }, nothing)]]
      ),
      get: (name, { principal }) => (
        seen.push(principal?.id),
        name === 'x:exact' ? resource({ name: 'exact' }, nothing) : undefined
      ),
    },
  };
  const { found, names } = stage({
    resources: { 'x:{+any}': resource({ name: 'any' }, nothing) },
    providers: [provider],
  });
  assert.deepEqual(
    [await found('x:root/1', ADMIN), await found('x:root/1'), await found('x:exact')],
    ['x:root/{file}', 'x:{+any}', 'x:exact'],
  );
  assert.deepEqual(await names('resources/templates/list', ADMIN), ['x:{+any}', 'x:root/{file}']);
  assert.ok(seen.includes('root') && seen.includes(undefined));
});

test('a list has a generation if only a change of the server can change it', async () => {
  const { catalog, app } = stage({ resources: { 'x:{a}': resource({ name: 'a' }, nothing) } });
  const before = catalog.generation('resources/list');
  assert.notEqual(before, undefined);
  app.resources.set('x:{b}/', resource({ name: 'b', list: () => [] }, nothing));
  assert.equal(catalog.generation('resources/list'), undefined);
  assert.notEqual(catalog.generation('resources/templates/list'), before);
  const provided = stage({ providers: [tools({})] }).catalog;
  assert.equal(provided.generation('tools/list'), undefined);
  assert.notEqual(provided.generation('prompts/list'), undefined);
});

test('a resource that is both registered and listed by a template is listed once, as registered', async () => {
  const { names, catalog } = stage({
    resources: {
      'x:1': resource({ name: 'held' }, nothing),
      'x:{a}': resource(
        {
          name: 'a',
          list: () => [
            { uri: 'x:1', name: 'listed' },
            { uri: 'x:2', name: 'listed' },
          ],
        },
        nothing,
      ),
    },
  });
  assert.deepEqual(await names('resources/list'), ['x:1', 'x:2']);
  assert.equal((await catalog.entries('resources/list', USER, () => ({}) as never))[0]!.name, 'held');
});

test('a template that lists an item without a uri or a name is named in the error', async () => {
  for (const item of [{ uri: 'x:1' }, { name: 'a' }, null, 'x:1']) {
    const { names } = stage({ resources: { 'x:{a}': resource({ name: 'a', list: () => [item] as never }, nothing) } });
    await assert.rejects(names('resources/list'), /`list` of the template 'x:\{a\}'/);
  }
});

test('completion is offered if an item supports it', () => {
  const completes = (options: Omit<ServerOptions, 'name'>): boolean => stage(options).catalog.completes();
  assert.equal(completes({ tools: { a: thing }, resources: { 'x:{a}': resource({ name: 'a' }, nothing) } }), false);
  assert.equal(completes({ resources: { 'x:{a}': resource({ name: 'a', complete: { a: [] } }, nothing) } }), true);
  assert.equal(
    completes({
      prompts: { a: prompt({ input: { type: 'object', properties: { b: {} } }, complete: { b: [] } }, nothing) },
    }),
    true,
  );
  assert.equal(completes({ providers: [{ prompts: { list: () => [], get: () => undefined } }] }), true);
  assert.equal(completes({ providers: [tools({})] }), false);
});
