// The server that is told wrong things: it has what the correct conversations ask for.
import { z } from 'zod';
import { prompt, resource, server, tool } from '../../src/entries/index.ts';

export const app = server({
  name: 'untrusting',
  version: '1',
  tools: {
    forecast: tool({ input: z.object({ city: z.string() }) }, async ({ city }, ctx) => {
      await ctx.progress({ progress: 1, total: 2 });
      await ctx.log('info', 'asked');
      return city;
    }),
    /** Asks for everything there is to ask for. */
    ask: tool({}, async (_, ctx) => {
      const who = await ctx.elicit('who', 'Who are you?', z.object({ name: z.string().optional() }));
      const where = await ctx.visit('where', 'Sign in', 'https://example.com/in');
      const model = await ctx.sample('model', { messages: [], maxTokens: 1 });
      const roots = await ctx.roots('roots');
      return JSON.stringify([who, where, model, roots]);
    }),
    /** Repeats its arguments in headers. */
    route: tool(
      {
        input: {
          type: 'object',
          properties: {
            region: { type: 'string', 'x-mcp-header': 'Region' },
            count: { type: 'integer', 'x-mcp-header': 'Count' },
          },
        },
      },
      (args) => JSON.stringify(args),
    ),
  },
  prompts: {
    review: prompt({ input: z.object({ code: z.string() }), complete: { code: () => ['a', 'b'] } }, ({ code }) => code),
  },
  resources: {
    'file:///a.txt': resource({ name: 'a' }, () => 'a'),
    'file:///b/{+path}': resource({ name: 'file', complete: { path: () => ['x'] } }, (uri) => String(uri)),
  },
});
