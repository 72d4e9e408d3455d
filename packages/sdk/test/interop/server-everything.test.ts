// Our client on the published reference server, which shows every feature of the protocol.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { ToolError, type Question, type Target } from '../../src/entries/client.ts';
import type { Revision } from './expected.ts';
import { published } from './published.ts';
import { queue } from './queue.ts';
import { connectTapped, type Tapped } from './tenon-client.ts';

const always = [
  ...['echo', 'get-annotated-message', 'get-env', 'get-resource-links', 'get-resource-reference'],
  ...['get-structured-content', 'get-sum', 'get-tiny-image', 'gzip-file-as-resource'],
  ...['toggle-simulated-logging', 'toggle-subscriber-updates', 'trigger-long-running-operation'],
];

interface Case {
  readonly pinned?: Revision;
  readonly revision: Revision;
  /** The server's own name for the transport. */
  readonly way: 'stdio' | 'streamableHttp' | 'sse';
}

const cases: readonly Case[] = [
  { revision: '2025-11-25', way: 'stdio' },
  ...(['2025-06-18', '2025-03-26', '2024-11-05'] as const).map((revision): Case => ({
    pinned: revision,
    revision,
    way: 'stdio',
  })),
  { revision: '2025-11-25', way: 'streamableHttp' },
  { pinned: '2025-03-26', revision: '2025-03-26', way: 'streamableHttp' },
  { revision: '2025-11-25', way: 'sse' },
  { pinned: '2024-11-05', revision: '2024-11-05', way: 'sse' },
];

/** Starts the server on a port, and returns its URL. */
async function startAtPort(way: 'streamableHttp' | 'sse'): Promise<{ url: string; child: ChildProcess }> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  const { command, args = [] } = published('everything', [way]);
  const env = { PATH: process.env['PATH'], PORT: String(port) };
  const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  await new Promise<void>((resolve, reject) => {
    child.stderr!.setEncoding('utf8').on('data', (said: string) => said.includes(String(port)) && resolve());
    child.once('exit', () => reject(new Error('server-everything did not start')));
  });
  return { url: `http://127.0.0.1:${port}/${way === 'sse' ? 'sse' : 'mcp'}`, child };
}

const text = 'text/plain';
function textsOf(value: unknown): string {
  return Array.isArray(value) ? JSON.stringify(value) : String(value);
}

