import assert from 'node:assert/strict';
import { test } from 'node:test';
import { audio, DefinitionError, image, prompt, server } from '../../src/entries/index.ts';
import { featuresOf } from '../../src/protocol/revision.ts';
import { everywhere, inCell } from './cells.ts';
import { schemas } from './fixtures/schemas.ts';
import { everywhereRaw } from './raw.ts';

const NAMES = ['review', 'talk', 'blocks', 'whole', 'broken', 'strange', 'chatty', 'asks'];

everywhere('[PROMPT-10] prompts are listed in order, over several pages', async ({ client, wire }) => {
  assert.deepEqual(
    (await client.prompts({ fresh: true }).all()).map(({ name }) => name),
    NAMES,
  );
  assert.equal(wire.filter(({ message }) => message.method === 'prompts/list').length, 2);
});

everywhere(
  '[PROMPT-3] the list of prompts does not depend on the connection, or on earlier requests',
  async ({ client, cell }) => {
    const names = async (from: typeof client) => (await from.prompts({ fresh: true }).all()).map(({ name }) => name);
    await client.prompt('review', { code: 'x' });
    await assert.rejects(client.prompt('broken'));
    await client.call('add', { a: 1, b: 2 });
    assert.deepEqual(await names(client), NAMES);
    await inCell(cell, async ({ client: other }) => assert.deepEqual(await names(other), NAMES), {
      alone: true,
      connect: { info: { name: 'another', version: '9' } },
    });
  },
);

everywhere('members of a prompt are sent to revisions that know them', async ({ client, cell }) => {
  const features = featuresOf(cell.revision);
  const [review] = await client.prompts().all();
  assert.deepEqual(review, {
    name: 'review',
    description: 'Review code',
    arguments: [{ name: 'code', description: 'The code', required: true }, { name: 'style' }, { name: 'other' }],
    ...(features.title ? { title: 'Review' } : {}),
    ...(features.icons
      ? { icons: [{ src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'light' }] }
      : {}),
    ...(features.entityMeta ? { _meta: { 'com.example/kind': 'review' } } : {}),
  });
});

everywhere('[PROMPT-13] a prompt is returned with its arguments filled in', async ({ client }) => {
  const user = (text: string) => ({ role: 'user', content: { type: 'text', text } });
  const { description, messages } = await client.prompt('review', { code: 'a\n{"role":"assistant"}', style: 'kindly' });
  assert.equal(description, 'Review code');
  assert.deepEqual(messages, [user('Review kindly:\na\n{"role":"assistant"}')]);
  assert.deepEqual((await client.prompt('review', { code: '' })).messages, [user('Review normally:\n')]);
  assert.deepEqual((await client.prompt('blocks')).messages, [user('a text'), user('a block')]);
  const whole = await client.prompt('whole');
  assert.deepEqual(
    [whole.description, whole.messages],
    ['Given', [{ role: 'assistant', content: { type: 'text', text: 'whole' } }]],
  );
});

everywhere(
  '[PROMPT-5, PROMPT-6, PROMPT-7] every kind of content arrives, or is replaced by one that the revision can represent',
  async ({ client, cell }) => {
    const features = featuresOf(cell.revision);
    const { messages } = await client.prompt('talk');
    assert.deepEqual(
      messages.map(({ role }) => role),
      ['user', 'assistant', 'user', 'user', 'user', 'user', 'assistant'],
    );
    const [, , audio, image, embedded, bytes, link] = messages.map(({ content }) => content);
    assert.deepEqual(image, { type: 'image', data: '+/8=', mimeType: 'image/png' });
    assert.deepEqual(embedded, {
      type: 'resource',
      resource: { uri: 'suite://embedded', mimeType: 'text/plain', text: 'text' },
    });
    assert.deepEqual(bytes, {
      type: 'resource',
      resource: { uri: 'suite://bytes', mimeType: 'image/png', blob: '+/8=' },
    });
    const asResource = { type: 'resource', resource: { uri: 'embedded:audio/2', mimeType: 'audio/wav', blob: 'AQ==' } };
    assert.deepEqual(audio, features.audio ? { type: 'audio', data: 'AQ==', mimeType: 'audio/wav' } : asResource);
    assert.equal(link?.type, features.resourceLink ? 'resource_link' : 'text');
    assert.match(JSON.stringify(link), /suite:\/\/setting/);
  },
);

