// Bugs of the official TypeScript SDK (version 2.4.0 or 1.32.2) that its users have reported. Each test is named after the correct
// behaviour. These only need the memory transport.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { type Client, connect, PeerError, ToolError } from '../../src/entries/client.ts';
import { type LogEntry, prompt, ProtocolError, resource, revisions, server, tool } from '../../src/entries/index.ts';
import { agreesOn, fakeClock, memoryPair, scriptedPeer } from '../../src/entries/testing.ts';
import { secret } from './menu.ts';
import { fixture } from './official-client.ts';

function sentMethods(texts: readonly string[]): string[] {
  return texts.map((text) => (JSON.parse(text) as { method: string }).method);
}

describe('the default era was the older one, and connecting took three requests', () => {
  it('connects to a server that knows both with one request, in the newer', async () => {
    const sent: string[] = [];
    const app = server({ name: 'both', tools: { hi: tool({}, () => 'hi') } });
    await using client = await connect(app, { onTrace: ({ kind, text }) => void (kind === 'sent' && sent.push(text)) });
    assert.equal(client.revision, '2026-07-28');
    assert.deepEqual(sentMethods(sent), ['server/discover']);
    assert.equal(await client.call('hi'), 'hi');
  });
});

describe('a tool that asks the user worked only for some clients', () => {
  const app = server({
    name: 'asking',
    tools: {
      deploy: tool({}, async (_, ctx) => {
        const { reason } = await ctx.ask('reason', 'Why?', z.object({ reason: z.string() }));
        return `deployed: ${reason}`;
      }),
    },
  });
  for (const revision of ['2025-06-18', '2025-11-25', '2026-07-28'] as const) {
    it(`asks, by the same code, on ${revision}`, async () => {
      await using client = await connect(app, { revision, answers: { '*': { reason: 'a test' } } });
      assert.equal(client.revision, revision);
      assert.equal(await client.call('deploy'), 'deployed: a test');
    });
  }
});

describe('changes announced inside a tool were dropped silently', () => {
  for (const revision of revisions) {
    it(`reach all watchers, on ${revision}`, async () => {
      const app = server({
        name: 'changing',
        tools: {
          change: tool({}, () => {
            app.changed('config://app');
            app.tools.set(
              'more',
              tool({}, () => 'more'),
            );
          }),
        },
        resources: { 'config://app': resource({ name: 'config' }, () => 'x') },
      });
      await using client = await connect(app, { revision });
      const watches = [client.watch({ uri: 'config://app' }), client.watch({ list: 'tools' })];
      await Promise.all(watches.map(({ ready }) => ready));
      await client.call('change');
      const seen = await Promise.all(watches.map((watch) => watch[Symbol.asyncIterator]().next()));
      assert.deepEqual(
        seen.map(({ value }) => value),
        [
          { uri: 'config://app', missed: false },
          { list: 'tools', missed: false },
        ],
      );
    });
  }
});

describe('every use of a plain JSON Schema compiled and kept another validator', () => {
  it('retains nothing of ended servers, connections, lists and calls', () => {
    const output = execFileSync(process.execPath, ['--conditions=tenon-source', fixture('heap.ts')], {
      encoding: 'utf8',
    });
    const { perServer, perList } = JSON.parse(output) as { perServer: number; perList: number };
    // The official server retains 25 KB for each server, and nearly 4 KB for each validator. Some noise of the engine remains.
    assert.ok(perServer < 3_000, `${perServer} bytes are kept for each server`);
    assert.ok(perList < 500, `${perList} bytes are kept for each list`);
  });
});

