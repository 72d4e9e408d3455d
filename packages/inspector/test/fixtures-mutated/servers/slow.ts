// Takes three seconds for every answer; its first argument is another number of milliseconds.
import process from 'node:process';
import { notify, serveRaw, text, toolMethods, usual, wait } from '../raw.ts';

const ms = Number(process.argv[2] ?? 3_000);

const tools = [
  { name: 'wait', description: 'Answers late', run: () => text('Done') },
  {
    name: 'progress',
    description: 'Tells how far it is, in as many steps',
    inputSchema: { type: 'object', properties: { steps: { type: 'integer', minimum: 1, maximum: 100, default: 3 } } },
    async run({ steps = 3 }: { steps?: number }, { params }: { params: { _meta?: { progressToken?: unknown } } }) {
      const { progressToken } = params._meta ?? {};
      for (let step = 1; step <= steps; step++) {
        await wait(ms / steps);
        if (progressToken !== undefined)
          await notify('notifications/progress', {
            progressToken,
            progress: step,
            total: steps,
            message: `Step ${step} of ${steps}`,
          });
      }
      return text(`${steps} steps`);
    },
  },
];

serveRaw([...usual({ info: { name: 'slow', version: '1.0.0' } }), ...toolMethods(tools)], { before: () => wait(ms) });
