import { server, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { z } from 'zod';
import { description, others, ready, sessions, STEPS } from '../../tools.mjs';

const input = z.object({ text: z.string() });
const app = server({
  name: 'tenon',
  version: '1',
  tools: {
    echo: tool({ description, input }, ({ text }) => text),
    steps: tool({ description }, (_, ctx) => {
      for (let step = 1; step <= STEPS; step++) ctx.progress({ progress: step, total: STEPS });
      return 'done';
    }),
    ...Object.fromEntries(others.map((name) => [name, tool({ description, input }, ({ text }) => text)])),
  },
});
const { url } = await serveHttp(app, { port: 0, sessions, signals: false });
ready(Number(new URL(url).port));
