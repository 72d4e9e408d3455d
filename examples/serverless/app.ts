// The server that the examples in this folder serve. Replace it with your own.
import { server, tool } from 'tenon';
import { z } from 'zod';

export const app = server({
  name: 'greeter',
  version: '1.0.0',
  tools: {
    greet: tool({ description: 'Greet the user by name' }, async (_, ctx) => {
      await ctx.progress({ progress: 1, total: 2 });
      const { name } = await ctx.ask('name', 'What is your name?', z.object({ name: z.string() }));
      return `Hello, ${name}!`;
    }),
    add: tool(
      { description: 'Add two numbers', input: z.object({ a: z.number(), b: z.number() }), readOnly: true },
      ({ a, b }) => `${a + b}`,
    ),
  },
});
