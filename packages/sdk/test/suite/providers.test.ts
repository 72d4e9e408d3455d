// Tools, resources and prompts of providers, and changes of a server's own items while it runs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, ToolError } from '../../src/entries/client.ts';
import { DefinitionError, prompt, resource, server, tool } from '../../src/entries/index.ts';
import { everywhere, type CellContext } from './cells.ts';
import { type makeProviders, providers } from './fixtures/providers.ts';
import { everywhereRaw } from './raw.ts';

const shared = { fixture: providers };
type Client = CellContext<ReturnType<typeof makeProviders>>['client'];

const TOOLS = ['own', 'insert', 'remove', 'a', 'b', 'fine'];
async function names(client: Client): Promise<string[]> {
  return (await client.tools({ fresh: true }).all()).map(({ name }) => name);
}

everywhere(
  "[TOOL-17] items of providers are listed after the server's own, over all pages, each name once",
  async ({ client }) => {
    assert.deepEqual(await names(client), TOOLS);
    assert.deepEqual(
      (await client.resources().all()).map(({ uri }) => uri),
      ['row://a'],
    );
    assert.deepEqual(
      (await client.templates().all()).map(({ uriTemplate }) => uriTemplate),
      ['place:///{name}'],
    );
    assert.deepEqual(
      (await client.prompts().all()).map(({ name }) => name),
      ['a'],
    );
  },
  shared,
);

everywhere(
  'an item of a provider works like any other; the first provider with a name wins',
  async ({ client }) => {
    const call = async (name: string) => client.call(name as 'own');
    assert.equal(await call('a'), 'a of the table');
    assert.equal(await call('b'), 'b of the table');
    assert.equal(await call('own'), 'the own one');
    assert.equal(await call('fine'), 'fine');
    assert.equal((await client.read('row://a')).contents[0]!.text, 'row://a of the table');
    assert.equal((await client.read('place:///Oslo')).contents[0]!.text, 'at Oslo');
    assert.equal(
      JSON.stringify((await client.prompt('a', { a: 'x' })).messages[0]!.content),
      '{"type":"text","text":"a x"}',
    );
    assert.deepEqual((await client.complete({ prompt: 'a' }, { argument: 'a', value: 'o' })).values, ['one', 'other']);
    assert.deepEqual(
      (await client.complete({ template: 'place:///{name}' }, { argument: 'name', value: 'b' })).values,
      ['Bergen'],
    );
  },
  shared,
);

everywhereRaw(
  '[TOOL-13, TOOL-15, TOOL-16] an unusable item of a provider is left out, and reported to the operator',
  async (raw) => {
    assert.equal((await raw.request('tools/call', { name: 'not a name' })).error?.code, -32602);
    assert.equal((await raw.request('tools/call', { name: 'nobody' })).error?.code, -32602);
    await raw.request('tools/list');
    await raw.settled();
    assert.match(raw.log.join('\n'), /provider-item-unusable: .*'not a name'/);
    assert.match(raw.log.join('\n'), /provider-item-unusable: .*'nothing'/);
  },
  shared,
);

everywhereRaw(
  'a provider that fails is an internal error without internal details',
  async (raw) => {
    const { error } = await raw.request('prompts/get', { name: 'nobody' });
    assert.equal(error?.code, -32603);
    assert.doesNotMatch(JSON.stringify(raw.received), /SECRETPW/);
  },
  shared,
);

everywhere(
  'a change that a provider announces is sent once, and the changed items are available',
  async ({ client, wire }) => {
    const watches = (['tools', 'resources', 'prompts'] as const).map((list) => client.watch({ list }));
    watches.push(client.watch({ uri: 'row://a' }));
    await Promise.all(watches.map(({ ready }) => ready));
    await client.call('insert', { name: 'new' });
    for (const watch of watches) assert.equal((await watch[Symbol.asyncIterator]().next()).done, false);
    await client.ping();
    const told = wire.flatMap(({ from, message }) =>
      from === 'server' && message.method !== undefined && !message.method.includes('ack') ? [message.method] : [],
    );
    assert.equal(told.length, 4);
    assert.equal(await client.call('new' as 'own'), 'new of the table');
    assert.deepEqual(await names(client), ['own', 'insert', 'remove', 'a', 'b', 'new', 'new-2', 'fine']);
    assert.equal((await client.read('row://new')).contents[0]!.text, 'row://new of the table');
    await client.call('remove', { name: 'new' });
    await assert.rejects(client.call('new' as 'own'), { code: -32602 });
    for (const watch of watches) watch.close();
  },
  { ...shared, alone: true },
);

