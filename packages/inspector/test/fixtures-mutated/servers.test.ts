// The servers that other tests are made with are wrong, or odd, in the way they say, and in no other.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { AuthError, type Browser, oauth } from 'tenon/auth';
import {
  type ClientOptions,
  connect,
  ConnectionError,
  PeerError,
  ProtocolError,
  type Question,
  TimeoutError,
  type TraceEntry,
} from 'tenon/client';
import { ProcessExitError, spawnChannel } from 'tenon/node';
import { ADDRESSES, HOSTILE, MARKUP } from './hostile-strings.ts';
import { command, HTTP_SERVERS, listening, STDIO_SERVERS, type StdioServer } from './launch.ts';

const here = dirname(fileURLToPath(import.meta.url));
const traced = (trace: TraceEntry[], options: ClientOptions = {}): ClientOptions => ({
  ...options,
  onTrace: (entry) => trace.push(entry),
});
const textOf = (result: { content: readonly { type: string }[] }, at = 0): string =>
  (result.content[at] as unknown as { text: string }).text;

test('every server has a name, and every name a server', () => {
  const files = readdirSync(join(here, 'servers')).map((file) => file.replace(/\.ts$/, ''));
  assert.deepEqual(files.sort(), [...new Set([...STDIO_SERVERS, ...HTTP_SERVERS])].sort());
});

