// Half of this file is checked by the compiler: each `@ts-expect-error` fails the type check when its line is right.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import type { Client, Command } from '../entries/client.ts';
import type { Content } from '../protocol/content.ts';
import type { CallToolResult } from '../protocol/results.ts';
import { image } from '../server/content.ts';
import { server } from '../server/define.ts';
import { tool } from '../server/tool.ts';
import { connect } from './connect.ts';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(is: Same<A, B>): void => assert.equal(is, true);

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

test('what the types refuse, the server refuses too', async () => {
  await using client = await connect(app);
  // @ts-expect-error There is no such tool.
  await assert.rejects(client.call('forcast', { city: 'Oslo' }));
  // @ts-expect-error An argument is missing.
  await assert.rejects(client.call('forecast', {}));
  // @ts-expect-error All arguments are missing.
  await assert.rejects(client.call('forecast'));
  // @ts-expect-error An argument has the wrong type.
  await assert.rejects(client.call('forecast', { city: 7 }));
  // @ts-expect-error The same for whole results, which tell of it in the result.
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
  // @ts-expect-error A target is no number.
  await assert.rejects(connect(7));
  // @ts-expect-error A revision is one of five.
  await assert.rejects(connect(app, { revision: '2025' }));
});
