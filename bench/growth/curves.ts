// What must cost the same for each unit, however many there are.
import { startProgram } from '../measured.ts';
import { LEGACY } from '../messages.ts';
import { type Heard, Talk } from './talk.ts';

export interface Curve {
  readonly title: string;
  /** Sizes at which it is measured. */
  readonly sizes: readonly number[];
  /** Costs of a unit at a size, by what they are costs of; with `heap` in the name they are bytes, else microseconds. */
  measure(size: number, node: string): Promise<Readonly<Record<string, number>>>;
}

const CALLS = 3_000;
/** So many of a thing are made before any is measured: the runtime has compiled what makes them, and what all of them share is there. */
const WARM = 300;
const FIRST = 10;

async function withServer<T>(node: string, tools: number, work: (talk: Talk) => Promise<T>): Promise<T> {
  const talk = await Talk.start(node, tools);
  try {
    return await work(talk);
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${talk.server.errors()}`, { cause: error });
  } finally {
    talk.close();
  }
}

async function repeat(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  for (let index = 0; index < count; index++) await work(index);
}

/** What a few cost is lost in the noise of everything else that a program does. */
function ofMany(size: number, costs: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return size < 100 ? {} : costs;
}

const echo = { name: 'echo', arguments: { text: 'hello world' } };

/** What a call costs, once the server is warm. */
async function callCost(talk: Talk): Promise<number> {
  await repeat(CALLS, () => talk.ask('tools/call', echo));
  return (await talk.cost(() => repeat(CALLS, () => talk.ask('tools/call', echo)))) / CALLS;
}

const tools: Curve = {
  title: 'tools of a server',
  sizes: [10, 100, 1_000, 10_000],
  measure: async (size, node) => {
    const bare = await withServer(node, FIRST, async ({ server }) => ({
      cpu: await server.cpu(),
      heap: await server.heap(),
    }));
    return await withServer(node, size + FIRST, async (talk) => {
      const started = (await talk.server.cpu()) - bare.cpu;
      const heap = (await talk.server.heap()) - bare.heap;
      const lists = Math.max(Math.ceil(20_000 / size), 10);
      const list = async (): Promise<void> => {
        const { tools } = await talk.ask('tools/list', {});
        if ((tools as unknown[]).length !== size + FIRST) throw new Error('The list is not complete');
      };
      const first = await talk.cost(list);
      await repeat(lists, list);
      return {
        ...ofMany(size, { 'start, a tool': started / size, 'heap, a tool': heap / size }),
        'first list, a tool': first / size,
        'list, a tool': (await talk.cost(() => repeat(lists, list))) / lists / size,
        'call of one tool': await callCost(talk),
      };
    });
  },
};

const sessions: Curve = {
  title: 'sessions',
  sizes: [100, 1_000, 10_000],
  measure: (size, node) =>
    withServer(node, 10, async (talk) => {
      await repeat(WARM, () => talk.begin());
      const before = await talk.server.heap();
      const began = await talk.cost(() => repeat(size, () => talk.begin()));
      const heap = (await talk.server.heap()) - before;
      return {
        'begin, a session': began / size,
        'heap, a session': heap / size,
        'call of one session': await callCost(talk),
      };
    }),
};

/** Opens streams, changes the list of tools, and waits until every stream has heard of it. `own` messages come when one is opened. */
function streams(title: string, own: number, request: (talk: Talk) => Promise<Buffer>): Curve {
  return {
    title,
    sizes: [10, 100, 1_000],
    measure: (size, node) =>
      withServer(node, 10, async (talk) => {
        const all: Heard[] = [];
        const add = async (): Promise<void> => {
          const heard = await talk.stream(await request(talk), 'notifications/');
          await heard.times(own);
          all.push(heard);
        };
        await repeat(WARM, add);
        for (const heard of all.splice(FIRST)) heard.close();
        await callCost(talk);
        const before = await talk.server.heap();
        const opened = await talk.cost(() => repeat(size, add));
        const heap = (await talk.server.heap()) - before;
        const changes = 20;
        const change = async (index: number): Promise<void> => {
          await talk.ask('tools/call', { name: 'change', arguments: {} });
          await Promise.all(all.map((heard) => heard.times(own + index + 1)));
        };
        const told = await talk.cost(() => repeat(changes, change));
        for (const heard of all) heard.close();
        return {
          'open, a stream': opened / size,
          ...ofMany(size, { 'heap, a stream': heap / size }),
          'change, a stream': told / changes / all.length,
        };
      }),
  };
}

const listens = streams('open streams, 2026-07-28', 1, async (talk) =>
  talk.bytes('subscriptions/listen', { notifications: { toolsListChanged: true } }),
);
const gets = streams('open streams of sessions', 0, async (talk) => {
  const session = await talk.begin();
  const fields = [`host: 127.0.0.1:${talk.port}`, 'accept: text/event-stream', `mcp-session-id: ${session}`];
  return Buffer.from(['GET /mcp HTTP/1.1', ...fields, `mcp-protocol-version: ${LEGACY}`, '', ''].join('\r\n'));
});

const subscriptions: Curve = {
  title: 'resources that a session watches',
  sizes: [10, 100, 1_000, 10_000],
  measure: (size, node) =>
    withServer(node, 10, async (talk) => {
      const session = await talk.begin();
      const watch = (index: number): Promise<unknown> =>
        talk.ask('resources/subscribe', { uri: `item:///${index}` }, session);
      const other = await talk.begin();
      await repeat(WARM, (index) => talk.ask('resources/subscribe', { uri: `item:///other-${index}` }, other));
      const before = await talk.server.heap();
      const added = await talk.cost(() => repeat(size, watch));
      const heap = (await talk.server.heap()) - before;
      const changes = 500;
      const change = (index: number): Promise<unknown> =>
        talk.ask('tools/call', { name: 'change', arguments: { uri: `item:///${index % size}` } });
      await repeat(changes, change);
      const told = await talk.cost(() => repeat(changes, change));
      return {
        'add, a watch': added / size,
        ...ofMany(size, { 'heap, a watch': heap / size }),
        'change of one resource': told / changes,
      };
    }),
};

