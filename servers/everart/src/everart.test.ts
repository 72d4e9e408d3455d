import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { type CallOptions, type Client, connect, type ConnectOptions, type Progress } from 'tenon/client';
import type { ApiClock } from '../../shared/api/clock.ts';
import { testAsStarted } from '../../shared/test/api/as-started.ts';
import { quickClock } from '../../shared/test/api/quick-clock.ts';
import type { Fault } from '../../shared/test/api/stand-in.ts';
import { callTool } from '../../shared/test/call-tool.ts';
import { type ServerStart, textOf } from '../../shared/test/ways.ts';
import { until } from '../../../scripts/lib/until.ts';
import { createEverart } from './everart.ts';
import type { EverartClientOptions } from './everart-client.ts';
import { createStandIn, document } from './fixtures/stand-in.ts';

const KEY = 'everart-theSecretOfAnn123';
const everart = createStandIn();
await everart.start();
after(() => everart.stop());
beforeEach(() => everart.reset());

const CREATE = 'POST /v1/models/{id}/generations';
const FETCH = 'GET /v1/generations/{id}';

function open(options: EverartClientOptions = {}, how: ConnectOptions = {}): Promise<Client> {
  return connect(createEverart({ url: everart.url, token: KEY, clock: quickClock().clock, ...options }), how);
}

function generate(client: Client, args: object = {}, options: CallOptions = {}) {
  return callTool(client, 'generate_image', { prompt: 'A cat 🐈', ...args }, options);
}

test('an image is requested as described, waited for with progress, and given as a link', async () => {
  const { clock, total } = quickClock();
  await using client = await open({ clock });
  const reports: Progress[] = [];
  const { content, text, structured } = await generate(client, {}, { onProgress: (report) => reports.push(report) });
  assert.deepEqual(everart.operations, [CREATE, FETCH, FETCH]);
  const [{ path, body, headers }] = everart.received as [(typeof everart.received)[0]];
  assert.deepEqual(body, { prompt: 'A cat 🐈', type: 'txt2img', image_count: 1, height: 1_024, width: 1_024 });
  assert.deepEqual([path['id'], headers.authorization], ['5000', `Bearer ${KEY}`]);
  assert.deepEqual(everart.problems, []);
  assert.deepEqual(
    reports.map(({ message }) => message),
    ['0 of 1 images are done', '0 of 1 images are done'],
  );
  assert.equal(total(), 4_000);
  const url = 'https://images.example/0.png';
  assert.deepEqual(structured, { model: '5000', images: [{ id: '0', url }], failed: 0 });
  assert.match(text, /^1 of 1 images were generated:\nhttps:\/\/images\.example\/0\.png\n/);
  assert.deepEqual([content[1]!.type, content[1]!.uri, content[1]!.mimeType], ['resource_link', url, 'image/png']);
});

test('all images are given, those that failed are counted, and none is an error', async () => {
  await using client = await open();
  everart.world.outcomes = ['SUCCEEDED', 'FAILED', 'SUCCEEDED', 'CANCELED'];
  everart.onAnswer = ({ operation }) => {
    // It is done before the others.
    if (operation === CREATE) everart.world.made[0]!.polled = everart.world.polls;
  };
  const some = await generate(client, { image_count: 4, model: '8000:Recraft-Vector' });
  assert.deepEqual(
    some.structured['images'].map(({ id }: { id: string }) => id),
    ['0', '2'],
  );
  assert.deepEqual([some.structured['model'], some.structured['failed']], ['8000', 2]);
  assert.match(some.text, /^2 of 4 images were generated/);
  const states = everart.received.filter(({ operation }) => operation === FETCH).map(({ path }) => path['id']);
  assert.deepEqual(states, ['0', '1', '2', '3', '1', '2', '3']);
  everart.reset();
  everart.world.outcomes = ['FAILED'];
  const none = await generate(client);
  assert.deepEqual([none.isError, /could not generate the image/.test(none.text)], [true, true]);
  everart.faults = [{ status: 200, body: '{"generations":[{"id":"1","status":"SUCCEEDED","image_url":null}]}' }];
  assert.match((await generate(client)).text, /could not generate the image/);
});

