import { resource, server, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { z } from 'zod';
import { BIG, description, others, page, ready, sessions, STEPS } from '../../tools.mjs';

const input = z.object({ text: z.string() });
const app = server({
  name: 'tenon',
  version: '1',
  tools: {
    echo: tool({ description, input }, ({ text }) => text),
    steps: tool({ description }, async (_, ctx) => {
      for (let step = 1; step <= STEPS; step++) await ctx.progress({ progress: step, total: STEPS });
      return 'done';
    }),
    big: tool({ description }, () => BIG),
    ...Object.fromEntries(others.map((name) => [name, tool({ description, input }, ({ text }) => text)])),
  },
  resources: { [page.uri]: resource({ name: page.name, mimeType: page.mimeType }, () => page.text) },
});
const { url } = await serveHttp(app, { port: 0, sessions, signals: false });
ready(Number(new URL(url).port));
