// The server of all cells: every feature, named after its purpose. A new one for each connection, so that tests share nothing.
import { z } from 'zod';
import {
  audio,
  contents,
  embed,
  image,
  link,
  ProtocolError,
  prompt,
  reply,
  resource,
  server,
  text,
  tool,
  ToolError,
} from '../../src/entries/index.ts';

const ICON = { src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'light' } as const;

export type App = ReturnType<typeof app>;

export function app() {
  const counts = new Map<string, number>();
  const count = (name: string): number => {
    counts.set(name, (counts.get(name) ?? 0) + 1);
    return counts.get(name)!;
  };
  let setting = 'dark';

  const made = server({
    name: 'suite',
    version: '1.2.3',
    title: 'The suite',
    description: 'Every feature once',
    websiteUrl: 'https://example.com',
    icons: [ICON],
    instructions: 'Call anything.',
    pageSize: 5,
    tools: {
      echo: tool(
        {
          description: 'Gives back what it gets',
          input: z.object({ value: z.unknown() }),
          output: z.object({ value: z.unknown() }),
        },
        ({ value }) => ({ value }),
      ),
      add: tool(
        {
          title: 'Addition',
          description: 'Add two numbers',
          input: z.object({ a: z.number(), b: z.number() }),
          output: z.object({ sum: z.number() }),
          readOnly: true,
          destructive: false,
          idempotent: true,
          openWorld: false,
          icons: [ICON],
          _meta: { 'com.example/kind': 'arithmetic' },
        },
        ({ a, b }) => ({ sum: a + b }),
      ),
      greet: tool({ input: z.object({ name: z.string().default('world') }) }, ({ name }) => `Hello, ${name}!`),
      list: tool({ output: z.array(z.number()) }, () => [1, 2, 3]),
      nothing: tool({ output: z.null() }, () => null),
      silent: tool({}, () => undefined),
      everything: tool({}, () => [
        text('text', { annotations: { audience: ['user'], priority: 0.5, lastModified: '2026-01-01T00:00:00Z' } }),
        image(new Uint8Array([1, 2, 3]), 'image/png'),
        audio(new Uint8Array([4, 5, 6]), 'audio/wav'),
        link('suite://setting', 'setting', {
          title: 'Setting',
          description: 'A link',
          mimeType: 'text/plain',
          size: 4,
          icons: [ICON],
        }),
        embed('suite://embedded', 'embedded text', { mimeType: 'text/plain' }),
        embed('suite://bytes', new Uint8Array([7, 8, 9])),
      ]),
      whole: tool({}, () => reply({ content: [text('with meta')], _meta: { 'com.example/source': 'suite' } })),
      refuse: tool({}, () => {
        throw new ToolError('Try something else');
      }),
      protocol: tool({}, () => {
        throw new ProtocolError(4711, 'An error of the application', { more: true });
      }),
      boom: tool({}, () => {
        throw new Error('postgres://u:SECRETPW@db/x');
      }),
      badOutput: tool({ output: z.object({ sum: z.number() }) }, () => ({ sum: 'NaN' }) as never),
      plain: tool(
        {
          description: 'Plain JSON Schema',
          input: {
            type: 'object',
            properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1, default: 3 } },
            required: ['city'],
            additionalProperties: false,
          },
        },
        ({ city, days }) => `${city} ${days}`,
      ),
      work: tool({ input: z.object({ steps: z.int() }) }, async ({ steps }, ctx) => {
        for (let step = 1; step <= steps; step++)
          await ctx.progress({ progress: step, total: steps, message: `step ${step}` });
        await ctx.progress({ progress: steps, total: steps, message: 'does not increase' });
        return 'done';
      }),
      stagger: tool({}, async (_, ctx) => {
        for (const step of [-1, -2, 0, Number.NaN, 0, 0.5, Infinity, 0.25, 1, '2' as never])
          await ctx.progress({ progress: step, total: step === 0.5 ? 1.5 : Number.NaN });
        return 'done';
      }),
      chatty: tool({}, async (_, ctx) => {
        await ctx.log('debug', 'debug');
        await ctx.log('info', { what: 'info' }, 'suite');
        await ctx.log('error', 'error');
        return 'said';
      }),
      late: tool({}, (_, ctx) => {
        setTimeout(() => {
          void ctx.progress({ progress: 1 });
          void ctx.log('error', 'too late');
          count('late');
        }, 5);
        return 'done';
      }),
      stubborn: tool({}, async (_, ctx) => {
        await new Promise<void>((resolve) => {
          ctx.signal.addEventListener('abort', () => setTimeout(resolve, 5));
        });
        void ctx.progress({ progress: 1 });
        void ctx.log('error', 'not wanted any more');
        count('stubborn');
        return 'never seen';
      }),
      slow: tool({}, async (_, ctx) => {
        count('slow');
        await new Promise<void>((_, reject) => {
          ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason));
        }).finally(() => count('slow-aborted'));
        return 'never seen';
      }),
      counted: tool({ input: z.object({ name: z.string() }), output: z.object({ count: z.int() }) }, ({ name }) => ({
        count: counts.get(name) ?? 0,
      })),
      who: tool(
        {
          output: z.object({ name: z.string().optional(), can: z.array(z.string()), principal: z.string().optional() }),
        },
        (_, { client, principal }) => ({
          name: client.name,
          can: (['elicitation', 'elicitation.url', 'sampling', 'sampling.tools', 'roots'] as const).filter((ability) =>
            client.can(ability),
          ),
          principal: principal?.id,
        }),
      ),
      ask: tool({}, async (_, ctx) => {
        const { color } = await ctx.ask(
          'color',
          'Which color?',
          z.object({ color: z.string().min(3).describe('A color') }),
        );
        const act = await ctx.once('act', () => count('act'));
        return `${color} ${act}`;
      }),
      askTwo: tool({}, async (_, ctx) => {
        const [first, second] = await Promise.all([
          ctx.ask('first', 'First?', z.object({ value: z.string() })),
          ctx.ask('second', 'Second?', z.object({ value: z.number() })),
        ]);
        const { value } = await ctx.ask('third', `Third, after ${first.value}?`, z.object({ value: z.boolean() }));
        return `${first.value} ${second.value} ${value}`;
      }),
      elicit: tool({ output: z.object({ action: z.string(), name: z.string().optional() }) }, async (_, ctx) => {
        const answer = await ctx.elicit('name', 'Your name?', z.object({ name: z.string() }));
        return answer.action === 'accept'
          ? { action: answer.action, name: answer.content.name }
          : { action: answer.action };
      }),
      visit: tool(
        {},
        async (_, ctx) => (await ctx.visit('page', 'Please sign in', 'https://example.com/sign-in')).action,
      ),
      sample: tool({}, async (_, ctx) => {
        const answer = await ctx.sample('poem', {
          messages: [{ role: 'user', content: { type: 'text', text: 'A poem' } }],
          maxTokens: 100,
        });
        return `${answer.model}: ${JSON.stringify(answer.content)}`;
      }),
      roots: tool({}, async (_, ctx) => (await ctx.roots('roots')).map(({ uri }) => uri).join(' ')),
      swallow: tool({}, async (_, ctx) => {
        try {
          await ctx.ask('lost', 'Is this lost?', z.object({ yes: z.boolean() }));
        } catch {
          return 'swallowed';
        }
        return 'answered';
      }),
      grow: tool({ input: z.object({ name: z.string() }) }, ({ name }) => {
        made.tools.set(
          name,
          tool({ description: 'Grown' }, () => 'grown'),
        );
        made.prompts.set(
          name,
          prompt({}, () => 'grown'),
        );
        made.resources.set(
          `suite://${name}`,
          resource({ name }, () => 'grown'),
        );
        return 'grown';
      }),
      burst: tool({ input: z.object({ name: z.string() }) }, ({ name }) => {
        for (let at = 0; at < 5; at++) {
          made.tools.set(
            `${name}-${at}`,
            tool({}, () => 'burst'),
          );
          made.prompts.set(
            `${name}-${at}`,
            prompt({}, () => 'burst'),
          );
          made.resources.set(
            `suite://${name}/${at}`,
            resource({ name }, () => 'burst'),
          );
          made.changed('suite://setting');
          made.changed('suite://json');
        }
        made.tools.delete(`${name}-0`);
        return 'done';
      }),
      shrink: tool({ input: z.object({ name: z.string() }) }, ({ name }) => {
        made.tools.delete(name);
        return 'shrunk';
      }),
      turn: tool({ input: z.object({ to: z.string() }) }, ({ to }) => {
        setting = to;
        made.changed('suite://setting');
        return 'turned';
      }),
      constructor: tool({}, () => 'a tool of this name'),
    },
    resources: {
      'suite://setting': resource(
        {
          name: 'setting',
          title: 'Setting',
          description: 'Light or dark',
          mimeType: 'text/plain',
          size: 5,
          annotations: { audience: ['user'], priority: 1, lastModified: '2026-01-01T00:00:00Z' },
          icons: [ICON],
          _meta: { 'com.example/kind': 'setting' },
          cache: { ttlMs: 60_000, scope: 'public' },
        },
        () => setting,
      ),
      'suite://bytes': resource(
        { name: 'bytes', mimeType: 'application/octet-stream' },
        () => new Uint8Array([251, 255, 0, 1]),
      ),
      'suite://json': resource({ name: 'json' }, () => ({ a: 1 })),
      'suite://gone': resource({ name: 'gone' }, () => undefined),
      'suite://empty': resource({ name: 'empty' }, () => []),
      'suite://broken': resource({ name: 'broken' }, () => {
        throw new Error('/etc/SECRETPW');
      }),
      'suite://chatty': resource({ name: 'chatty' }, async (_, ctx) => {
        await ctx.progress({ progress: 1, total: 1, message: 'half' });
        await ctx.log('error', 'from a resource');
        return 'said';
      }),
      'suite://asks': resource(
        { name: 'asks' },
        async (_, ctx) => (await ctx.ask('why', 'Why?', z.object({ reason: z.string() }))).reason,
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
              Array.from({ length: 250 }, (_, at) => `${resolved['kind'] ?? ''}${typed}${at}`),
          },
        },
        ({ kind, id }) =>
          kind === 'many'
            ? [
                contents(`item:///many/${id}#0`, 'part 0'),
                {
                  ...contents(`item:///many/${id}#1`, 'part 1', { mimeType: 'text/plain' }),
                  _meta: { 'com.example/part': 1 },
                },
              ]
            : `${kind} ${id}`,
      ),
      'item:///exact/{id}': resource({ name: 'exact' }, ({ id }) => `the exact ${id}`),
      'file:///{+path}': resource({ name: 'file' }, ({ path }) => path),
    },
    prompts: {
      review: prompt(
        {
          title: 'Review',
          description: 'Review code',
          input: z.object({
            code: z.string().describe('The code'),
            style: z.string().optional(),
            other: z.string().optional(),
          }),
          complete: {
            style: ['short', 'long'],
            other: (typed) => {
              throw new Error(`SECRETPW ${typed}`);
            },
          },
          icons: [ICON],
          _meta: { 'com.example/kind': 'review' },
        },
        ({ code, style }) => `Review ${style ?? 'normally'}:\n${code}`,
      ),
      talk: prompt({}, () => [
        { role: 'user', content: text('Hi') },
        { role: 'assistant', content: text('Hello') },
        { role: 'user', content: audio(new Uint8Array([1]), 'audio/wav') },
        { role: 'user', content: image(new Uint8Array([251, 255]), 'image/png') },
        { role: 'user', content: embed('suite://embedded', 'text', { mimeType: 'text/plain' }) },
        { role: 'user', content: embed('suite://bytes', new Uint8Array([251, 255]), { mimeType: 'image/png' }) },
        { role: 'assistant', content: link('suite://setting', 'setting') },
      ]),
      blocks: prompt({}, () => [text('a text'), text('a block')]),
      whole: prompt({ description: 'Listed' }, () => ({
        description: 'Given',
        messages: [{ role: 'assistant', content: text('whole') }],
      })),
      broken: prompt({}, () => {
        throw new Error('/etc/SECRETPW');
      }),
      strange: prompt({}, () => [{ role: 'system', content: { type: 'text', text: 'SECRETPW' } }] as never),
      chatty: prompt({}, async (_, ctx) => {
        await ctx.progress({ progress: 1, total: 1, message: 'half' });
        await ctx.log('error', 'from a prompt');
        return 'said';
      }),
      asks: prompt(
        {},
        async (_, ctx) => `Because: ${(await ctx.ask('why', 'Why?', z.object({ reason: z.string() }))).reason}`,
      ),
    },
  });
  return made;
}
