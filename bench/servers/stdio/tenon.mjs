import { server, tool } from 'tenon';
import { serveStdio } from 'tenon/node';
import { z } from 'zod';
import { BIG } from '../../tools.mjs';

await serveStdio(
  server({
    name: 'tenon',
    version: '1',
    tools: {
      echo: tool({ input: z.object({ text: z.string() }) }, ({ text }) => text),
      big: tool({}, () => BIG),
    },
  }),
);
