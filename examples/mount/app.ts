// The server that the examples beside this file mount.
import { server, tool } from 'tenon';
import { z } from 'zod';

export const app = server({
  name: 'greeter',
  version: '1.0.0',
  tools: {
    greet: tool({ description: 'Greet the user by name' }, async (_, ctx) => {
      ctx.progress({ progress: 1, total: 2 });
      const { name } = await ctx.ask('name', 'What is your name?', z.object({ name: z.string() }));
      return `Hello, ${name}!`;
    }),
  },
});
