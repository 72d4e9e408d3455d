import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import process from 'node:process';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type Client, connect, type ConnectOptions } from 'tenon/client';
import { serveHttp } from 'tenon/node';
import { type Answer, textOf, waysTo } from '../../shared/test/ways.ts';
import { createEverything } from './everything.ts';

const eras = { get: () => undefined, set() {}, delete() {} };
const ERAS = ['2026-07-28', '2025-11-25'] as const;
async function said(client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> {
  return textOf((await client.result(name, args)) as Answer);
}

type Step = readonly [name: string, args: Record<string, unknown>];
/** Calls with the same meaning for both servers. */
const TABLE: readonly Step[] = [
  ['echo', { message: 'Hi Ä 日本' }],
  ['echo', {}],
  ['get-annotated-message', { messageType: 'error' }],
  ['get-annotated-message', { messageType: 'success' }],
  ['get-annotated-message', { messageType: 'debug', includeImage: true }],
  ['get-annotated-message', { messageType: 'other' }],
  ['get-resource-links', {}],
  ['get-resource-links', { count: 10 }],
  ['get-resource-links', { count: 11 }],
  ['get-resource-reference', { resourceType: 'Text', resourceId: 1 }],
  ['get-resource-reference', { resourceType: 'Blob', resourceId: 7 }],
  ['get-resource-reference', { resourceId: 0 }],
  ['get-resource-reference', { resourceId: 1.5 }],
  ['get-structured-content', { location: 'Chicago' }],
  ['get-structured-content', { location: 'Paris' }],
  ['get-sum', { a: 1.5, b: 2 }],
  ['get-sum', { a: '1', b: 2 }],
  ['trigger-long-running-operation', { duration: 0.05, steps: 2 }],
  ['gzip-file-as-resource', { name: 'x.gz', data: 'data:text/plain,hello', outputType: 'resourceLink' }],
  ['gzip-file-as-resource', { name: 'x.gz', data: 'ftp://example.com/x' }],
];

/** Removes what differs between runs: images, times of day, compressed bytes. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, member: unknown) =>
      key === 'data' || key === 'blob' || key === 'size' ? undefined : member,
    ).replaceAll(/\d{1,2}:\d\d:\d\d( [AP]M)?/g, 'TIME'),
  );
}

test('the same calls give the same answers as those of the published original', async () => {
  const path = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
  await using original = await connect({ command: process.execPath, args: [path, 'stdio'] }, { eras });
  await using ours = await connect(createEverything(), { revision: '2025-11-25' });
  const result = async (client: Client, [name, args]: Step) => {
    const { content, structuredContent, isError = false } = await client.result(name, args);
    return isError ? { isError } : plain({ content, structuredContent });
  };
  for (const step of TABLE)
    assert.deepEqual(await result(ours, step), await result(original, step), JSON.stringify(step));
  for (const [name, args] of [
    ['simple-prompt', {}],
    ['args-prompt', { city: 'Oslo' }],
    ['args-prompt', { city: 'Austin', state: 'Texas' }],
    ['completable-prompt', { department: 'Sales', name: 'Eve' }],
    ['resource-prompt', { resourceType: 'Text', resourceId: '3' }],
  ] as const) {
    const of = async (client: Client) => plain((await client.prompt(name, args)).messages);
    assert.deepEqual(await of(ours), await of(original), name);
  }
  for (const [argument, typed, resolved] of [
    ['department', 'S', {}],
    ['name', '', { department: 'Engineering' }],
    ['name', 'E', { department: 'Sales' }],
    ['name', 'x', {}],
  ] as const) {
    const of = async (client: Client) =>
      (await client.complete({ prompt: 'completable-prompt' }, { argument, value: typed, resolved })).values;
    assert.deepEqual(await of(ours), await of(original));
  }
  const documents = async (client: Client) =>
    (await client.resources().all())
      .map(({ uri }) => uri)
      .filter((uri) => uri.includes('/static/'))
      .sort();
  assert.deepEqual(await documents(ours), await documents(original));
  const templates = async (client: Client) => (await client.templates().all()).map(({ uriTemplate }) => uriTemplate);
  for (const template of await templates(original)) assert.ok((await templates(ours)).includes(template));
  const names = async (client: Client) => (await client.tools().all()).map(({ name }) => name);
  const missing = (await names(original)).filter((name) => !name.endsWith('-async'));
  const own = await names(ours);
  assert.deepEqual(
    missing.filter((name) => !own.includes(name)),
    [],
  );
});

const PERSON: ConnectOptions = {
  elicit: {
    url: true,
    handler(question) {
      if (question.mode !== 'form') return { action: 'accept' };
      const fields = Object.keys((question.schema as { properties: object }).properties);
      const content = fields.includes('interpretation')
        ? { interpretation: 'technical' }
        : fields.includes('colour')
          ? { colour: 'green' }
          : { name: 'Ann' };
      return { action: 'accept', content };
    },
  },
  sample: async () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'Hello!' } }),
  roots: [{ uri: 'file:///home/ann', name: 'Home' }],
} as ConnectOptions;

test('tools use client features in both eras, also over HTTP, and report missing ones', async () => {
  const app = createEverything({ stageMs: 1 });
  const served = await serveHttp(app, { port: 0, signals: false, drainMs: 50 });
  after(() => served.close());
  for (const revision of ERAS)
    for (const target of [app, served.url]) {
      await using client = (await connect(target as string, { ...PERSON, eras, revision })) as Client;
      assert.match(await said(client, 'get-roots-list'), /1\. Home\n   URI: file:\/\/\/home\/ann/);
      const form = await said(client, 'trigger-elicitation-request');
      assert.match(form, /✅ User provided/);
      // Defaults are filled in.
      for (const part of ['"name": "Ann"', '"integer": 42', '"joint-1"', '"fish-1"', '"pet-1"'])
        assert.ok(form.includes(part), part);
      assert.match(
        await said(client, 'trigger-url-elicitation', { url: 'https://example.com/x' }),
        /agreed to visit https:\/\/example\.com\/x/,
      );
      assert.equal(await said(client, 'trigger-questions'), 'Ann likes green. {"type":"text","text":"Hello!"}');
      assert.match(await said(client, 'trigger-sampling-request', { prompt: 'hi' }), /Hello!/);
      const research = await said(client, 'simulate-research-query', { topic: 'python', ambiguous: true });
      assert.match(research, /python \(technical\)/);
    }
  for (const revision of ERAS) {
    await using mute = await connect(app, { revision });
    for (const name of ['get-roots-list', 'trigger-elicitation-request', 'trigger-questions'])
      await assert.rejects(mute.call(name), /does not support/);
    await assert.rejects(mute.call('trigger-url-elicitation', { url: 'javascript:alert(1)' }), { name: 'ToolError' });
  }
});

test('[A-98] only the allowed environment variables are shown', async () => {
  process.env['TENON_SHOWN'] = 'shown';
  process.env['TENON_SECRET'] = 'secret';
  await using closed = await connect(createEverything());
  assert.equal(await said(closed, 'get-env'), '{}');
  await using open = await connect(createEverything({ environment: ['TENON_SHOWN', 'NOT_THERE'] }));
  assert.deepEqual(JSON.parse(await said(open, 'get-env')), { TENON_SHOWN: 'shown' });
});

test('a long operation reports progress, and ends when it is cancelled', async () => {
  await using client = await connect(createEverything());
  const steps: number[] = [];
  const abort = new AbortController();
  await assert.rejects(
    client.call(
      'trigger-long-running-operation',
      { duration: 60, steps: 600 },
      {
        signal: abort.signal,
        onProgress: ({ progress, total }) => {
          steps.push(progress, total!);
          if (progress === 2) abort.abort();
        },
      },
    ),
    { name: 'AbortError' },
  );
  assert.deepEqual(steps, [1, 600, 2, 600]);
});

test('files of a session are hidden from other clients, and limited in number', async () => {
  const served = await serveHttp(createEverything(), { port: 0, signals: false, drainMs: 50 });
  after(() => served.close());
  const ann = await connect(served.url, { eras, revision: '2025-11-25' });
  const bob = await connect(served.url, { eras, revision: '2025-11-25' });
  const args = { name: 'ann.gz', data: 'data:text/plain,secret' };
  const { content } = await ann.result('gzip-file-as-resource', args);
  const { uri } = content[0] as { uri: string };
  const { contents } = await ann.read(uri);
  assert.equal(gunzipSync(Buffer.from((contents[0] as { blob: string }).blob, 'base64')).toString(), 'secret');
  assert.ok((await ann.resources().all()).some((one) => one.uri === uri));
  assert.ok(!(await bob.resources().all()).some((one) => one.uri === uri));
  await assert.rejects(bob.read(uri));
  for (let index = 0; index < 25; index++)
    await ann.call('gzip-file-as-resource', { name: `${index}.gz`, data: 'data:,x' });
  assert.equal((await ann.resources().all()).filter((one) => one.uri.includes('/session/')).length, 20);
  await ann.close();
  await bob.close();
  // If the client cannot be identified, the result contains the file itself.
  await using modern = await connect(served.url, { eras, revision: '2026-07-28' });
  const given = await modern.result('gzip-file-as-resource', args);
  assert.equal(given.content[0]?.type, 'resource');
});

test('files are fetched from the internet, and only from allowed domains', async () => {
  await using client = await connect(createEverything());
  for (const data of ['http://127.0.0.1:1/', 'http://169.254.169.254/', 'file:///etc/passwd', 'ftp://x.example/'])
    await assert.rejects(client.call('gzip-file-as-resource', { data }), { name: 'ToolError' }, data);
  await using narrow = await connect(createEverything({ gzip: { domains: ['example.com'], maxBytes: 10 } }));
  await assert.rejects(
    narrow.call('gzip-file-as-resource', { data: 'https://evil-example.com/' }),
    /not in the allowed domains/,
  );
  await assert.rejects(narrow.call('gzip-file-as-resource', { data: 'data:,01234567890' }), /more than 10 bytes/);
});

test('a client subscribed to resources it has read is notified of simulated changes until they are stopped', async () => {
  for (const revision of ERAS) {
    await using client = await connect(createEverything({ updateMs: 20 }), { revision });
    const uri = 'demo://resource/dynamic/text/3';
    assert.match(String((await client.read(uri)).contents[0]?.text), /Resource 3: This is a plaintext resource/);
    const watch = client.watch({ uri });
    await watch.ready;
    await client.call('toggle-subscriber-updates');
    let heard = 0;
    for await (const change of watch) {
      assert.deepEqual(change, { uri, missed: false });
      if (++heard === 2) break;
    }
    assert.match(await said(client, 'toggle-subscriber-updates'), /Stopped/);
    for (const wrong of ['0', '-1', '1.5', 'x'])
      await assert.rejects(client.read(`demo://resource/dynamic/text/${wrong}`));
  }
});

test("logging sends all levels from the client's log level on, from the first call until it is stopped", async () => {
  for (const revision of ERAS) {
    const levels: string[] = [];
    await using client = await connect(createEverything(), {
      revision,
      logLevel: 'error',
      onLog: ({ level }) => void levels.push(level),
    });
    assert.equal(await said(client, 'trigger-log-messages'), 'Logged');
    assert.deepEqual(levels.splice(0), ['error', 'critical', 'alert', 'emergency']);
    await client.call('toggle-simulated-logging');
    assert.deepEqual(levels.splice(0), ['error', 'critical', 'alert', 'emergency']);
    assert.match(await said(client, 'toggle-simulated-logging'), /Stopped/);
    assert.equal(await said(client, 'trigger-log-messages'), 'Simulated logging is off');
    assert.deepEqual(levels, []);
  }
});

const { ways, stop } = waysTo({ name: 'everything' });
after(stop);
for (const [way, open] of ways)
  test(`it answers, ${way}`, async () => {
    const client = await open();
    const tools = await client.tools();
    assert.ok(tools.length >= 20);
    assert.equal(textOf(await client.call('echo', { message: way })), `Echo: ${way}`);
    for (const name of [
      'get-tiny-image',
      'get-tiny-sound',
      'get-embedded-file',
      'get-structured-list',
      'get-structured-content',
    ])
      assert.equal(
        (await client.call(name, name === 'get-structured-content' ? { location: 'Chicago' } : {})).isError ?? false,
        false,
        name,
      );
    assert.equal((await client.call('get-sum', { a: 'x' })).isError, true);
    await client.close();
  });
