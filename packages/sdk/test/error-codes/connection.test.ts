// Connections that cannot be made or that end, and requests without a result.
import { z } from 'zod';
import { connect, type ConnectOptions } from '../../src/entries/client.ts';
import { server, tool } from '../../src/entries/index.ts';
import { agreesOn, connectScripted, fakeClock, memoryPair, scriptedPeer } from '../../src/entries/testing.ts';
import type { Script } from '../../src/testing/scripted-peer.ts';
import { provoke } from '../../../../scripts/lib/error-codes.ts';
import type { ErrorCode } from '../../src/protocol/error-codes.ts';

/** An era memory that remembers nothing, so that tests do not affect each other. */
const eras = { get: () => undefined, set() {}, delete() {} };

const ADDRESS = 'https://mcp.example.com/mcp';
const capabilities = { tools: { listChanged: true } };
const hello = server({ name: 'hello', version: '1', tools: { hello: tool({}, () => 'Hello') } });

/** A client of a scripted server. */
async function scripted(revision: '2025-11-25' | '2026-07-28', script: Script, options: ConnectOptions = {}) {
  const { client } = await connectScripted(
    { ...agreesOn(revision, { capabilities }), ...script },
    { eras, ...options },
  );
  return client;
}

/** A client of a web server that answers all requests in the same way. */
function web(answer: () => Response) {
  return connect(ADDRESS, { eras, fetch: () => Promise.resolve(answer()) });
}

/** A client of a web server with sessions that answers calls with the given function. */
function sessions(answerCall: () => Response) {
  const fetch: typeof globalThis.fetch = async (_, init) => {
    if (init?.method !== 'POST') return new Response('', { status: 405 });
    const { id, method } = JSON.parse(String(init.body)) as { id?: number; method: string };
    if (method === 'tools/call') return answerCall();
    if (id === undefined) return new Response(null, { status: 202 });
    const result = agreesOn('2025-11-25', { capabilities })[method];
    return Response.json({ jsonrpc: '2.0', id, result }, { headers: { 'mcp-session-id': 's' } });
  };
  return connect(ADDRESS, { eras, fetch, revision: '2025-11-25' });
}

/** A client of a server to which the first connection succeeds, and the next ones are as given. */
async function reopening(
  again: (clock: ReturnType<typeof fakeClock>) => ReturnType<typeof memoryPair>[0] | Promise<never>,
) {
  const clock = fakeClock();
  const peers: ReturnType<typeof scriptedPeer>[] = [];
  const client = await connect(
    {
      open() {
        if (peers.length > 0) return again(clock);
        const [near, far] = memoryPair();
        peers.push(scriptedPeer(far, agreesOn('2025-11-25', { capabilities })));
        return near;
      },
    },
    { eras, clock },
  );
  await peers[0]!.close();
  await clock.advance(0);
  return { client, clock };
}

provoke<ErrorCode<'ConnectionError'>>('ConnectionError', {
  closed: async () => {
    const client = await connect(hello, { eras });
    await client.close();
    await client.call('hello');
  },
  disconnected: async () => {
    const client = await scripted('2025-11-25', { 'tools/call': (_, peer) => peer.close() });
    await client.call('hello');
  },
  unreachable: () => connect({ command: 'tenon-no-such-program' }, { eras }),
  unauthorized: () => web(() => new Response('', { status: 401 })),
  'http-status': () => web(() => new Response('', { status: 500 })),
  'session-lost': async () => {
    const client = await sessions(() => new Response('', { status: 404 }));
    await client.call('hello');
  },
  'answer-lost': async () => {
    const client = await sessions(() => new Response('', { headers: { 'content-type': 'text/event-stream' } }));
    await client.call('hello');
  },
  'not-mcp': () => web(() => new Response('<html>', { headers: { 'content-type': 'text/html' } })),
  'handshake-refused': () => connectScripted({}, { eras }),
  'unsupported-revision': () => scripted('2025-11-25', {}, { revision: '2026-07-28' }),
  'given-up': async () => {
    const { client, clock } = await reopening(() => Promise.reject(new Error('it cannot be opened')));
    for (let attempt = 0; attempt < 10; attempt++) {
      const ended = client.call('hello').catch(() => {});
      await clock.advance(60_000);
      await ended;
    }
    throw await client.closed;
  },
  'too-late': async () => {
    let asked: Promise<unknown> | undefined;
    let answered!: () => void;
    const afterwards = new Promise<void>((resolve) => (answered = resolve));
    const app = server({
      name: 'late',
      version: '1',
      tools: {
        late: tool({}, (_, ctx) => {
          asked = afterwards.then(() => ctx.elicit('name', 'Your name?', z.object({ name: z.string() })));
          asked.catch(() => {});
          return 'Done';
        }),
      },
    });
    await using client = await connect(app, { eras, revision: '2025-11-25', answers: { name: { name: 'Ann' } } });
    await client.call('late');
    answered();
    await asked;
  },
});

