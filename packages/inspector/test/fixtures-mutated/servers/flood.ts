// Sends more log messages than anybody can read.
import { notify, type RawTool, serveRaw, text, toolMethods, usual, wait } from '../raw.ts';

/** Sends `count` messages: all at once, or so many per second. Gives how long that took, in milliseconds. */
const flood = async (count: number, perSecond = Infinity): Promise<number> => {
  const started = performance.now();
  for (let sent = 0; sent < count;) {
    const due = perSecond === Infinity ? count : ((performance.now() - started) * perSecond) / 1_000;
    for (; sent < Math.min(due, count); sent++)
      await notify('notifications/message', {
        level: 'info',
        logger: 'flood',
        data: { n: sent + 1, message: `Entry ${sent + 1} of ${count}: nothing to see here` },
      });
    if (sent < count) await wait(5);
  }
  return Math.round(performance.now() - started);
};

const positive = { type: 'number', exclusiveMinimum: 0 };

const tools: RawTool[] = [
  {
    name: 'flood',
    description: 'Sends so many log messages in one call: all at once, or so many per second',
    inputSchema: {
      type: 'object',
      properties: { count: { type: 'integer', minimum: 1, maximum: 1_000_000 }, perSecond: positive },
      required: ['count'],
    },
    run: async ({ count, perSecond }) => text(`Sent ${count} messages in ${await flood(count, perSecond)} ms`),
  },
  {
    name: 'sustained',
    description: 'Sends 10,000 log messages per second for 10 seconds',
    inputSchema: {
      type: 'object',
      properties: { perSecond: { ...positive, default: 10_000 }, seconds: { ...positive, maximum: 600, default: 10 } },
    },
    run: async ({ perSecond = 10_000, seconds = 10 }) => {
      const count = Math.round(perSecond * seconds);
      return text(`Sent ${count} messages in ${await flood(count, perSecond)} ms`);
    },
  },
];

const capabilities = { tools: {}, logging: {} };
serveRaw([...usual({ info: { name: 'flood', version: '1.0.0' }, capabilities }), ...toolMethods(tools)]);
