// Messages of servers: each member of each message in the correct conversations, wrong in each way.
import { setImmediate as turn } from 'node:timers/promises';
import { type Client, connect, type ConnectOptions } from '../../src/entries/client.ts';
import { formProblem } from '../../src/entries/forms.ts';
import { type FakeClock, fakeClock } from '../../src/testing/fake-clock.ts';
import type { Revision } from '../oracle/oracle.ts';
import { corpusOf, goodAnswer } from './corpus.ts';
import { httpPeer, memoryPeer, type Peer } from './peers.ts';
import { endedFor, type Report, settled, watchedLog } from './report.ts';
import { type Json, mutantsOf, WRONG_VALUES } from './values.ts';

/** How a client requests each method. */
const ASKS: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  ping: (client) => client.ping(),
  'tools/list': (client) => client.tools({ fresh: true }).all(),
  'resources/list': (client) => client.resources({ fresh: true }).all(),
  'resources/templates/list': (client) => client.templates({ fresh: true }).all(),
  'prompts/list': (client) => client.prompts({ fresh: true }).all(),
  'tools/call': (client) => client.call('forecast', { city: 'Oslo' }, { onProgress() {} }),
  'prompts/get': (client) => client.prompt('review', { code: 'x' }),
  'resources/read': (client) => client.read('file:///a.txt', { fresh: true }),
  'completion/complete': (client) => client.complete({ prompt: 'review' }, { argument: 'code', value: 'a' }),
  'logging/setLevel': (client) => client.setLogLevel('warning'),
  'resources/subscribe': watchOnce,
  'resources/unsubscribe': watchOnce,
  'subscriptions/listen': watchOnce,
};

/** Methods that a client requests by connecting. */
const HANDSHAKE: ReadonlySet<string> = new Set(['initialize', 'server/discover']);

async function watchOnce(client: Client): Promise<void> {
  const watch = client.watch({ uri: 'file:///a.txt' });
  try {
    await watch.ready;
  } finally {
    watch.close();
  }
}