const ada = { fixture: providers, serve: { principal: { id: 'ada' } } };

everywhere(
  'a provider receives the caller, for lists and for calls',
  async ({ client }) => {
    assert.deepEqual(await names(client), ['own', 'insert', 'remove', 'a', 'b', 'of-ada', 'fine']);
    assert.equal(await client.call('of-ada' as 'own'), 'only for ada');
    await assert.rejects(client.call('of-bob' as 'own'), { code: -32602 });
  },
  ada,
);

test('tools, resources and prompts can be added, replaced and removed while the server runs', async () => {
  const made = server({
    name: 'live',
    version: '1.0.0',
    tools: { first: tool({}, () => 'one') },
    resources: {},
    prompts: {},
  });
  for (const revision of ['2024-11-05', '2026-07-28'] as const) {
    await using client = await connect<unknown>(made, { revision });
    assert.equal(await client.call('first'), 'one');
    made.tools.set(
      'first',
      tool({ description: 'Another' }, () => 'two'),
    );
    assert.equal(await client.call('first'), 'two');
    assert.equal((await client.tools().all())[0]?.description, 'Another');
    made.tools.set(
      'second',
      tool({}, () => 'second'),
    );
    made.resources.set(
      'live://x',
      resource({ name: 'x' }, () => 'x'),
    );
    made.prompts.set(
      'p',
      prompt({}, () => 'p'),
    );
    assert.deepEqual(
      [...made.tools].map(([name]) => name),
      ['first', 'second'],
    );
    assert.deepEqual([made.tools.size, made.tools.has('second'), made.tools.get('nobody')], [2, true, undefined]);
    assert.equal((await client.read('live://x')).contents[0]!.text, 'x');
    assert.equal((await client.prompt('p')).messages.length, 1);
    assert.deepEqual(
      [
        made.tools.delete('second'),
        made.tools.delete('second'),
        made.resources.delete('live://x'),
        made.prompts.delete('p'),
      ],
      [true, false, true, true],
    );
    await assert.rejects(client.call('second'), { code: -32602 });
    await assert.rejects(client.read('live://x'));
    await assert.rejects(client.prompt('p'), { code: -32602 });
    made.tools.set(
      'first',
      tool({}, () => 'one'),
    );
  }
});

test('a running call ends as it began, even if its tool is removed meanwhile', async () => {
  let finish: (() => void) | undefined;
  const made = server({
    name: 'live',
    tools: { slow: tool({}, () => new Promise<string>((resolve) => (finish = () => resolve('done')))) },
  });
  await using client = await connect(made);
  const call = client.call('slow');
  await client.ping();
  made.tools.delete('slow');
  finish!();
  assert.equal(await call, 'done');
  await assert.rejects(client.call('slow'), { code: -32602 });
});

test('[TOOL-13, TOOL-15, TOOL-16] an invalid tool is refused when it is added, and changes nothing', async () => {
  const any = tool({}, () => 'x');
  for (const name of ['', 'a b', 'a,b', 'a/b', 'é', 'a\n', 'x'.repeat(129)]) {
    assert.throws(() => server({ name: 'x', tools: { [name]: any } }), DefinitionError, name);
    const made = server({ name: 'x', tools: {} });
    assert.throws(() => made.tools.set(name, any), DefinitionError, name);
    assert.equal(made.tools.size, 0);
  }
  const made = server({ name: 'x', tools: { 'A-z_0.9': any, a: any, A: any, ['x'.repeat(128)]: any } });
  assert.equal(made.tools.size, 4);
  const bad: object[] = [
    { input: { type: 'string' } },
    { input: {} },
    { input: 5 },
    { _meta: { 'mcp.dev/x': 1, 'io.modelcontextprotocol/x': 1 } },
  ];
  for (const options of bad)
    assert.throws(
      () =>
        made.tools.set(
          'b',
          tool(options, () => 'x'),
        ),
      DefinitionError,
      JSON.stringify(options),
    );
  assert.throws(() => made.tools.set('b', (() => 'x') as never), DefinitionError);
});

everywhere(
  '[TOOL-14] names are case-sensitive',
  async ({ client }) => {
    await assert.rejects(client.call('OWN' as 'own'), { code: -32602 });
    await assert.rejects(
      client.call('Insert' as 'insert', { name: 'x' }),
      (error: unknown) => !(error instanceof ToolError),
    );
  },
  shared,
);
