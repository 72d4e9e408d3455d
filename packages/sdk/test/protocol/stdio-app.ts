import { once } from 'node:events';
// A server in its own process that also has other work.
import { prompt, server, text, tool } from '../../src/entries/index.ts';

export function stdioApp() {
  // Like a database driver, a cache or a scheduler: keeps the process alive.
  setInterval(() => {}, 60_000);
  const unusual: readonly unknown[] = [
    Object.create(null),
    Object.defineProperty({}, 'message', { get: () => missing() }),
    { toString: () => missing(), [Symbol.toPrimitive]: () => missing() },
    new Proxy({}, { get: () => missing(), getPrototypeOf: () => missing(), ownKeys: () => missing() }),
    Symbol('odd'),
    undefined,
    `SECRETPW${'x'.repeat(10_000_000)}`,
  ];
  return server({
    name: 'stdio',
    tools: {
      echo: tool({ input: { type: 'object' }, output: { type: 'object' } }, (value) => value),
      wait: tool({ input: { type: 'object' } }, async ({ ms }) => {
        await new Promise((resolve) => setTimeout(resolve, Number(ms)));
        return 'waited';
      }),
      // Continues regardless. `after: 'cancel'`: after it has been cancelled.
      stubborn: tool({ input: { type: 'object' } }, async ({ after }, ctx) => {
        await ctx.progress({ progress: 1 });
        if (after === 'cancel') await once(ctx.signal, 'abort');
        await ctx.progress({ progress: 2 });
        await ctx.log('error', 'still here');
        console.error('stubborn is done');
        return 'an answer that is not sent';
      }),
      // Tells another system that the work is no longer wanted.
      cleanUp: tool({}, async (_, ctx) => {
        await once(ctx.signal, 'abort');
        await new Promise((resolve) => setTimeout(resolve, 20));
        console.error('cleaned up');
        return 'an answer that is not sent';
      }),
      print: tool({}, () => {
        console.log('printed by a handler');
        console.info('{"jsonrpc":"2.0","id":1,"result":{}}');
        console.table([{ a: 1 }]);
        process.stdout.write('written without a newline');
        return 'printed';
      }),
      ask: tool({}, async (_, ctx) =>
        JSON.stringify(await ctx.ask('ok', 'OK?', { type: 'object', properties: { ok: { type: 'boolean' } } })),
      ),
      throws: tool({ input: { type: 'object' } }, ({ at }) => {
        throw unusual[Number(at)];
      }),
      credential: tool({}, () => process.env['SERVICE_TOKEN'] ?? 'none'),
      big: tool({ input: { type: 'object' } }, ({ size }) => text('z'.repeat(Number(size)))),
    },
    prompts: { plain: prompt({}, () => 'plain') },
  });
}

function missing(): never {
  throw new Error('SECRETPW');
}
