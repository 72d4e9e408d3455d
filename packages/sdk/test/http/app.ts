import { z } from 'zod';
import { server, tool, resource, ToolError } from '../../src/entries/index.ts';

/** The server of these tests. It counts its calls. */
export function makeApp() {
  const counts = new Map<string, number>();
  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  const gates = new Map<string, () => void>();
  const app = server({
    name: 'stage',
    version: '1.0.0',
    tools: {
      echo: tool({ input: z.object({ v: z.any() }), readOnly: true }, ({ v }) => {
        count('echo');
        return JSON.stringify(v) ?? '';
      }),
      add: tool({ input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => {
        count('add');
        return `${a + b}`;
      }),
      slow: tool({ input: z.object({ ms: z.number() }) }, async ({ ms }, ctx) => {
        count('slow');
        ctx.signal.addEventListener('abort', () => count('slow-aborted'));
        await new Promise((resolve) => setTimeout(resolve, ms));
        return 'slept';
      }),
      /** Runs until the test releases it, or until it is cancelled. */
      gate: tool(
        { input: z.object({ name: z.string(), progress: z.number().default(0) }) },
        async ({ name, progress }, ctx) => {
          count('gate');
          for (let n = 1; n <= progress; n++) ctx.progress({ progress: n, total: progress });
          await new Promise<void>((resolve) => {
            gates.set(name, resolve);
            ctx.signal.addEventListener('abort', () => {
              count('gate-aborted');
              resolve();
            });
          });
          return `through ${name}`;
        },
      ),
      steps: tool({ input: z.object({ n: z.number() }) }, async ({ n }, ctx) => {
        for (let step = 1; step <= n; step++) {
          ctx.progress({ progress: step, total: n });
          await new Promise((resolve) => setImmediate(resolve));
        }
        return `${n} steps`;
      }),
      say: tool({ input: z.object({ level: z.enum(['debug', 'info', 'error']) }) }, ({ level }, ctx) => {
        ctx.log(level, 'said');
        return 'said it';
      }),
      /** Sends messages after its call: a log message, a question, and a log message with the answer. */
      later: tool({ input: z.object({ times: z.number().default(1) }) }, ({ times }, { session }) => {
        session!.signal.addEventListener('abort', () => count('session-ended'));
        setImmediate(async () => {
          for (let time = 1; time <= times; time++) await session!.log('warning', `later ${time}`);
          if (session!.client.can('elicitation'))
            await session!.log('warning', await session!.ask('word', 'Which?', z.object({ word: z.string() })));
        });
        return 'now';
      }),
      boom: tool({}, () => {
        throw new Error('postgres://u:SECRETPW@db/x');
      }),
      no: tool({}, () => {
        throw new ToolError('No.');
      }),
      ask: tool({ input: z.object({ topic: z.string().optional() }) }, async (_, ctx) => {
        const { name } = await ctx.ask('who', 'Who are you?', z.object({ name: z.string() }));
        return `Hello, ${name}`;
      }),
      who: tool({}, (_, ctx) => ctx.principal?.id ?? 'nobody'),
      route: tool(
        {
          input: {
            type: 'object',
            properties: {
              region: { type: 'string', 'x-mcp-header': 'Region' },
              count: { type: 'integer', 'x-mcp-header': 'Count' },
              dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
              q: { type: 'string' },
            },
          },
        },
        (args) => {
          count('route');
          return JSON.stringify(args);
        },
      ),
      change: tool({}, () => {
        app.tools.set(
          'extra',
          tool({}, () => 'extra'),
        );
        return 'changed';
      }),
      touch: tool({ input: z.object({ uri: z.string() }) }, ({ uri }) => {
        app.changed(uri);
        return 'touched';
      }),
      /** Waits for each report, as handlers do that send no more than the client reads. */
      awaiting: tool({ input: z.object({ count: z.number() }) }, async ({ count }, ctx) => {
        for (let progress = 1; progress <= count; progress++) await ctx.progress({ progress, total: count });
        return 'done';
      }),
      /** Sends a lot within one turn, without waiting. */
      flood: tool({ input: z.object({ bytes: z.number() }) }, ({ bytes }, ctx) => {
        for (let said = 0, n = 1; said < bytes; said += 10_000, n++) {
          ctx.log('info', 'x'.repeat(10_000));
          ctx.progress({ progress: n, message: 'y'.repeat(100) });
        }
        return 'said it all';
      }),
      big: tool({ input: z.object({ bytes: z.number() }) }, ({ bytes }) => {
        count('big');
        return 'x'.repeat(bytes);
      }),
    },
    resources: {
      'note://a': resource({ name: 'a' }, () => 'A'),
      'note://b': resource({ name: 'b' }, () => 'B'),
    },
  });
  return { app, counts, open: (name: string) => gates.get(name)?.(), waiting: (name: string) => gates.has(name) };
}