const watches: Curve = {
  title: 'resources that a client watches, 2026-07-28',
  sizes: [10, 100, 1_000],
  measure: (size, node) =>
    withServer(node, 10, async (talk) => {
      const env = { SERVER: JSON.stringify({ port: talk.port }) };
      const client = startProgram('clients/watches', { node, env });
      try {
        await client.line();
        const add = async (calls: number): Promise<void> => {
          const done = client.line();
          client.stdin.write(`${JSON.stringify({ calls })}\n`);
          await done;
        };
        await add(FIRST);
        const before = await client.cpu();
        const server = await talk.cost(() => add(size));
        return {
          'add, a watch, in the server': server / size,
          'add, a watch, in the client': ((await client.cpu()) - before) / size,
        };
      } finally {
        client.kill();
      }
    }),
};

const payload: Curve = {
  title: 'KB of an argument and of its result',
  sizes: [1, 10, 100, 1_000, 3_000],
  measure: (size, node) =>
    withServer(node, 10, async (talk) => {
      const text = `${'payload '.repeat(8).slice(0, 63)}\n`.repeat(size * 16);
      const call = async (): Promise<void> => {
        const { content } = await talk.ask('tools/call', { name: 'echo', arguments: { text } });
        if ((content as { text: string }[])[0]?.text !== text) throw new Error('The text came back changed');
      };
      const calls = Math.max(Math.ceil(CALLS / size), 20);
      await callCost(talk);
      await repeat(calls, call);
      return { 'call, a KB': (await talk.cost(() => repeat(calls, call))) / calls / size };
    }),
};

function progress(title: string, inSession: boolean): Curve {
  return {
    title,
    sizes: [10_000, 50_000, 200_000],
    measure: (size, node) =>
      withServer(node, 10, async (talk) => {
        const session = inSession ? await talk.begin() : undefined;
        const run = async (count: number): Promise<void> => {
          const call = { name: 'steps', arguments: { count }, _meta: { progressToken: 'p' } };
          const heard = await talk.stream(talk.bytes('tools/call', call, session), '"progress":');
          await heard.times(count);
          heard.close();
        };
        await run(5_000);
        return { 'call, an event': (await talk.cost(() => run(size))) / size };
      }),
  };
}

export const curves: readonly Curve[] = [
  tools,
  sessions,
  gets,
  listens,
  subscriptions,
  watches,
  payload,
  progress('progress events of one call, in a session', true),
  progress('progress events of one call, 2026-07-28', false),
];
