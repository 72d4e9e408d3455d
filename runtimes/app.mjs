// The server that every runtime serves.
import { server, tool } from 'tenon';
import { z } from 'zod';

export const app = server({
  name: 'runtimes',
  version: '1.0.0',
  tools: {
    add: tool(
      { input: z.object({ a: z.number(), b: z.number() }), output: z.object({ sum: z.number() }), readOnly: true },
      ({ a, b }) => ({ sum: a + b }),
    ),
    plain: tool(
      { input: { type: 'object', properties: { text: { type: 'string', maxLength: 5 } }, required: ['text'] } },
      ({ text }) => `plain ${text}`,
    ),
    ask: tool({}, async (_, ctx) => {
      const { name } = await ctx.ask('name', 'Your name?', z.object({ name: z.string() }));
      return `Hello, ${name}`;
    }),
    steps: tool({}, async (_, ctx) => {
      for (let step = 1; step <= 3; step++) await ctx.progress({ progress: step, total: 3 });
      return 'done';
    }),
    grow: tool({}, () => {
      app.tools.set(
        'grown',
        tool({}, () => 'new'),
      );
      return 'grown';
    }),
    shrink: tool({}, () => {
      app.tools.delete('grown');
      return 'shrunk';
    }),
  },
});