for (const { pinned, revision, way } of cases) {
  describe(`our client ${pinned === undefined ? '' : `pinned to ${pinned} `}↔ server-everything over ${way}`, () => {
    let child: ChildProcess | undefined;
    let tapped: Tapped;
    const asked: Question[] = [];
    const logs = queue<{ readonly level: string; readonly data: unknown }>();
    const call = (name: string, args?: Record<string, unknown>) => tapped.client.call(name, args);
    before(async () => {
      process.env['INTEROP_SECRET'] = 'not for servers';
      let target: Target = published('everything');
      if (way !== 'stdio') {
        const at = await startAtPort(way);
        child = at.child;
        target = at.url;
      }
      tapped = await connectTapped(target, {
        revision: pinned,
        onLog: logs.put,
        elicit: {
          url: true,
          handler(question) {
            asked.push(question);
            return question.mode === 'form'
              ? { action: 'accept', content: { name: 'Ada', check: true } }
              : { action: 'accept' };
          },
        },
      });
    });
    after(async () => {
      await tapped.client.close();
      child?.kill('SIGKILL');
    });

    it(`negotiates ${revision}`, () => {
      const { client } = tapped;
      assert.equal(client.revision, revision);
      assert.equal(client.server?.name, 'mcp-servers/everything');
      assert.match(client.instructions ?? '', /Everything/);
      assert.equal(client.capabilities.resources?.subscribe, true);
      assert.equal(tapped.processes(), way === 'stdio' ? 1 : 0);
    });

    it('lists the tools, including those that need capabilities of this client', async () => {
      const names = new Set((await tapped.client.tools().all()).map(({ name }) => name));
      for (const name of [...always, 'get-roots-list', 'trigger-sampling-request']) assert.ok(names.has(name), name);
      assert.equal(names.has('trigger-elicitation-request'), revision >= '2025-06-18');
      assert.equal(names.has('trigger-url-elicitation'), revision >= '2025-11-25');
    });

    it('calls tools of every kind of result', async () => {
      assert.equal(await call('echo', { message: 'Grüße 🍮' }), 'Echo: Grüße 🍮');
      assert.equal(await call('get-sum', { a: 2, b: 40 }), 'The sum of 2 and 40 is 42.');
      const weather = { temperature: 36, conditions: 'Light rain / drizzle', humidity: 82 };
      assert.deepEqual(await call('get-structured-content', { location: 'Chicago' }), weather);
      const image = (await call('get-tiny-image')) as { type: string }[];
      assert.deepEqual(
        image.map(({ type }) => type),
        ['text', 'image', 'text'],
      );
      const annotated = await tapped.client.result('get-annotated-message', {
        messageType: 'error',
        includeImage: true,
      });
      assert.deepEqual(annotated.content[0]?.annotations, { priority: 1, audience: ['user', 'assistant'] });
      const links = (await call('get-resource-links', { count: 2 })) as { type: string; uri?: string }[];
      assert.deepEqual(
        links.map(({ type }) => type),
        ['text', 'resource_link', 'resource_link'],
      );
      const reference = await call('get-resource-reference', { resourceType: 'Blob', resourceId: 3 });
      assert.match(textsOf(reference), /demo:\/\/resource\/dynamic\/blob\/3/);
    });

    it("throws the tool's errors about wrong arguments as tool errors", async () => {
      await assert.rejects(call('get-sum', { a: 'two', b: 1 }), (error) => {
        assert.ok(error instanceof ToolError);
        assert.match(error.message, /Invalid arguments/);
        return true;
      });
    });

    it('passes on only the allowed environment variables', async () => {
      const environment = JSON.parse((await call('get-env')) as string) as Record<string, string>;
      assert.equal(environment['INTEROP_SECRET'], undefined);
      assert.equal(environment['PATH'], process.env['PATH']);
    });

    it('shows progress of a long operation', async () => {
      const seen: unknown[] = [];
      const given = { duration: 0.15, steps: 3 };
      await tapped.client.call('trigger-long-running-operation', given, {
        onProgress: (progress) => seen.push(progress),
      });
      assert.deepEqual(
        seen,
        [1, 2, 3].map((progress) => ({ progress, total: 3 })),
      );
    });

    it('receives log messages of the chosen level', async () => {
      await tapped.client.setLogLevel('debug');
      await call('toggle-simulated-logging');
      let message = await logs.take();
      // The server also logs changes of roots.
      while (!/level.message/.test(String(message.data))) message = await logs.take();
      await call('toggle-simulated-logging');
    });

    it('lets the server sample from a model', async () => {
      const answer = textsOf(await call('trigger-sampling-request', { prompt: 'Say hi' }));
      assert.match(answer, /You are a helpful test server\. Resource trigger-sampling-request context: Say hi/);
      assert.match(answer, /parrot/);
    });

    it('sends its roots, and notifies changes', async () => {
      assert.match(textsOf(await call('get-roots-list')), /2 total[\s\S]*file:\/\/\/srv\/with%20space/);
      await tapped.client.setRoots([{ uri: 'file:///elsewhere', name: 'elsewhere' }]);
      const updated = 'Roots updated: 1 root(s) received from client';
      while ((await logs.take()).data !== updated);
      assert.match(textsOf(await call('get-roots-list')), /1 total[\s\S]*file:\/\/\/elsewhere/);
    });

    if (revision >= '2025-06-18') {
      it('[ELIC-16] fills in a form with every kind of field, with defaults', async () => {
        const answer = textsOf(await call('trigger-elicitation-request'));
        // This server asks for lists in every revision; answers may contain them since 2025-11-25.
        const lists = { untitledMultipleSelectEnum: ['Guitar'], titledMultipleSelectEnum: ['fish-1'] };
        const content = JSON.parse(/Raw result: ([\s\S]*)$/.exec(answer)?.[1] ?? 'null') as { content: unknown };
        assert.deepEqual(content.content, {
          name: 'Ada',
          check: true,
          firstLine: 'It was a dark and stormy night.',
          integer: 42,
          number: 3.14,
          untitledSingleSelectEnum: 'Monica',
          titledSingleSelectEnum: 'hero-1',
          legacyTitledEnum: 'pet-1',
          ...(revision >= '2025-11-25' ? lists : {}),
        });
        assert.equal(asked.at(-1)?.mode, 'form');
      });
    }

    if (revision >= '2025-11-25') {
      it('opens a page for the server, and learns from an error that it is required', async () => {
        const url = 'https://example.com/authorize';
        assert.match(textsOf(await call('trigger-url-elicitation', { url })), /User completed the URL elicitation/);
        assert.deepEqual(
          asked.flatMap((question) => (question.mode === 'url' ? [question.url] : [])),
          [url],
        );
        await assert.rejects(call('trigger-url-elicitation', { url, errorPath: true }), { code: -32042 });
        const again = await call('trigger-url-elicitation', { url, errorPath: true });
        assert.match(textsOf(again), /User completed the URL elicitation/);
      });
    }

    it('reads resources, fixed and by template', async () => {
      const { client } = tapped;
      const uris = (await client.resources().all()).map(({ uri }) => uri);
      const document = 'demo://resource/static/document/architecture.md';
      assert.ok(uris.includes(document));
      const [first] = (await client.read(document)).contents;
      assert.equal(first?.mimeType, 'text/markdown');
      assert.deepEqual(
        (await client.templates().all()).map(({ uriTemplate }) => uriTemplate),
        ['demo://resource/dynamic/text/{resourceId}', 'demo://resource/dynamic/blob/{resourceId}'],
      );
      const [note] = (await client.read('demo://resource/dynamic/text/7')).contents;
      assert.equal(note?.mimeType, text);
      const [blob] = (await client.read('demo://resource/dynamic/blob/7')).contents;
      assert.ok(blob !== undefined && 'blob' in blob);
      assert.match(Buffer.from(String(blob.blob), 'base64').toString(), /^Resource 7: /);
      await assert.rejects(client.read('demo://resource/nowhere'), { name: 'ProtocolError' });
    });

    it('reads a resource that a tool created, and is notified that there is one more', async () => {
      const { client } = tapped;
      const watch = client.watch({ list: 'resources' });
      await watch.ready;
      const data = `data:${text},${encodeURIComponent('a pinch of salt')}`;
      const [link] = (await call('gzip-file-as-resource', { name: 'salt.gz', data })) as { uri: string }[];
      for await (const change of watch) {
        assert.deepEqual(change, { list: 'resources', missed: false });
        break;
      }
      const [file] = (await client.read(link!.uri)).contents;
      assert.ok(file !== undefined && 'blob' in file);
      assert.equal(gunzipSync(Buffer.from(String(file.blob), 'base64')).toString(), 'a pinch of salt');
    });

    it('is notified of updates of a resource it watches', async () => {
      const uri = 'demo://resource/dynamic/text/1';
      const watch = tapped.client.watch({ uri });
      await watch.ready;
      await call('toggle-subscriber-updates');
      for await (const change of watch) {
        assert.deepEqual(change, { uri, missed: false });
        break;
      }
      await call('toggle-subscriber-updates');
      assert.equal(tapped.sent.at(-2), 'resources/unsubscribe');
    });

    it('gets prompts, with arguments and resources in them', async () => {
      const { client } = tapped;
      assert.deepEqual((await client.prompts().all()).map(({ name }) => name).toSorted(), [
        'args-prompt',
        'completable-prompt',
        'resource-prompt',
        'simple-prompt',
      ]);
      const told = async (name: string, args?: Record<string, string>): Promise<string> =>
        JSON.stringify((await client.prompt(name, args)).messages);
      assert.match(await told('simple-prompt'), /without arguments/);
      assert.match(await told('args-prompt', { city: 'Oslo' }), /What's weather in Oslo\?/);
      assert.match(await told('args-prompt', { city: 'Austin', state: 'Texas' }), /Austin, Texas/);
      assert.match(await told('resource-prompt', { resourceType: 'Text', resourceId: '4' }), /dynamic\/text\/4/);
      await assert.rejects(client.prompt('args-prompt', {}), { code: -32602 });
    });

    it('completes arguments of prompts and templates', async () => {
      const { client } = tapped;
      // Before 2025-03-26 there was no capability for it, but the method existed.
      const ref = { prompt: 'completable-prompt' };
      assert.deepEqual((await client.complete(ref, { argument: 'department', value: 'S' })).values, [
        'Sales',
        'Support',
      ]);
      const { values } = await client.complete(ref, { argument: 'name', value: '', resolved: { department: 'Sales' } });
      assert.deepEqual(values, revision >= '2025-06-18' ? ['David', 'Eve', 'Frank'] : []);
      const template = { template: 'demo://resource/dynamic/text/{resourceId}' };
      assert.deepEqual((await client.complete(template, { argument: 'resourceId', value: '12' })).values, ['12']);
    });

    it('sends nothing that the official schema of the revision rejects, and reports no problems', () => {
      // A client that falls back to HTTP+SSE starts over there, including ids.
      const anew = /the id 1 was used before in .*"initialize"/;
      const problems = tapped.problems().filter((problem) => way !== 'sse' || !anew.test(problem));
      assert.deepEqual(problems, []);
      assert.deepEqual(tapped.complaints, []);
    });
  });
}