provoke<ErrorCode<'TimeoutError'>>('TimeoutError', {
  'connect-timeout': async () => {
    const { client, clock } = await reopening(() => new Promise(() => {}));
    const calling = client.call('hello', {}, { timeout: 1_000 });
    await Promise.race([calling, clock.advance(60_000)]);
    await calling;
  },
  'request-timeout': async () => {
    const clock = fakeClock();
    const client = await scripted('2025-11-25', { 'tools/call': () => {} }, { clock, timeout: 1_000 });
    const calling = client.call('hello');
    await Promise.race([calling, clock.advance(1_000)]);
    await calling;
  },
  'total-timeout': async () => {
    const clock = fakeClock();
    const waits = { resultType: 'input_required', requestState: 's' };
    const client = await scripted('2026-07-28', { 'tools/call': waits }, { clock });
    const calling = client.call('hello', {}, { maxTimeout: 400 });
    await Promise.race([calling, clock.advance(400)]);
    await calling;
  },
  'watch-timeout': async () => {
    const clock = fakeClock();
    const client = await scripted('2026-07-28', { 'subscriptions/listen': () => {} }, { clock });
    const { ready } = client.watch({ list: 'tools' });
    await Promise.race([ready, clock.advance(600_000)]);
    await ready;
  },
});

const QUESTION = {
  resultType: 'input_required',
  inputRequests: {
    name: {
      method: 'elicitation/create',
      params: { message: 'Name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
    },
  },
};

provoke<ErrorCode<'PeerError'>>('PeerError', {
  'invalid-answer': async () => {
    const client = await scripted('2025-11-25', { 'tools/call': { content: 5 } });
    await client.call('hello');
  },
  'invalid-output': async () => {
    const hello = { name: 'hello', inputSchema: { type: 'object' }, outputSchema: { type: 'object', required: ['a'] } };
    const client = await scripted('2025-11-25', {
      'tools/list': { tools: [hello] },
      'tools/call': { content: [], structuredContent: {} },
    });
    await client.tools().all();
    await client.call('hello');
  },
  'endless-list': async () => {
    const client = await scripted('2025-11-25', { 'tools/list': { tools: [], nextCursor: 'again' } });
    await client.tools().all();
  },
  'endless-questions': async () => {
    const client = await scripted('2026-07-28', { 'tools/call': QUESTION }, { answers: { name: 'decline' } });
    await client.call('hello');
  },
  'forbidden-question': async () => {
    const client = await scripted('2026-07-28', { 'tools/call': QUESTION });
    await client.call('hello');
  },
  'watch-ended': async () => {
    const client = await scripted('2026-07-28', {
      'subscriptions/listen': ({ id }, peer) => peer.notify('notifications/cancelled', { requestId: id }),
    });
    await client.watch({ list: 'tools' }).ready;
  },
});

provoke<ErrorCode<'ToolError'>>('ToolError', {
  'tool-failed': async () => {
    const failing = tool({}, () => {
      throw new Error('it broke');
    });
    await using client = await connect(server({ name: 'failing', version: '1', tools: { failing } }), { eras });
    await client.call('failing');
  },
});