describe('the text of an exception, with a password in it, went to the peer', () => {
  const fail = (): never => {
    throw new Error(`cannot reach ${secret}`);
  };
  const app = server({
    name: 'failing',
    tools: {
      crash: tool({}, fail),
      wrong: tool({ output: z.object({ n: z.number() }) }, () => ({ n: secret }) as never),
    },
    resources: {
      'data://crash': resource({ name: 'crash' }, fail),
      'data://{id}': resource({ name: 'listed', list: fail, complete: { id: fail } }, fail),
    },
    prompts: { crash: prompt({}, fail) },
  });
  for (const revision of revisions) {
    it(`stays in the log, under an id that the peer gets, on ${revision}`, async () => {
      const received: string[] = [];
      const log: LogEntry[] = [];
      await using client = await connect(app, {
        revision,
        serve: { log: (entry) => void log.push(entry) },
        onTrace: ({ kind, text }) => void (kind === 'received' && received.push(text)),
      });
      const outcomes = await Promise.allSettled([
        client.call('crash'),
        client.call('wrong'),
        client.read('data://crash'),
        client.read('data://7'),
        client.prompt('crash'),
        client.resources().all(),
        client.request('completion/complete', {
          ref: { type: 'ref/resource', uri: 'data://{id}' },
          argument: { name: 'id', value: '' },
        }),
      ]);
      const failures = outcomes.map((outcome) => (outcome.status === 'rejected' ? String(outcome.reason) : ''));
      assert.ok(received.every((text) => !text.includes('hunter2')));
      const ids = failures.map((failure) => /error ([0-9a-f]{8})/.exec(failure)?.[1]);
      assert.ok(ids[0] !== undefined, failures[0]);
      const logged = log.map(({ message, details }) => `${message} ${String(details)}`).join('\n');
      for (const id of ids.filter((id) => id !== undefined)) assert.ok(logged.includes(id), id);
      assert.match(logged, /hunter2/);
    });
  }
});

describe('names of Object.prototype were unavailable, or found although they did not exist', () => {
  const names = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'];
  const named = <T>(make: (name: string) => T): Record<string, T> =>
    Object.fromEntries(names.map((name) => [name, make(name)]));
  for (const revision of revisions) {
    it(`serves tools, prompts and resources of these names on ${revision}`, async () => {
      const app = server({
        name: 'names',
        tools: named((name) => tool({ input: z.object({ text: z.string() }) }, ({ text }) => `${name} ${text}`)),
        prompts: named((name) => prompt({}, () => name)),
        resources: Object.fromEntries(names.map((name) => [`data:${name}`, resource({ name }, () => name)])),
      });
      await using client = await connect(app, { revision });
      assert.deepEqual((await client.tools().all()).map(({ name }) => name).toSorted(), names.toSorted());
      assert.deepEqual((await client.prompts().all()).map(({ name }) => name).toSorted(), names.toSorted());
      for (const name of names) {
        assert.equal(await client.call(name, { text: 'called' }), `${name} called`);
        assert.deepEqual((await client.prompt(name)).messages[0]?.content, { type: 'text', text: name });
        assert.equal((await client.read(`data:${name}`)).contents[0]?.uri, `data:${name}`);
      }
    });

    it(`finds nothing of these names if they do not exist, on ${revision}`, async () => {
      const app = server({ name: 'empty', tools: {}, prompts: {}, resources: {} });
      await using client = await connect<unknown>(app, { revision });
      for (const name of names) {
        await assert.rejects(client.call(name), { code: -32602 });
        await assert.rejects(client.prompt(name), { code: -32602 });
        await assert.rejects(client.request(name), { code: -32601 });
      }
    });
  }

  it('adds one of these names at run time, and removes it again', async () => {
    const app = server({ name: 'names', tools: {} });
    await using client = await connect<unknown>(app);
    for (const name of names) {
      app.tools.set(
        name,
        tool({}, () => name),
      );
      assert.equal(await client.call(name), name);
      assert.equal(app.tools.delete(name), true);
      await assert.rejects(client.call(name), { code: -32602 });
    }
  });
});