const OPTIONS: ConnectOptions = {
  elicit: {
    handler(question) {
      if (question.mode === 'url') return { action: 'accept' };
      const content = { text: 'a@b.c' };
      return formProblem(question, content) === undefined ? { action: 'accept', content } : { action: 'decline' };
    },
    url: true,
  },
  sample: {
    handler: () => ({ role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm' }),
    tools: true,
    context: true,
  },
  roots: ['file:///home'],
  onLog() {},
  onNotification() {},
  onTrace() {},
};

/** Lets time pass until something has ended. */
async function inTime<T>(clock: FakeClock, promise: Promise<T>): Promise<T> {
  const state = { over: false };
  const end = (): void => void (state.over = true);
  promise.then(end, end);
  for (let turns = 0; !state.over; turns++) {
    await turn();
    if (turns > 20) clock.tick(61_000);
  }
  return promise;
}

export function messagesOfServers(revision: Revision, transport: 'memory' | 'http') {
  return async (report: Report): Promise<void> => {
    const corpus = corpusOf(revision);
    const { log, fault } = watchedLog();
    const clock = fakeClock();
    const eras = { get: () => (revision === '2026-07-28' ? undefined : ('legacy' as const)), set() {}, delete() {} };
    let client!: Client;
    let peer!: Peer;
    /** Answers the next request of a method. */
    let told: { readonly method: string; readonly answer: Json } | undefined;
    const begin = async (): Promise<void> => {
      peer = (transport === 'memory' ? memoryPeer : httpPeer)((request) => {
        if (told?.method !== request.method) return goodAnswer(corpus, request);
        const { answer } = told;
        told = undefined;
        return answer;
      });
      client = await inTime(clock, connect(peer.target as string, { ...OPTIONS, ...peer.options, eras, clock, log }));
      client.watch({ uri: 'file:///a.txt' }).ready.catch(() => {});
    };
    /** The client is usable, or it is closed with a reason. */
    const well = async (): Promise<void> => {
      told = undefined;
      const closed = await Promise.race([client.closed, turn('open' as const)]);
      fault();
      if (closed === 'open') return void (await inTime(clock, client.call('forecast', { city: 'Oslo' })));
      await begin();
      return endedFor(closed);
    };
    const answered = async (method: string, answer: Json): Promise<void> => {
      told = { method, answer };
      if (!HANDSHAKE.has(method)) {
        await settled(inTime(clock, ASKS[method]!(client)));
        return well();
      }
      // However a handshake ends, the next one succeeds.
      await inTime(clock, client.close());
      await settled(begin());
      told = undefined;
      await inTime(clock, client.close());
      return begin();
    };

    const memory = transport === 'memory';
    const levels = memory ? 2 : 1;
    const answerMutants = mutantsOf({ levels, deep: false });
    // Forms are checked at more levels, because they determine how the answers of users are validated.
    const mutants = mutantsOf({ levels, deep: false });
    const deepMutants = mutantsOf({ levels, deep: memory });
    const name = `${transport}, ${revision}`;
    await begin();
    for (const { method, answer } of corpus.asked.filter(({ method }) => HANDSHAKE.has(method) || method in ASKS))
      for (const { where, kind, message } of answerMutants(answer))
        await report.check(`${name}, answer to ${method}: ${where} is ${kind}`, () => answered(method, message));
    const said = [...corpus.askedBack.map(({ request }) => request), ...corpus.notesOfServer];
    for (const one of said)
      for (const { where, kind, message } of (one['method'] === 'elicitation/create' ? deepMutants : mutants)(one))
        await report.check(`${name}, ${String(one['method'])}: ${where} is ${kind}`, async () => {
          peer.send(message);
          await well();
        });
    // Listed values are sent back to the server: as a name in a header, as a URI, as a cursor.
    for (const [kind, value] of WRONG_VALUES)
      for (const [what, method, members, use] of LISTED)
        await report.check(`${name}, listed: ${what} is ${kind}`, async () => {
          const { answer } = corpus.asked.find((one) => one.method === method)!;
          told = { method, answer: { ...answer, result: { ...(answer['result'] as Json), ...members(value) } } };
          await settled(inTime(clock, use(client, value)));
          await well();
        });
    await inTime(clock, client.close());
  };
}

type Listed = readonly [
  what: string,
  method: string,
  members: (value: unknown) => Json,
  use: (client: Client, value: unknown) => Promise<unknown>,
];

/** The values of lists that are sent back. */
const LISTED: readonly Listed[] = [
  [
    'the name of a tool',
    'tools/list',
    (name) => ({ tools: [{ name, inputSchema: {} }] }),
    async (client) => {
      for await (const { name } of client.tools({ fresh: true })) await client.call(name);
    },
  ],
  [
    'a header that a tool wants',
    'tools/list',
    (header) => ({ tools: [mirroring({ type: 'string', 'x-mcp-header': header })] }),
    async (client) => {
      for await (const { name } of client.tools({ fresh: true })) await client.call(name, { city: 'Oslo' });
    },
  ],
  [
    'the type of an argument that a tool mirrors in a header',
    'tools/list',
    (type) => ({ tools: [mirroring({ type, 'x-mcp-header': 'City' })] }),
    async (client) => {
      for await (const { name } of client.tools({ fresh: true })) await client.call(name, { city: 'Oslo' });
    },
  ],
  [
    'an argument that a tool wants in a header',
    'tools/list',
    () => ({ tools: [mirroring({ type: 'string', 'x-mcp-header': 'City' })] }),
    async (client, city) => {
      for await (const { name } of client.tools({ fresh: true }))
        await client.call(name, { city }).catch((error: unknown) => {
          // A number that no header can repeat exactly is the caller's mistake.
          if (!(error instanceof RangeError)) throw error;
        });
    },
  ],
  [
    'the URI of a resource',
    'resources/list',
    (uri) => ({ resources: [{ uri, name: 'a' }] }),
    async (client) => {
      for await (const { uri } of client.resources({ fresh: true })) await client.read(uri);
    },
  ],
  [
    'the name of a prompt',
    'prompts/list',
    (name) => ({ prompts: [{ name }] }),
    async (client) => {
      for await (const { name } of client.prompts({ fresh: true })) await client.prompt(name);
    },
  ],
  ['a cursor', 'tools/list', (nextCursor) => ({ nextCursor }), (client) => client.tools({ fresh: true }).all()],
];

function mirroring(city: Json): Json {
  return {
    name: 'forecast',
    inputSchema: { type: 'object', properties: { city } },
  };
}