everywhereRaw(
  '[PROMPT-8] an unknown prompt is an invalid-params error',
  async (raw) => {
    for (const name of ['nope', '', '__proto__', 'constructor', 'REVIEW', undefined, 5, null]) {
      const { error } = await raw.request('prompts/get', { name });
      assert.equal(error?.code, -32602, String(name));
    }
  },
  { hostile: true },
);

everywhereRaw(
  '[PROMPT-8, PROMPT-9] arguments are checked before the prompt receives them',
  async (raw) => {
    for (const args of [
      undefined,
      {},
      { style: 'short' },
      { code: 5 },
      { code: null },
      { code: 'x', style: {} },
      [],
      'x',
    ]) {
      const { error } = await raw.request('prompts/get', { name: 'review', arguments: args });
      assert.equal(error?.code, -32602, JSON.stringify(args));
    }
    const { error } = await raw.request('prompts/get', { name: 'blocks', arguments: { any: 'thing' } });
    assert.equal(error?.code, -32602, 'a prompt without arguments takes none');
  },
  { hostile: true },
);

everywhereRaw(
  '[PROMPT-8, PROMPT-12] an exception, or a result that is not a message, is -32603 without internal details',
  async (raw) => {
    for (const name of ['broken', 'strange']) {
      const { error } = await raw.request('prompts/get', { name });
      assert.equal(error?.code, -32603, name);
      assert.match(error?.message ?? '', /error [0-9a-f]{8}/);
    }
    assert.doesNotMatch(JSON.stringify(raw.received), /SECRETPW/);
  },
);

test('[PROMPT-5, PROMPT-6] an image or audio block is base64 with a media type, or an error', () => {
  for (const make of [image, audio]) {
    for (const data of ['not base64', 'AQ', 'AQ==\n', 'A_-=', 'data:image/png;base64,AQ=='])
      assert.throws(() => make(data, 'image/png'), TypeError, data);
    for (const type of ['', 'png', 'image/', '/png', 'image/png\nX: y', 'image png/x'])
      assert.throws(() => make('AQ==', type), TypeError, type);
    for (const type of ['image/png', 'image/svg+xml', 'audio/ogg; codecs=opus', 'application/vnd.x-y.z'])
      assert.equal(make('AQ==', type).mimeType, type);
    assert.equal(make('', 'image/png').data, '');
  }
});

everywhere(
  'arguments are text for clients, and what the schema declares for the handler',
  async ({ client }) => {
    const got = async (name: 'typed' | 'plainTyped', args: Record<string, string>): Promise<unknown> =>
      JSON.parse(((await client.prompt(name, args as never)).messages[0]!.content as { text: string }).text);
    for (const name of ['typed', 'plainTyped'] as const) {
      assert.deepEqual(await got(name, { days: '3' }), { days: 3, celsius: true, cities: [] });
      const given = { days: '14', celsius: 'false', cities: 'Oslo, Lima', note: '5' };
      assert.deepEqual(await got(name, given), { days: 14, celsius: false, cities: ['Oslo', 'Lima'], note: '5' });
      for (const [wrong, where] of [
        [{ days: 'three' }, /days/],
        [{ days: '3.5' }, /days/],
        [{ days: '9007199254740993' }, /days: the number 9007199254740993 would lose its value/],
        [{ days: '3', celsius: 'yes' }, /celsius/],
      ] as const)
        await assert.rejects(got(name, wrong), { code: -32602, message: where });
    }
    const listed = await client.prompts({ fresh: true }).all();
    for (const { arguments: args } of listed)
      assert.deepEqual(
        args!.map(({ name, required }) => `${name}${required === true ? '' : '?'}`),
        ['days', 'celsius?', 'cities?', 'note?'],
      );
  },
  { fixture: schemas },
);

test('an invalid prompt is refused when it is defined', () => {
  const bad: object[] = [
    { input: { type: 'string' } },
    { input: { type: 'object', properties: { a: { type: 'string' } } }, complete: { b: ['x'] } },
    { complete: { a: ['x'] } },
    { _meta: { 'io.modelcontextprotocol/x': 1 } },
  ];
  for (const options of bad)
    assert.throws(
      () => server({ name: 'x', prompts: { p: prompt(options, () => 'x') } }),
      DefinitionError,
      JSON.stringify(options),
    );
  assert.throws(() => server({ name: 'x', prompts: { '': prompt({}, () => 'x') } }), DefinitionError);
  assert.throws(() => server({ name: 'x', prompts: { p: (() => 'x') as never } }), DefinitionError);
});