describe('a prompt or resource that was renamed and removed lived on, and disabled templates were still listed', () => {
  for (const revision of revisions) {
    it(`is gone in every list, call and completion, on ${revision}`, async () => {
      let listings = 0;
      const note = resource(
        {
          name: 'note',
          list: () => {
            listings++;
            return [{ uri: 'note:///1', name: 'note 1' }];
          },
          complete: { id: ['1'] },
        },
        ({ id }) => `Note ${id}`,
      );
      const app = server({
        name: 'renaming',
        prompts: { old: prompt({}, () => 'prompt') },
        resources: { 'old://x': resource({ name: 'x' }, () => 'x'), 'note:///{id}': note },
      });
      // Without the type of the server: it changes.
      await using client: Client = await connect(app, { revision });
      app.prompts.set('new', app.prompts.get('old')!);
      app.prompts.delete('old');
      app.resources.set('new://x', app.resources.get('old://x')!);
      app.resources.delete('old://x');
      assert.deepEqual(
        (await client.prompts().all()).map(({ name }) => name),
        ['new'],
      );
      await assert.rejects(client.prompt('old'), ProtocolError);
      await assert.rejects(client.read('old://x'), ProtocolError);
      assert.equal((await client.read('new://x')).contents[0]?.uri, 'new://x');

      for (const name of ['new://x', 'note:///{id}']) app.resources.delete(name);
      app.prompts.delete('new');
      const before = listings;
      assert.deepEqual(await client.prompts().all(), []);
      assert.deepEqual(await client.resources().all(), []);
      assert.deepEqual(await client.templates().all(), []);
      assert.equal(listings, before);
      await assert.rejects(client.prompt('new'), ProtocolError);
      await assert.rejects(client.read('new://x'), ProtocolError);
      await assert.rejects(client.read('note:///1'), ProtocolError);
    });
  }
});

describe('malformed params were answered as an internal error, with the dump of a validator', () => {
  const app = server({
    name: 'strict',
    tools: { echo: tool({ input: z.object({ text: z.string() }) }, ({ text }) => text) },
    resources: { 'note:///{id}': resource({ name: 'note', complete: { id: ['1'] } }, () => 'x') },
    prompts: { greet: prompt({ input: z.object({ name: z.string() }) }, ({ name }) => name) },
  });
  const malformed: readonly (readonly [string, Record<string, unknown>])[] = [
    ['tools/call', {}],
    ['tools/call', { name: 7 }],
    ['tools/call', { name: 'echo', arguments: [] }],
    ['prompts/get', {}],
    ['prompts/get', { name: { toString: 'greet' } }],
    ['prompts/get', { name: 'greet', arguments: { name: 7 } }],
    ['resources/read', {}],
    ['resources/read', { uri: 7 }],
    ['tools/list', { cursor: 7 }],
    ['prompts/list', { cursor: {} }],
    ['resources/list', { cursor: [] }],
    ['resources/templates/list', { cursor: true }],
    ['completion/complete', {}],
    ['completion/complete', { ref: { type: 'ref/prompt' }, argument: { name: 'name', value: '' } }],
    ['completion/complete', { ref: { type: 'ref/resource', uri: 'note:///{id}' }, argument: { name: 'id' } }],
  ];
  for (const revision of revisions) {
    it(`are answered with -32602 and a short message on ${revision}`, async () => {
      await using client = await connect(app, { revision });
      for (const [method, params] of malformed) {
        await assert.rejects(client.request(method, params), (error: unknown) => {
          assert.ok(error instanceof ProtocolError, `${method} ${JSON.stringify(params)}: ${String(error)}`);
          assert.equal(error.code, -32602, `${method} ${JSON.stringify(params)}: ${error.message}`);
          assert.ok(error.message.length < 200 && !error.message.includes('\n'), error.message);
          return true;
        });
      }
      assert.equal(await client.call('echo', { text: 'still here' }), 'still here');
    });
  }
});

