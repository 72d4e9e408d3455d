// The shop with Tenon.

import { prompt, resource, server, text, tool, ToolError } from 'tenon';
import { z } from 'zod';
import { HOURS, stock } from '../stock.ts';

function startingWith(typed: string): string[] {
  return [...stock.keys()].filter((name) => name.startsWith(typed));
}

const article = z.string();

export default server({
  name: 'shop',
  version: '1.0.0',
  instructions: 'Look up the stock before you promise anything.',
  tools: {
    stock: tool(
      {
        description: 'How many of an article there are',
        input: z.object({ article }),
        output: z.object({ count: z.number() }),
        readOnly: true,
      },
      ({ article }) => {
        const count = stock.get(article);
        if (count === undefined)
          throw new ToolError(`There is no ${article}. Articles: ${[...stock.keys()].join(', ')}`);
        return { count };
      },
    ),
    recount: tool({ description: 'Count everything again' }, async (_, ctx) => {
      let progress = 0;
      for (const [article, count] of stock) {
        await ctx.log('info', { article, count });
        await ctx.progress({ progress: ++progress, total: stock.size, message: article });
      }
      return `Counted ${stock.size} articles`;
    }),
    order: tool({ description: 'Order an article', input: z.object({ article }) }, async ({ article }, ctx) => {
      const form = z.object({ count: z.int().min(1) });
      const answer = await ctx.elicit('count', `How many of ${article}?`, form);
      return answer.action === 'accept' ? `Ordered ${answer.content.count} of ${article}` : 'Ordered nothing';
    }),
    slogan: tool({ description: 'Advertise an article', input: z.object({ article }) }, async ({ article }, ctx) => {
      const { content } = await ctx.sample('slogan', {
        messages: [{ role: 'user', content: text(`A slogan for a ${article}`) }],
        maxTokens: 50,
      });
      const [first] = [content].flat();
      return first?.type === 'text' ? first.text : 'No slogan';
    }),
  },
  resources: {
    'shop://hours': resource({ name: 'hours', mimeType: 'text/plain' }, () => HOURS),
    'article:///{name}': resource(
      {
        name: 'article',
        mimeType: 'application/json',
        list: () => [...stock.keys()].map((name) => ({ uri: `article:///${name}`, name })),
        complete: { name: startingWith },
      },
      ({ name }) => ({ name, count: stock.get(name) }),
    ),
  },
  prompts: {
    offer: prompt(
      { input: z.object({ article }), complete: { article: startingWith } },
      ({ article }) => `Write an offer for a ${article}.`,
    ),
  },
});
