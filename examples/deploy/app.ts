// The server that this folder deploys. Replace it with your own.
import { once } from 'node:events';
import { resource, server, tool } from 'tenon';
import { z } from 'zod';

/** What clients can watch. */
export const NEWS = 'news://latest';

let latest = 'nothing yet';

export const app = server({
  name: 'newsroom',
  version: '1.0.0',
  resources: { [NEWS]: resource({ name: 'latest' }, () => latest) },
  tools: {
    count: tool(
      { description: 'Count the words of a text', input: z.object({ text: z.string() }), readOnly: true },
      ({ text }) => `${text.split(/\s+/).filter(Boolean).length} words`,
    ),
    publish: tool(
      {
        description: 'Publish a headline, after its author has confirmed it',
        input: z.object({ headline: z.string() }),
      },
      async ({ headline }, ctx) => {
        const { sure } = await ctx.ask('sure', `Publish "${headline}"?`, z.object({ sure: z.boolean() }));
        if (!sure) return 'Not published';
        latest = headline;
        app.changed(NEWS);
        return `Published: ${headline}`;
      },
    ),
    follow: tool({ description: 'Report progress until the call is cancelled', readOnly: true }, async (_, ctx) => {
      await ctx.progress({ progress: 1 });
      if (!ctx.signal.aborted) await once(ctx.signal, 'abort');
      return 'ended';
    }),
  },
});
