// Half of this file is checked by the compiler: an `@ts-expect-error` fails the type check if the line below it has no error.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import type { Client, Command } from '../entries/client.ts';
import type { Content, TextContent } from '../protocol/content.ts';
import type { CallToolResult, GetPromptResult } from '../protocol/results.ts';
import { REVISIONS } from '../protocol/revision.ts';
import { image, link, reply, text } from '../server/content.ts';
import { server } from '../server/define.ts';
import { prompt } from '../server/prompt.ts';
import { resource } from '../server/resource.ts';
import { tool } from '../server/tool.ts';
import { connect } from './connect.ts';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(is: Same<A, B>): void {
  assert.equal(is, true);
}

const app = server({
  name: 'typed',
  tools: {
    forecast: tool(
      {
        input: z.object({ city: z.string(), days: z.int().default(3) }),
        output: z.object({ celsius: z.array(z.number()) }),
      },
      ({ days }) => ({ celsius: Array.from({ length: days }, () => 7) }),
    ),
    hello: tool({ input: z.object({ name: z.string().optional() }) }, ({ name }) => `Hello ${name ?? 'you'}`),
    now: tool({}, () => 'now'),
    picture: tool({}, () => [image('AA==', 'image/png')]),
  },
});

test('names, arguments and results of a server value are typed', async () => {
  await using client = await connect(app);
  const forecast = await client.call('forecast', { city: 'Oslo' });
  same<typeof forecast, { celsius: number[] }>(true);
  assert.deepEqual(forecast, { celsius: [7, 7, 7] });
  assert.deepEqual(await client.call('forecast', { city: 'Oslo', days: 1 }, { timeout: 1_000 }), { celsius: [7] });
  const hello = await client.call('hello');
  same<typeof hello, string>(true);
  assert.equal(hello, 'Hello you');
  assert.equal(await client.call('hello', {}), 'Hello you');
  assert.equal(await client.call('now'), 'now');
  const picture = await client.call('picture');
  same<typeof picture, string | Content[]>(true);
  const whole = await client.result('forecast', { city: 'Oslo', days: 1 });
  same<typeof whole, CallToolResult>(true);
  assert.deepEqual(whole.structuredContent, { celsius: [7] });
});

for (const revision of REVISIONS) {
  test(`a typed call returns a value of its type, however the revision carried it: ${revision}`, async () => {
    const rows = z.array(z.string());
    const values = server({
      name: 'values',
      tools: {
        object: tool({ output: z.object({ n: z.number() }) }, () => ({ n: 1 })),
        list: tool({ output: rows }, () => ['a']),
        nothing: tool({ output: z.null() }, () => null),
        either: tool({ output: z.union([z.object({ result: z.string() }), rows]) }, () => ({ result: 'mine' })),
        told: tool({ output: rows }, () => reply({ content: [text('1 row')], structuredContent: ['a'] })),
        linked: tool({ output: rows }, () =>
          reply({ content: [text('["a"]'), link('https://example.com/', 'x')], structuredContent: ['a'] }),
        ),
        drawn: tool({ output: rows }, () => reply({ content: [image('AA==', 'image/png')], structuredContent: ['a'] })),
      },
    });
    await using client = await connect(values, { revision });
    assert.deepEqual(await client.call('object'), { n: 1 });
    assert.deepEqual(await client.call('list'), ['a']);
    assert.equal(await client.call('nothing'), null);
    assert.deepEqual(await client.call('either'), { result: 'mine' });
    for (const name of ['told', 'linked', 'drawn'] as const) assert.deepEqual(await client.call(name), ['a'], name);
    assert.deepEqual((await client.result('told')).content, [{ type: 'text', text: '1 row' }]);
  });
}

const library = server({
  name: 'library',
  prompts: {
    review: prompt(
      { input: z.object({ code: z.string(), lines: z.coerce.number().optional() }), complete: { code: () => ['a'] } },
      ({ code, lines }) => `${code} ${typeof lines}`,
    ),
    greet: prompt({}, () => 'Hello'),
  },
  resources: {
    'notes://all': resource({ name: 'all' }, () => 'all'),
    'notes://{folder}/{note}': resource(
      { name: 'note', complete: { folder: () => ['in', 'out'], note: () => ['1'] } },
      ({ note }) => note,
    ),
  },
});

