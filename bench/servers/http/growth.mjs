// The server whose growth is measured. Its bounds are out of the way: what is measured is the cost of each thing, not how many it allows.
import { resource, server, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { z } from 'zod';
import { description, others, ready } from '../../tools.mjs';

const MANY = 100_000;
const input = z.object({ text: z.string() });
const app = server({
  name: 'growth',
  version: '1',
  pageSize: MANY,
  tools: {
    echo: tool({ description, input }, ({ text }) => text),
    steps: tool({ input: z.object({ count: z.number() }) }, async ({ count }, ctx) => {
      for (let step = 1; step <= count; step++) await ctx.progress({ progress: step, total: count });
      return 'done';
    }),
    change: tool({ input: z.object({ uri: z.string().optional() }) }, ({ uri }) => {
      if (uri !== undefined) app.changed(uri);
      else if (!app.tools.delete('more'))
        app.tools.set(
          'more',
          tool({ description }, () => 'more'),
        );
      return 'done';
    }),
    ...Object.fromEntries(others.map((name) => [name, tool({ description, input }, ({ text }) => text)])),
  },
  resources: { 'item:///{id}': resource({ name: 'item' }, ({ id }) => id) },
});
const limits = {
  calls: MANY,
  callsPerPrincipal: MANY,
  sessions: MANY,
  sessionsPerPrincipal: MANY,
  subscriptions: MANY,
  subscriptionUris: MANY,
  bodyBytes: 64 * 1024 * 1024,
  requestMs: 600_000,
};
const { url } = await serveHttp(app, { port: 0, signals: false, connections: MANY, limits });
ready(Number(new URL(url).port));
