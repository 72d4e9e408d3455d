// The recorded server: every feature once, nothing that depends on time or randomness. No library generates its
// schemas. A new one is made for each conversation.
import type { JsonSchema, Server } from 'tenon';
import type { StdioBuild } from './build.ts';
import { members } from './schema.ts';

const ICON = { src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'light' } as const;
const META = { 'com.example/kind': 'recorded' };

function object(properties: Record<string, JsonSchema>, required: readonly string[] = Object.keys(properties)) {
  return { type: 'object', properties, required } as const;
}
const NUMBER = { type: 'number' } as const;
const TEXT = { type: 'string' } as const;

/** Gates through which handlers of one server wait for each other. */
class Gates {
  readonly #open = new Map<string, () => void>();
  readonly #waiters: (() => void)[] = [];
  aborted = 0;

  /** Waits until another handler opens the gate, or the call is aborted. */
  async pass(name: string, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#open.set(name, resolve);
      signal.addEventListener('abort', () => {
        this.aborted++;
        resolve();
        for (const waiter of this.#waiters.splice(0)) waiter();
      });
    });
  }

  open(name: string): boolean {
    const open = this.#open.get(name);
    open?.();
    return this.#open.delete(name) && open !== undefined;
  }

  async untilAborted(count: number): Promise<void> {
    while (this.aborted < count) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }
}

/** With `scopes`, one tool requires them: a server without authorization may not have such a tool. */
export function makeApp(build: StdioBuild, scopes = false): Server {
  const { tool } = build.tenon;
  const scoped = tool({ scopes: scopes ? ['write'] : undefined }, () => 'written');
  const tools = { ...toolsOf(build, new Gates(), () => app), scoped };
  const app: Server = build.tenon.server({
    name: 'recorded',
    version: '1.2.3',
    title: 'The recorded server',
    description: 'Every feature once',
    websiteUrl: 'https://example.com',
    icons: [ICON],
    instructions: 'Call anything.',
    pageSize: 7,
    tools,
    ...readableOf(build),
  });
  return app;
}