test('a task has the type of its tool, even after it was stored', async () => {
  await using client = await connect(app);
  const task = await client.start('forecast', { city: 'Oslo', days: 1 });
  same<Awaited<ReturnType<typeof task.value>>, { celsius: number[] }>(true);
  const again = await client.task(task.toJSON());
  same<Awaited<ReturnType<typeof again.value>>, { celsius: number[] }>(true);
  assert.deepEqual(await again.value(), { celsius: [7] });
  // @ts-expect-error There is no such tool.
  await assert.rejects(client.start('weather'));
  // @ts-expect-error The argument is a string.
  const wrong = await client.start('forecast', { city: 5 });
  await assert.rejects(wrong.value());
});

test('prompts, their arguments and the variables of templates are typed', async () => {
  await using client = await connect(library);
  const textOf = ({ messages }: GetPromptResult) => messages.map(({ content }) => (content as TextContent).text);
  assert.deepEqual(textOf(await client.prompt('review', { code: 'x' })), ['x undefined']);
  // Clients send strings; the schema converts them.
  assert.deepEqual(textOf(await client.prompt('review', { code: 'x', lines: '3' }, { timeout: 1_000 })), ['x number']);
  assert.deepEqual(textOf(await client.prompt('greet')), ['Hello']);
  const prompted = await client.complete({ prompt: 'review' }, { argument: 'code', value: '' });
  assert.deepEqual(prompted.values, ['a']);
  const template = 'notes://{folder}/{note}';
  assert.deepEqual((await client.complete({ template }, { argument: 'note', value: '' })).values, ['1']);
  assert.deepEqual((await client.complete({ template }, { argument: 'folder', value: 'o' })).values.length, 2);
});

test('the server also refuses what the types refuse: prompts and templates', async () => {
  await using client = await connect(library);
  // @ts-expect-error There is no such prompt.
  await assert.rejects(client.prompt('revue', { code: 'x' }));
  // @ts-expect-error An argument is missing.
  await assert.rejects(client.prompt('review', {}));
  // @ts-expect-error All arguments are missing.
  await assert.rejects(client.prompt('review'));
  // @ts-expect-error An argument is not a string.
  await assert.rejects(client.prompt('review', { code: 'x', lines: 3 }));
  // @ts-expect-error There is no such argument.
  await assert.rejects(client.complete({ prompt: 'review' }, { argument: 'text', value: '' }));
  // @ts-expect-error There is no such template.
  await assert.rejects(client.complete({ template: 'notes://{note}' }, { argument: 'note', value: '' }));
  // @ts-expect-error There is no such variable.
  await assert.rejects(client.complete({ template: 'notes://{folder}/{note}' }, { argument: 'name', value: '' }));
});

test('the server also refuses what the types refuse: tools', async () => {
  await using client = await connect(app);
  // @ts-expect-error There is no such tool.
  await assert.rejects(client.call('forcast', { city: 'Oslo' }));
  // @ts-expect-error An argument is missing.
  await assert.rejects(client.call('forecast', {}));
  // @ts-expect-error All arguments are missing.
  await assert.rejects(client.call('forecast'));
  // @ts-expect-error An argument has the wrong type.
  await assert.rejects(client.call('forecast', { city: 7 }));
  // @ts-expect-error The same for `result`, which reports the error in the result.
  assert.equal((await client.result('forecast', { city: 7 })).isError, true);
});

test('the type of a server types a client of anything that serves it', () => {
  const over = (target: Command) => connect<typeof app>(target);
  type Over = Awaited<ReturnType<typeof over>>;
  const use = async (client: Over): Promise<void> => {
    const { celsius } = await client.call('forecast', { city: 'Oslo' });
    same<typeof celsius, number[]>(true);
    // @ts-expect-error There is no such tool.
    await client.call('nothing');
    // The type of its prompts is unknown: the server itself has none.
    await client.prompt('any', { name: 'text' });
  };
  assert.equal(typeof use, 'function');
});

test('without a type, any tool takes any arguments, and its value is unknown', async () => {
  await using client = await connect(app as never as Command);
  same<typeof client, Client>(true);
  const value = await client.call('forecast', { city: 'Oslo', days: 1 });
  same<typeof value, unknown>(true);
  assert.deepEqual(value, { celsius: [7] });
  await assert.rejects(client.call('anything', { at: ['all'] }));
  // @ts-expect-error Arguments are an object.
  await assert.rejects(client.call('forecast', 'Oslo'));
  // @ts-expect-error A number is not a target.
  await assert.rejects(connect(7));
  // @ts-expect-error A revision is one of five.
  await assert.rejects(connect(app, { revision: '2025' }));
});