test('a call waits for 15 minutes, and then says where the images may be later', async () => {
  const { clock, total } = quickClock();
  await using client = await open({ clock });
  everart.world.polls = Number.POSITIVE_INFINITY;
  const { isError, text } = await generate(client, { image_count: 2 });
  assert.equal(isError, true);
  assert.match(text, /not finished in 15 minutes.*everart:\/\/generations\/0, everart:\/\/generations\/1/);
  assert.ok(total() >= 900_000 && total() <= 910_000, String(total()));
  everart.world.polls = 0;
  const [read] = (await client.read('everart://generations/1')).contents;
  assert.equal((JSON.parse(read!.text!) as { image_url: string }).image_url, 'https://images.example/1.png');
  await assert.rejects(client.read('everart://generations/99'), /Resource not found/);
});

test('if the state of images cannot be read any more, the error says where they may be', async () => {
  await using client = await open();
  everart.onAnswer = ({ operation }) => {
    if (operation === CREATE) everart.faults = [{ status: 404, body: '{"message":"Moved"}' }];
  };
  const { isError, text } = await generate(client, { image_count: 2 });
  assert.equal(isError, true);
  assert.match(text, /404 to GET .*Moved.*may be at: everart:\/\/generations\/0, everart:\/\/generations\/1$/);
  assert.equal(everart.operations.filter((name) => name === CREATE).length, 1);
});

test('a call is a task for a client with tasks, which shows its state, and creates the images once', async () => {
  for (const revision of ['2025-11-25', '2026-07-28'] as const) {
    everart.reset();
    const next = Promise.withResolvers<void>();
    // The task waits until its state was seen.
    const clock: ApiClock = { now: () => 0, sleep: () => next.promise };
    await using client = await open({ clock }, { revision });
    const task = await client.start('generate_image', { prompt: 'A cat' });
    assert.notEqual(task.id, undefined, revision);
    await until(async () => {
      const { status, message } = await task.status();
      assert.equal(status, 'working');
      return message === '0 of 1 images are done';
    });
    next.resolve();
    const result = await task.result();
    assert.match(textOf(result as never), /^1 of 1 images were generated/);
    assert.equal((await task.status()).status, 'completed');
    assert.equal(everart.operations.filter((name) => name === CREATE).length, 1);
  }
});

test('a cancelled call or task stops waiting at once', async () => {
  for (const asTask of [true, false]) {
    everart.reset();
    everart.world.polls = Number.POSITIVE_INFINITY;
    const waiting = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const sleep: ApiClock['sleep'] = (_, signal) => {
      waiting.resolve();
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          ended.resolve();
          reject(signal.reason as Error);
        });
      });
    };
    await using client = await open({ clock: { now: () => 0, sleep } });
    if (asTask) {
      const task = await client.start('generate_image', { prompt: 'A cat' });
      await waiting.promise;
      await task.cancel();
      await ended.promise;
      assert.equal((await task.status()).status, 'cancelled');
    } else {
      const canceller = new AbortController();
      const call = client.result('generate_image', { prompt: 'A cat' }, { signal: canceller.signal });
      await waiting.promise;
      canceller.abort();
      await assert.rejects(call);
      await ended.promise;
    }
    assert.deepEqual(everart.operations, [CREATE]);
  }
});

test('arguments that are out of range are refused, and a model cannot lead to another endpoint', async () => {
  await using client = await open();
  for (const args of [
    { image_count: 0 },
    { image_count: 11 },
    { prompt: '' },
    { model: '..' },
    { model: 'a/b' },
    { model: '' },
  ])
    assert.equal((await generate(client, args)).isError, true, JSON.stringify(args));
  assert.equal(everart.received.length, 0);
});