function toolsOf({ tenon }: StdioBuild, gates: Gates, app: () => Server) {
  const { audio, embed, image, link, ProtocolError, prompt, reply, resource, text, tool, ToolError } = tenon;
  let setting = 0;
  return {
    echo: tool({ description: 'Gives back', input: { type: 'object' }, output: { type: 'object' } }, (value) => value),
    add: tool(
      {
        title: 'Addition',
        description: 'Add two numbers',
        input: members({ a: 'number', b: 'number' }),
        output: members({ sum: 'number' }),
        readOnly: true,
        destructive: false,
        idempotent: true,
        openWorld: false,
        icons: [ICON],
        _meta: META,
      },
      ({ a, b }) => ({ sum: Number(a) + Number(b) }),
    ),
    greet: tool(
      { input: { type: 'object', properties: { name: { type: 'string', default: 'world' } } } },
      ({ name }) => `Hello, ${String(name)}!`,
    ),
    strict: tool(
      {
        input: {
          ...object({ city: { type: 'string', minLength: 2 }, days: { type: 'integer', minimum: 1, default: 3 } }, [
            'city',
          ]),
          additionalProperties: false,
        },
      },
      ({ city, days }) => `${String(city)} ${String(days)}`,
    ),
    list: tool({ output: { type: 'array', items: NUMBER } }, () => [1, 2, 3]),
    nothing: tool({ output: { type: 'null' } }, () => null),
    silent: tool({}, () => undefined),
    everything: tool({}, () => [
      text('text', { annotations: { audience: ['user'], priority: 0.5, lastModified: '2026-01-01T00:00:00Z' } }),
      image(new Uint8Array([1, 2, 3]), 'image/png'),
      audio(new Uint8Array([4, 5, 6]), 'audio/wav'),
      link('data://setting', 'setting', { title: 'Setting', description: 'A link', mimeType: 'text/plain', size: 4 }),
      embed('data://embedded', 'embedded text', { mimeType: 'text/plain' }),
      embed('data://bytes', new Uint8Array([7, 8, 9])),
    ]),
    whole: tool({}, () => reply({ content: [text('with meta')], _meta: META })),
    refuse: tool({}, () => {
      throw new ToolError('Try something else');
    }),
    protocol: tool({}, () => {
      throw new ProtocolError(4711, 'An error of the application', { more: true });
    }),
    boom: tool({}, () => {
      throw new Error('postgres://u:SECRET@db/x');
    }),
    boomLater: tool({}, async () => {
      await Promise.resolve();
      throw new TypeError('/etc/SECRET');
    }),
    badOutput: tool({ output: object({ sum: NUMBER }) }, () => ({ sum: 'none' }) as never),
    soon: tool({}, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return 'a turn later';
    }),
    steps: tool({ input: members({ steps: 'number' }) }, async ({ steps }, ctx) => {
      for (let step = 1; step <= Number(steps); step++)
        await ctx.progress({ progress: step, total: Number(steps), message: `step ${step}` });
      return 'done';
    }),
    backward: tool({}, async (_, ctx) => {
      for (const step of [2, 1, 2, Number.NaN, 3, Infinity]) await ctx.progress({ progress: step });
      return 'done';
    }),
    chatty: tool({}, async (_, ctx) => {
      await ctx.log('debug', 'debug');
      await ctx.log('info', { what: 'info' }, 'part');
      await ctx.log('warning', 'warning');
      await ctx.log('error', 'error');
      return 'said';
    }),
    both: tool({}, async (_, ctx) => {
      await ctx.progress({ progress: 1, total: 2 });
      await ctx.log('error', 'in between');
      await ctx.progress({ progress: 2, total: 2 });
      throw new ToolError('failed after all');
    }),
    gate: tool({ input: members({ name: 'string' }) }, async ({ name }, ctx) => {
      const passed = gates.pass(String(name), ctx.signal);
      await ctx.log('error', 'waiting');
      // The last message: a client that has received it has received everything.
      await ctx.progress({ progress: 1, total: 3, message: 'waiting' });
      await passed;
      await ctx.progress({ progress: 2, total: 3, message: 'through' });
      return `through ${String(name)}`;
    }),
    open: tool({ input: members({ name: 'string' }) }, ({ name }) =>
      gates.open(String(name)) ? 'opened' : 'nobody waits',
    ),
    aborted: tool({ input: members({ count: 'number' }) }, async ({ count }) => {
      await gates.untilAborted(Number(count));
      return `${gates.aborted} aborted`;
    }),
    who: tool({ output: { type: 'object' } }, (_, { client, principal, _meta: meta }) => ({
      name: client.name ?? null,
      can: (['elicitation', 'elicitation.url', 'sampling', 'sampling.tools', 'roots'] as const).filter((ability) =>
        client.can(ability),
      ),
      principal: principal?.id ?? null,
      meta,
    })),
    routed: tool(
      {
        input: {
          type: 'object',
          properties: {
            region: { type: 'string', 'x-mcp-header': 'Region' },
            count: { type: 'integer', 'x-mcp-header': 'Count' },
            dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
          },
        },
      },
      (value) => JSON.stringify(value),
    ),
    ask: tool({}, async (_, ctx) => {
      const { color } = await ctx.ask('color', 'Which color?', object({ color: { type: 'string', minLength: 3 } }));
      const act = await ctx.once('act', () => 'acted');
      return `${String(color)} ${act}`;
    }),
    askTwo: tool({}, async (_, ctx) => {
      const first = await ctx.ask('first', 'First?', object({ value: TEXT }));
      const second = await ctx.ask('second', `Second, after ${String(first.value)}?`, object({ value: NUMBER }));
      return `${String(first.value)} ${String(second.value)}`;
    }),
    elicit: tool({ output: { type: 'object' } }, async (_, ctx) => ({
      ...(await ctx.elicit('name', 'Your name?', object({ name: TEXT }))),
    })),
    visit: tool({}, async (_, ctx) => (await ctx.visit('page', 'Sign in', 'https://example.com/sign-in')).action),
    sample: tool({}, async (_, ctx) => {
      const messages = [{ role: 'user', content: { type: 'text', text: 'A poem' } }] as const;
      const answer = await ctx.sample('poem', { messages: [...messages], maxTokens: 100 });
      return `${answer.model}: ${JSON.stringify(answer.content)}`;
    }),
    roots: tool({}, async (_, ctx) => (await ctx.roots('roots')).map(({ uri }) => uri).join(' ')),
    swallow: tool({}, async (_, ctx) => {
      try {
        await ctx.ask('lost', 'Is this lost?', object({ yes: { type: 'boolean' } }));
      } catch {
        return 'swallowed';
      }
      return 'answered';
    }),
    grow: tool({ input: members({ name: 'string' }) }, ({ name }) => {
      const own = String(name);
      app().tools.set(
        own,
        tool({}, () => 'grown'),
      );
      app().prompts.set(
        own,
        prompt({}, () => 'grown'),
      );
      app().resources.set(
        `data://${own}`,
        resource({ name: own }, () => 'grown'),
      );
      return 'grown';
    }),
    touch: tool({ input: members({ uri: 'string' }) }, ({ uri }) => {
      app().changed(String(uri));
      return `touched ${++setting}`;
    }),
    big: tool({ input: members({ bytes: 'number' }) }, ({ bytes }) => 'x'.repeat(Number(bytes))),
    constructor: tool({}, () => 'a tool of this name'),
  };
}