describe('servers that break the protocol, or end', { concurrency: 2 }, () => {
  test('banner: prints before the first message and around each, and loses an answer behind a text', async () => {
    const trace: TraceEntry[] = [];
    await using client = await connect(command('banner'), traced(trace));
    assert.equal(await client.call('hello'), 'Hello');
    const junk = (): string[] => trace.filter(({ kind }) => kind === 'junk').map(({ text }) => text);
    assert.deepEqual(junk().slice(0, 3), [
      'Server listening on port 3000',
      '\u001b[32m✔\u001b[0m Ready in 12 ms',
      '{"level":30,"time":1766000000000,"msg":"listening"}',
    ]);
    const sent = trace.filter(({ kind }) => kind === 'sent').length;
    assert.equal(junk().filter((line) => /^--> \d+ bytes$/.test(line)).length, sent);
    await assert.rejects(client.call('glued', {}, { timeout: 500 }), TimeoutError);
    assert.ok(junk().some((line) => /^Working\.\.\. \{"jsonrpc".*Nobody sees this/.test(line)));
  });

  test('wrong-output: claims success with what its own schema does not allow', async () => {
    await using client = await connect(command('wrong-output'));
    await assert.rejects(client.call('forecast', { city: 'Oslo' }), (error: Error) => {
      assert.ok(error instanceof PeerError);
      return /output schema.*celsius/.test(error.message);
    });
    await assert.rejects(client.call('missing', { city: 'Oslo' }), PeerError);
    assert.deepEqual(await client.call('right', { city: 'Oslo' }), { city: 'Oslo', celsius: 21 });
  });

  test('exits: ends with 3 and says why on stderr', async () => {
    await assert.rejects(connect(command('exits')), (error: Error) => {
      assert.ok(error instanceof ConnectionError && error.cause instanceof ProcessExitError);
      assert.deepEqual([error.cause.code, error.cause.stderr], [3, 'Reading configuration\nDATABASE_URL missing\n']);
      return true;
    });
  });

  test('silent: answers nothing, or everything but calls', async () => {
    const trace: TraceEntry[] = [];
    const quick: ClientOptions = { revision: '2025-11-25', timeout: 500 };
    await assert.rejects(connect(command('silent'), traced(trace, quick)), TimeoutError);
    assert.deepEqual(
      trace.filter(({ kind }) => kind !== 'open' && kind !== 'sent' && kind !== 'exit'),
      [],
    );
    await using client = await connect(command('silent', '--calls'), { revision: '2025-11-25' });
    assert.equal((await client.tools().all()).length, 1);
    await assert.rejects(client.call('never', {}, { timeout: 300 }), TimeoutError);
  });

  test('slow: every answer takes its time, and progress comes in between', async () => {
    await using client = await connect(command('slow', '200'), { revision: '2025-11-25' });
    const started = performance.now();
    await client.ping();
    assert.ok(performance.now() - started >= 199);
    const steps: unknown[] = [];
    await client.call('progress', { steps: 4 }, { onProgress: (step) => steps.push(step.progress) });
    assert.deepEqual(steps, [1, 2, 3, 4]);
  });

  test('slow: three seconds, if nothing else is said', async () => {
    const started = performance.now();
    await using client = await connect(command('slow'), { revision: '2025-11-25' });
    assert.equal(client.server?.name, 'slow');
    assert.ok(performance.now() - started >= 2_999);
  });

  const deaths = [
    ['exit', 7, null],
    ['signal', null, 'SIGKILL'],
    ['half', 7, null],
    ['clean', 0, null],
  ] as const;
  for (const [how, code, signal] of deaths)
    test(`dies: in the middle of a call (${how})`, async () => {
      const trace: TraceEntry[] = [];
      await using client = await connect(command('dies'), traced(trace, { restart: false } as ClientOptions));
      assert.equal(await client.call('live'), 'Still here');
      await assert.rejects(client.call('die', { how }), (error: Error) => {
        assert.ok(error instanceof ConnectionError && error.cause instanceof ProcessExitError);
        assert.deepEqual([error.cause.code, error.cause.signal], [code, signal]);
        return true;
      });
      const half = trace.some(({ kind, text }) => kind !== 'sent' && text.endsWith('{"content":[{"type":"te'));
      assert.equal(half, how === 'half');
    });
});

describe('servers with much to say', { concurrency: 2 }, () => {
  test('flood: as many messages as asked for, all before the answer', async () => {
    let received = 0;
    await using client = await connect(command('flood'), { revision: '2025-11-25', onLog: () => void received++ });
    assert.match(String(await client.call('flood', { count: 5_000 })), /^Sent 5000 messages in \d+ ms$/);
    assert.equal(received, 5_000);
  });

  test('flood: as fast as asked for, and no faster', async () => {
    await using client = await connect(command('flood'), { revision: '2025-11-25', onLog: () => {} });
    const ms = async (name: string, args: object): Promise<number> =>
      Number(/in (\d+) ms/.exec(String(await client.call(name, { ...args })))![1]);
    const slow = await ms('flood', { count: 100, perSecond: 200 });
    assert.ok(slow >= 490 && slow < 1_500, String(slow));
    const sustained = await ms('sustained', { seconds: 0.5 });
    assert.ok(sustained >= 490 && sustained < 1_500, String(sustained));
  });

  test('many: 2,000 tools with names and schemas of their own, and they work', async () => {
    await using client = await connect(command('many'));
    const tools = await client.tools().all();
    assert.equal(new Set(tools.map(({ name }) => name)).size, 2_000);
    assert.ok(JSON.stringify(tools).length > 1_000_000, 'the schemas are as large as they are elsewhere');
    const made = JSON.parse(String(await client.call('jira_create_issue', { title: 'Leak' })));
    assert.deepEqual(made, { tool: 'jira_create_issue', input: { title: 'Leak', state: 'open' } });
    assert.equal((await client.result('jira_get_issue', { id: 'no' })).isError, true);
  });

  for (const revision of ['2025-11-25', '2026-07-28'] as const)
    test(`listchanged: tools come and go, and are told about (${revision})`, async () => {
      await using client = await connect(command('listchanged'), { revision });
      const names = async (): Promise<string[]> => (await client.tools().all()).map(({ name }) => name).slice(4);
      const watch = client.watch('tools');
      await watch.ready;
      const changes = watch[Symbol.asyncIterator]();
      for (const [call, expected] of [
        ['grow', ['grown-1']],
        ['grow', ['grown-1', 'grown-2']],
        ['shrink', ['grown-1']],
      ] as const) {
        await client.call(call);
        assert.deepEqual((await changes.next()).value, { list: 'tools', missed: false });
        assert.deepEqual(await names(), expected);
      }
      assert.equal(await client.call('grown-1'), 'grown-1');
      assert.deepEqual((await client.read('grown://1')).contents.length, 1);
      watch.close();
    });
});

describe('servers that ask', { concurrency: 2 }, () => {
  for (const revision of ['2025-11-25', '2026-07-28'] as const)
    test(`asks: forms, pages, the model and the folders (${revision})`, async () => {
      const seen: Question[] = [];
      await using client = await connect(command('asks'), {
        revision,
        roots: ['file:///home/ann'],
        sample: {
          tools: true,
          handler: ({ tools }) => ({
            ...{ role: 'assistant', model: 'm' },
            content: { type: 'text', text: `${tools?.length ?? 0} tools` },
          }),
        },
        elicit: {
          url: true,
          handler(question) {
            seen.push(question);
            if (question.mode === 'url') return { action: 'accept' };
            if (question.message.startsWith('Book'))
              return { action: 'accept', content: { name: 'Ann', nights: 3, days: ['Friday'] } };
            const fields = Object.keys((question.schema['properties'] ?? {}) as object);
            return { action: 'accept', content: Object.fromEntries(fields.map((field) => [field, field])) };
          },
        },
      });
      const parsed = async (name: string): Promise<any> => JSON.parse(String(await client.call(name)));
      const { action, content } = await parsed('form');
      assert.equal(action, 'accept');
      assert.deepEqual([content.name, content.nights, content.board, content.days], ['Ann', 3, 'half', ['Friday']]);
      const form = seen[0];
      assert.ok(form?.mode === 'form');
      const kinds = Object.values(form.schema['properties'] as Record<string, Record<string, unknown>>);
      assert.equal(kinds.length, 14);
      assert.deepEqual(
        [...new Set(kinds.map(({ type }) => type))],
        ['string', 'integer', 'number', 'boolean', 'array'],
      );
      assert.deepEqual(
        kinds.flatMap(({ format }) => format ?? []),
        ['email', 'uri', 'date', 'date-time'],
      );
      for (const keyword of ['oneOf', 'enum', 'enumNames', 'items', 'minLength', 'minItems'])
        assert.ok(
          kinds.some((kind) => keyword in kind),
          keyword,
        );
      assert.deepEqual(await parsed('confirm'), { action: 'accept', content: {} });
      assert.equal(await client.call('page'), 'accept');
      assert.equal((await parsed('sample')).content.text, '0 tools');
      assert.equal((await parsed('sample-tools')).content.text, '1 tools');
      assert.deepEqual(await parsed('roots'), [{ uri: 'file:///home/ann' }]);
      assert.deepEqual(
        (await parsed('both')).map((answer: { content: object }) => answer.content),
        [{ left: 'left' }, { right: 'right' }],
      );
      assert.equal(await client.call('chain'), 'first, second');
    });
});

/** Sends lines as they are to a server of this folder, and gives the answer to the last. */
const rawly = async (name: StdioServer, ...lines: readonly string[]): Promise<any> => {
  const channel = spawnChannel(command(name));
  try {
    for (const line of lines) await channel.send(line);
    let answers = 0;
    for await (const line of channel.incoming)
      if (typeof line === 'string' && ++answers === lines.length) return JSON.parse(line);
    throw new Error('The server ended');
  } finally {
    await channel.close();
  }
};

describe('servers with odd contents', { concurrency: 2 }, () => {
  const fitting: Record<string, [fits: object, not: object]> = {
    plain: [{ text: 'x', number: 1.5, flag: true }, { number: '1.5' }],
    ref: [{ home: { street: 'A', zip: '12345' } }, { home: { street: 'A', zip: 'x' } }],
    allOf: [{ name: 'Ann', age: 3 }, { name: 'Ann' }],
    oneOf: [{ pay: { by: 'iban', iban: 'NO' } }, { pay: { by: 'card', iban: 'NO' } }],
    recursion: [{ tree: { name: 'a', children: [{ name: 'b' }] } }, { tree: { name: 'a', children: [{}] } }],
    strings: [{ tags: ['a', 'b'] }, { tags: ['a', 'a'] }],
    map: [{ prices: { pear: 1.5 } }, { prices: { pear: 'x' } }],
    ifThen: [
      { kind: 'parcel', kilos: 2 },
      { kind: 'parcel', pages: 2 },
    ],
    tuple: [{ point: [1, 2, 'km'] }, { point: [1, 2, 'km', 4] }],
    nullable: [
      { colour: null, note: null },
      { colour: 'blue', note: null },
    ],
    big: [{ id: 1, ids: [2] }, { id: 1.5 }],
  };

  test('shapes: every shape takes what fits it, and nothing else', async () => {
    await using client = await connect(command('shapes'));
    assert.deepEqual((await client.tools().all()).map(({ name }) => name).sort(), Object.keys(fitting).sort());
    for (const [name, [fits, not]] of Object.entries(fitting)) {
      const good = await client.result(name, { ...fits });
      assert.deepEqual([name, good.isError, textOf(good)], [name, false, 'These arguments fit.']);
      assert.match(textOf(good, 1), /^\{"jsonrpc"/);
      assert.deepEqual([name, (await client.result(name, { ...not })).isError], [name, true]);
    }
  });

  test('shapes: numbers are shown as they came', async () => {
    const line = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"big","arguments":{"id":9007199254740993,"rate":1.10}}}`;
    const { result } = await rawly('shapes', line);
    assert.deepEqual([result.isError, result.content[1].text], [false, line]);
  });

  test('hostile: every text is in every place', async () => {
    await using client = await connect(command('hostile'), { timeout: 5_000 });
    assert.deepEqual([client.server?.name, client.server?.title], [MARKUP[0], MARKUP[1]]);
    assert.ok(HOSTILE.every((bad) => client.instructions?.includes(bad)));
    const tools = await client.tools().all();
    const prompts = await client.prompts().all();
    for (const [n, bad] of HOSTILE.entries()) {
      const tool = tools.find(({ name }) => name === `carrier-${n} ${bad}`);
      assert.deepEqual([tool?.title, tool?.description], [bad, bad]);
      const properties = tool?.inputSchema['properties'] as Record<string, Record<string, unknown>>;
      assert.equal(properties[bad]?.['default'], bad);
      assert.ok(Object.hasOwn(properties, '__proto__') && Object.hasOwn(properties, 'constructor'));
      assert.equal(prompts[n]?.description, bad);
    }
    await assert.rejects(client.call('refuse'), (error: Error) => {
      assert.ok(error instanceof ProtocolError);
      return MARKUP.every((bad) => error.message.includes(bad));
    });
    assert.equal((await client.result('fail')).isError, true);
    const links = (await client.result('links')).content;
    assert.deepEqual(
      links.map((link) => 'uri' in link && link.uri),
      ADDRESSES,
    );
    const { contents } = await client.read('page://hostile');
    assert.match((contents[0] as { text: string }).text, /<script>/);
  });

  test('hostile: asks with every text and every address, and logs them', async () => {
    const seen: Question[] = [];
    const logged: unknown[] = [];
    await using client = await connect(command('hostile'), {
      revision: '2025-11-25',
      onLog: ({ data }) => logged.push(data),
      sample: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'x' } }),
      elicit: {
        url: true,
        handler(question) {
          seen.push(question);
          return { action: 'decline' };
        },
      },
    });
    await client.call('ask');
    assert.deepEqual(
      seen.map(({ message }) => message),
      HOSTILE,
    );
    await client.call('chatter');
    assert.deepEqual(logged, HOSTILE);
    await client.call('sample');
  });

  test('hostile: wants pages visited that are none', async () => {
    const id = `"jsonrpc":"2.0","id":1`;
    const call = `{${id},"method":"tools/call","params":{"name":"visit","arguments":{}}}`;
    const asked = await rawly('hostile', call);
    assert.deepEqual([asked.method, asked.params.mode, asked.params.url], ['elicitation/create', 'url', ADDRESSES[0]]);
  });

  test('app: tools with an app, and the app tries to get out', async () => {
    await using client = await connect(command('app'));
    const [show] = await client.tools().all();
    assert.deepEqual(show?._meta, { ui: { resourceUri: 'ui://app/showing' } });
    for (const uri of ['ui://app/showing', 'ui://app/escaping']) {
      const [item] = (await client.read(uri)).contents;
      assert.equal(item?.mimeType, 'text/html;profile=mcp-app');
      const [, script] = /<script>(.*)<\/script>\n<\/body>/s.exec((item as { text: string }).text) ?? [];
      // It compiles: it is run by browsers.
      assert.match(script ?? '', /ui\/initialize/);
      assert.doesNotThrow(() => new Script(script!));
    }
  });
});

describe('servers of the official SDK', { concurrency: 2 }, () => {
  for (const name of ['official-v1', 'official-v2'] as const) {
    const newest = name === 'official-v1' ? '2025-11-25' : '2026-07-28';
    const works = async (target: Parameters<typeof connect>[0], http: boolean): Promise<void> => {
      await using client = await connect(target, { answers: { '*': { name: 'Ann' } } });
      assert.deepEqual([client.server?.name, client.revision], [name, newest]);
      assert.deepEqual(await client.call('add', { a: 1, b: 2 }), { sum: 3 });
      assert.equal((await client.result('fail')).isError, true);
      assert.equal(await client.call('ask'), '{"action":"accept","content":{"name":"Ann"}}');
      assert.equal((await client.read('shop://hours')).contents.length, 1);
      assert.equal((await client.prompts().all()).length, 1);
      assert.equal(await client.call('log'), 'Logged', String(http));
    };
    test(`${name} on stdin and stdout`, () => works(command(name), false));
    test(`${name} on a port`, async () => {
      await using served = await listening(name);
      await works(served.url, true);
    });
  }

  test('sse: speaks 2024-11-05 with two addresses, and nothing newer', async () => {
    await using served = await listening('sse');
    const logged: unknown[] = [];
    await using client = await connect(served.url, { onLog: ({ data }) => logged.push(data) });
    assert.equal(await client.call('add', { a: 1, b: 2 }), '3');
    assert.equal(await client.call('log'), 'Logged');
    assert.deepEqual(logged, ['The kettle boils']);
    const { status } = await fetch(served.url, { method: 'POST', body: '{}' });
    assert.equal(status, 404);
  });
});

describe('servers at an address', { concurrency: 2 }, () => {
  test('wrong-path: a page of HTML, where the server is next door', async () => {
    await using served = await listening('wrong-path');
    await assert.rejects(
      connect(served.url),
      (error: Error) => error instanceof ConnectionError && error.status === 404,
    );
    const page = await fetch(served.url, { method: 'POST' });
    assert.match(await page.text(), /<pre>Cannot POST \/api<\/pre>/);
    await using client = await connect(served.url.replace('/api', '/mcp'));
    assert.equal(await client.call('hello'), 'Hello');
  });

  test('protected: nobody without a token, and a login that gives one', async () => {
    await using served = await listening('protected');
    await assert.rejects(connect(served.url), (error: Error) => {
      assert.ok(error instanceof ConnectionError && error.status === 401);
      return /scope="notes:read", resource_metadata=/.test(error.challenge ?? '');
    });
    const examples = new URL('../../../../examples/auth/clicks.ts', import.meta.url).href;
    const { clickingBrowser } = (await import(examples)) as { clickingBrowser(buttons: string[]): Browser };
    await using client = await connect(served.url, { auth: oauth({ browser: clickingBrowser(['Ann', 'yes']) }) });
    assert.match(String(await client.call('whoami')), /\|Ann$/);
    assert.equal(await client.call('write'), 'Written');
  });

  for (const [trap, step] of [
    ['address', 'discovery'],
    ['refuses', 'authorization'],
    ['token', 'token'],
  ] as const)
    test(`hostile-auth: a login that is a trap (${trap})`, async () => {
      await using served = await listening('hostile-auth', trap);
      const opened: string[] = [];
      const browser: Browser = {
        open: () => ({
          redirectUri: 'http://127.0.0.1:7777/callback',
          async authorize(url) {
            opened.push(url.href);
            return (await fetch(url, { redirect: 'manual' })).headers.get('location')!;
          },
          close() {},
        }),
      };
      await assert.rejects(connect(served.url, { auth: oauth({ browser }) }), (error: Error) => {
        const { cause } = error;
        assert.ok(cause instanceof AuthError);
        assert.equal(cause.step, step);
        return true;
      });
      assert.equal(opened.length, trap === 'address' ? 0 : 1);
    });

  test('what was started ends with stop', async () => {
    const served = await listening('many');
    await served.stop();
    assert.throws(() => process.kill(served.pid, 0), { code: 'ESRCH' });
  });

  for (const name of ['app', 'asks', 'listchanged', 'many'] as const)
    test(`${name} on a port`, async () => {
      await using served = await listening(name);
      await using client = await connect(served.url);
      assert.deepEqual([client.server?.name, client.revision], [name, '2026-07-28']);
    });
});