describe('structured content of the wrong type compiled, without any error', () => {
  const output = z.object({ celsius: z.number() });

  it('does not compile, neither where it is created nor where it is used', async () => {
    const app = server({
      name: 'weather',
      tools: {
        forecast: tool({ input: z.object({ city: z.string() }), output }, () => ({ celsius: 3 })),
        // @ts-expect-error A tool must return a value of its output schema.
        wrong: tool({ output }, () => ({ celsius: 'three' })),
        // @ts-expect-error A missing member is an error, too.
        less: tool({ output }, () => ({})),
      },
    });
    await using client = await connect(app);
    const forecast = await client.call('forecast', { city: 'Oslo' });
    const celsius: number = forecast.celsius;
    assert.equal(celsius, 3);
    // @ts-expect-error The result has no such member.
    assert.equal(forecast.fahrenheit, undefined);
    // @ts-expect-error The argument is a string.
    await assert.rejects(client.call('forecast', { city: 7 }), ToolError);
    // @ts-expect-error There is no such tool.
    await assert.rejects(client.call('forecasts', { city: 'Oslo' }), { code: -32602 });
    for (const name of ['wrong', 'less'] as const) {
      const result = await client.result(name);
      assert.equal(result.isError, true);
      assert.equal(result.structuredContent, undefined);
    }
  });

  for (const revision of ['2025-06-18', '2025-11-25', '2026-07-28'] as const) {
    it(`is a mistake of the server that the client reports, on ${revision}`, async () => {
      const outputSchema = z.toJSONSchema(output);
      const tools = [{ name: 'forecast', inputSchema: { type: 'object' }, outputSchema }];
      const complete = revision === '2026-07-28' ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};
      const result = { content: [], structuredContent: { celsius: 'three' }, ...complete };
      const [near, far] = memoryPair();
      scriptedPeer(far, {
        ...agreesOn(revision, { capabilities: { tools: {} } }),
        'tools/list': { tools, ...complete },
        'tools/call': result,
      });
      await using client = await connect(near, { revision });
      await assert.rejects(client.call('forecast'), PeerError);
    });
  }
});

describe('an abort came out as a timeout', () => {
  for (const revision of revisions) {
    it(`is an AbortError, and the tool's signal is aborted, on ${revision}`, async () => {
      let aborted = false;
      const app = server({
        name: 'slow',
        tools: {
          slow: tool({}, async (_, { signal }) => {
            await new Promise((resolve) => signal.addEventListener('abort', resolve));
            aborted = true;
          }),
        },
      });
      await using client = await connect(app, { revision });
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 20);
      await assert.rejects(client.call('slow', {}, { signal: controller.signal }), { name: 'AbortError' });
      await assert.rejects(client.call('slow', {}, { timeout: 20 }), { name: 'TimeoutError' });
      await client.request('tools/list');
      assert.equal(aborted, true);
    });
  }
});

describe('progress did not keep a call alive', { concurrency: true }, () => {
  for (const revision of revisions) {
    it(`restarts the time limit of a call, but not the total one, on ${revision}`, async () => {
      const app = server({
        name: 'long',
        tools: {
          long: tool({}, async (_, ctx) => {
            for (let step = 1; step <= 10 && !ctx.signal.aborted; step++) {
              await ctx.progress({ progress: step });
              await clock.advance(60);
            }
            return 'done';
          }),
        },
      });
      const clock = fakeClock();
      await using client = await connect(app, { revision, clock });
      const onProgress = (): void => {};
      assert.equal(await client.call('long', {}, { timeout: 500, onProgress }), 'done');
      await assert.rejects(client.call('long', {}, { timeout: 500, maxTimeout: 550, onProgress }), {
        name: 'TimeoutError',
      });
      await assert.rejects(client.call('long', {}, { timeout: 500 }), { name: 'TimeoutError' });
    });
  }
});

describe('the first tool that was added at run time could not be called', () => {
  for (const revision of revisions) {
    it(`is listed and called on ${revision}`, async () => {
      const app = server({ name: 'growing', tools: {} });
      await using client = await connect<unknown>(app, { revision });
      assert.deepEqual(await client.tools().all(), []);
      app.tools.set(
        'first',
        tool({}, () => 'I am first'),
      );
      assert.equal((await client.tools().all()).length, 1);
      assert.equal(await client.call('first'), 'I am first');
    });
  }
});