test('refusals say what to do, limits are waited for, and images are not requested twice', async () => {
  await using client = await open();
  await using hasty = await open({ limits: { timeoutMs: 50 } });
  for (const [fault, expected, requests] of [
    [
      { status: 401, body: '{"message":"Invalid key"}' },
      /401 .*Invalid key\. The token is missing, wrong or expired/,
      1,
    ],
    [{ status: 402, body: '{"message":"No credits"}' }, /402 .*No credits/, 1],
    [{ status: 451, body: '{}' }, /against the rules of EverArt\. Change it/, 1],
    [{ status: 500 }, /problem of its own/, 1],
    ['cut', /change may have been made: look before you repeat/, 1],
    ['hang', /no answer within 0\.05 seconds/, 1],
    [{ status: 200, body: '{"generations":[]}' }, /something unexpected: generations/, 1],
    [
      { status: 200, body: '{"generations":[{"id":"../x","status":"STARTING"}]}' },
      /something unexpected: generations\.0\.id/,
      1,
    ],
    [
      { status: 200, body: '{"generations":[{"id":"1","status":"SUCCEEDED","image_url":"javascript:alert(1)"}]}' },
      /something unexpected: generations\.0\.image_url/,
      1,
    ],
    [{ status: 200, body: '[' }, /not JSON/, 1],
  ] as readonly (readonly [Fault, RegExp, number])[]) {
    everart.faults = [fault];
    everart.received = [];
    const { isError, text } = await generate(fault === 'hang' ? hasty : client);
    assert.equal(isError, true);
    assert.match(text, expected);
    assert.equal(everart.received.length, requests, text);
  }
  assert.match((await generate(client, { model: '77' })).text, /404 to POST \/v1\/models\/77\/generations: Not found/);
  everart.reset();
  everart.faults = [{ status: 429, headers: { 'retry-after': '30' } }];
  const reports: Progress[] = [];
  assert.equal((await generate(client, {}, { onProgress: (report) => reports.push(report) })).isError, false);
  assert.equal(reports[0]?.message, 'EverArt limits requests: waiting 30 s');
  // Between the polls.
  everart.reset();
  everart.onAnswer = ({ operation }) => {
    if (operation === CREATE) everart.faults = [{ status: 502 }, { status: 429 }];
  };
  assert.equal((await generate(client)).isError, false);
});

test('the key is in no answer or error, and without one a call says how to set it', async () => {
  await using client = await open();
  everart.faults = [{ status: 400, body: JSON.stringify({ message: `Bearer ${KEY}` }) }];
  assert.match((await generate(client)).text, /Bearer \[token\]/);
  await using without = await open({ token: undefined });
  everart.received = [];
  assert.match((await generate(without)).text, /needs a token\. The user can set EVERART_API_KEY/);
  assert.equal(everart.received.length, 0);
});

test('a member that the description renames makes the stand-in fail', async () => {
  const operation = (document as any).paths['/v1/generations/{id}'].get;
  const { properties } = operation.responses[200].content['application/json'].schema.properties.generation;
  const { image_url: url } = properties;
  delete properties.image_url;
  try {
    await using client = await open({ limits: { retries: 0 } });
    assert.equal((await generate(client)).isError, true);
    assert.match(everart.problems.join(), /The description has no image_url/);
  } finally {
    properties.image_url = url;
  }
});

const started: ServerStart = {
  name: 'everart',
  get args() {
    return ['--api-url', everart.url];
  },
  env: { EVERART_API_KEY: KEY },
};
testAsStarted(
  started,
  async (client) => {
    everart.world.polls = 0;
    assert.deepEqual(await client.tools(), ['generate_image']);
    const made = await client.call('generate_image', { prompt: 'Grün 🫖', image_count: 2 });
    assert.match(textOf(made), /^2 of 2 images were generated:\nhttps:\/\/images\.example\/0\.png/);
    const missing = await client.call('generate_image', { prompt: 'x', model: '77' });
    assert.deepEqual([missing.isError, /404 to POST/.test(textOf(missing))], [true, true]);
    assert.deepEqual(everart.problems, []);
  },
  { tasks: true },
);