function readableOf({ tenon }: StdioBuild) {
  const { audio, contents, embed, image, link, prompt, resource, text } = tenon;
  return {
    resources: {
      'data://setting': resource(
        {
          name: 'setting',
          title: 'Setting',
          description: 'Light or dark',
          mimeType: 'text/plain',
          size: 5,
          annotations: { audience: ['user'], priority: 1, lastModified: '2026-01-01T00:00:00Z' },
          icons: [ICON],
          _meta: META,
          cache: { ttlMs: 60_000, scope: 'public' },
        },
        () => 'dark',
      ),
      'data://bytes': resource({ name: 'bytes', mimeType: 'image/png' }, () => new Uint8Array([251, 255, 0, 1])),
      'data://json': resource({ name: 'json' }, () => ({ a: 1 })),
      'data://gone': resource({ name: 'gone' }, () => undefined),
      'data://empty': resource({ name: 'empty' }, () => []),
      'data://broken': resource({ name: 'broken' }, () => {
        throw new Error('/etc/SECRET');
      }),
      'data://chatty': resource({ name: 'chatty' }, async (_, ctx) => {
        await ctx.progress({ progress: 1, total: 1, message: 'half' });
        await ctx.log('error', 'from a resource');
        return 'said';
      }),
      'data://asks': resource({ name: 'asks' }, async (_, ctx) =>
        String((await ctx.ask('why', 'Why?', object({ reason: TEXT }))).reason),
      ),
      'item:///{kind}/{id}': resource(
        {
          name: 'item',
          title: 'Items',
          description: 'One item',
          mimeType: 'text/plain',
          list: () => [{ uri: 'item:///a/1', name: 'a 1' }],
          complete: {
            kind: ['alpha', 'Alps', 'beta', 'gamma alpha'],
            id: (typed, { resolved }) =>
              Array.from({ length: 150 }, (_, at) => `${resolved['kind'] ?? ''}${typed}${at}`),
          },
        },
        ({ kind, id }) =>
          kind === 'many'
            ? [
                contents(`item:///many/${id}#0`, 'part 0'),
                contents(`item:///many/${id}#1`, 'part 1', { mimeType: 'text/plain' }),
              ]
            : `${kind} ${id}`,
      ),
      'file:///{+path}': resource({ name: 'file' }, ({ path }) => path),
    },
    prompts: {
      review: prompt(
        {
          title: 'Review',
          description: 'Review code',
          input: object({ code: { type: 'string', description: 'The code' }, style: TEXT, other: TEXT }, ['code']),
          complete: {
            style: ['short', 'long'],
            other: (typed) => {
              throw new Error(`SECRET ${typed}`);
            },
          },
          icons: [ICON],
          _meta: META,
        },
        ({ code, style }) => `Review ${style === undefined ? 'normally' : String(style)}:\n${String(code)}`,
      ),
      talk: prompt({}, () => [
        { role: 'user', content: text('Hi') },
        { role: 'assistant', content: text('Hello') },
        { role: 'user', content: audio(new Uint8Array([1]), 'audio/wav') },
        { role: 'user', content: image(new Uint8Array([251, 255]), 'image/png') },
        { role: 'user', content: embed('data://embedded', 'text', { mimeType: 'text/plain' }) },
        { role: 'assistant', content: link('data://setting', 'setting') },
      ]),
      whole: prompt({ description: 'Listed' }, () => ({
        description: 'Given',
        messages: [{ role: 'assistant', content: text('whole') }],
      })),
      broken: prompt({}, () => {
        throw new Error('/etc/SECRET');
      }),
      asks: prompt({}, async (_, ctx) => {
        const { reason } = await ctx.ask('why', 'Why?', object({ reason: TEXT }));
        return `Because: ${String(reason)}`;
      }),
    },
  };
}
