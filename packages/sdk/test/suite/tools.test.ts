import assert from 'node:assert/strict';
import { featuresOf } from '../../src/protocol/revision.ts';
import { ToolError } from '../../src/entries/client.ts';
import { endsByItself, everywhere } from './cells.ts';

everywhere('[TOOL-1, TOOL-2] tools are declared and listed', async ({ client }) => {
  assert.ok(client.capabilities.tools);
  const tools = await client.tools().all();
  assert.equal(tools[0]?.name, 'echo');
  assert.ok(tools.length > 20, 'all pages were followed');
});

everywhere('[TOOL-4, PAGE-3] the order of tools is the same every time', async ({ client }) => {
  const names = async () => (await client.tools({ fresh: true }).all()).map(({ name }) => name);
  assert.deepEqual(await names(), await names());
});

everywhere(
  '[TOOL-33, TOOL-24, TOOL-25] a tool receives parsed arguments and returns validated structured output',
  async ({ client, cell }) => {
    const result = await client.result('add', { a: 1, b: 2 });
    assert.deepEqual(result.content, [{ type: 'text', text: '{"sum":3}' }]);
    const structured = featuresOf(cell.revision).structured;
    assert.deepEqual(result.structuredContent, structured === 'none' ? undefined : { sum: 3 });
  },
);

everywhere(
  '[TOOL-28] structured content of any type reaches clients whose revision knows it',
  async ({ client, cell }) => {
    const structured = featuresOf(cell.revision).structured;
    const list = await client.result('list');
    assert.deepEqual(
      list.structuredContent,
      structured === 'any' ? [1, 2, 3] : structured === 'object' ? { result: [1, 2, 3] } : undefined,
    );
    const nothing = await client.result('nothing');
    assert.equal(Object.hasOwn(nothing, 'structuredContent'), structured !== 'none');
    assert.deepEqual(nothing.content, [{ type: 'text', text: 'null' }]);
  },
);

everywhere('[TOOL-31] invalid arguments are an error that the model can read', async ({ client }) => {
  const result = await client.result('add', { a: 'x' } as never);
  assert.equal(result.isError, true);
  assert.match(JSON.stringify(result.content), /a:.*b:/);
});

everywhere('[TOOL-30] an error of the tool is a result', async ({ client }) => {
  await assert.rejects(
    client.call('refuse'),
    (error) => error instanceof ToolError && error.message === 'Try something else' && error.result?.isError === true,
  );
});

everywhere(
  '[TOOL-29] an unknown tool is an invalid-params error',
  async ({ cell, client }) => {
    await assert.rejects(client.request('tools/call', { name: 'nope' }), { code: -32602 });
    await assert.rejects(client.request('tools/call', { name: '__proto__' }), { code: -32602 });
    // Over HTTP the name is required in a header, too, and that is checked first.
    await assert.rejects(client.request('tools/call', {}), { code: endsByItself(cell) ? -32020 : -32602 });
    await assert.rejects(client.request('tools/call', { name: 'add', arguments: [] }), { code: -32602 });
  },
  { hostile: true },
);

everywhere('a tool may be named like a member of every object', async ({ client }) => {
  assert.equal(await client.call('constructor'), 'a tool of this name');
});

everywhere('an exception reaches the peer as a short id, never as its text', async ({ client, wire }) => {
  const result = await client.result('boom');
  assert.equal(result.isError, true);
  assert.match(JSON.stringify(result.content), /error [0-9a-f]{8}/);
  assert.doesNotMatch(JSON.stringify(wire), /SECRETPW/);
});

everywhere('an error of the application reaches the peer unchanged', async ({ client }) => {
  await assert.rejects(client.call('protocol'), {
    code: 4711,
    message: 'An error of the application',
    data: { more: true },
  });
});

everywhere('a result that does not match the declared output is a failure of the tool', async ({ client }) => {
  const result = await client.result('badOutput');
  assert.equal(result.isError, true);
});

everywhere('plain JSON Schema works like a schema library, defaults included', async ({ client }) => {
  assert.equal(await client.call('plain', { city: 'Oslo' }), 'Oslo 3');
  const result = await client.result('plain', { city: 'Oslo', days: 0, more: 1 } as never);
  assert.equal(result.isError, true);
});

everywhere(
  '[TOOL-21] every kind of content arrives, or is replaced by one that the revision can represent',
  async ({ client, cell }) => {
    const features = featuresOf(cell.revision);
    const { content } = await client.result('everything');
    const types = content.map(({ type }) => type);
    assert.deepEqual(types, [
      'text',
      'image',
      features.audio ? 'audio' : 'resource',
      features.resourceLink ? 'resource_link' : 'text',
      'resource',
      'resource',
    ]);
    assert.match(JSON.stringify(content[3]), /suite:\/\/setting/);
    assert.match(JSON.stringify(content[2]), /BAUG/);
  },
);

everywhere(
  '[TOOL-12] annotations, icons, titles and _meta are sent to revisions that know them',
  async ({ client, cell }) => {
    const features = featuresOf(cell.revision);
    const add = (await client.tools().all()).find(({ name }) => name === 'add')!;
    assert.equal(add.annotations?.readOnlyHint, features.toolAnnotations ? true : undefined);
    assert.equal(add.title, features.title ? 'Addition' : undefined);
    assert.equal(add.icons?.length, features.icons ? 1 : undefined);
    assert.deepEqual(add._meta, features.entityMeta ? { 'com.example/kind': 'arithmetic' } : undefined);
  },
);

everywhere('values arrive unchanged: prototypes, deep and odd names', async ({ client }) => {
  const value = JSON.parse(
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":[null,true,1.5,"\\u2028😀"]}',
  ) as object;
  const { structuredContent, content } = await client.result('echo', { value });
  const back = structuredContent ?? JSON.parse((content[0] as { text: string }).text);
  assert.equal(JSON.stringify(back), JSON.stringify({ value }));
  assert.equal(({} as { polluted?: number }).polluted, undefined);
});

everywhere('long results arrive as they were returned, among short ones', async ({ client }) => {
  const name = 'name "é" \u2028 '.repeat(9_000);
  const texts = [name, 'Ada', name, name, 'Bo'];
  assert.deepEqual(
    await Promise.all(texts.map((text) => client.call('greet', { name: text }))),
    texts.map((text) => `Hello, ${text}!`),
  );
  assert.deepEqual(await client.call('echo', { value: texts }), { value: texts });
});
