// Loads the modules that a server loads on first use. The first such call waits for files, so other messages could arrive before or
// after its response; a recording starts when everything is loaded.
import { makeApp } from './app.ts';
import type { StdioBuild } from './build.ts';
import { isAnswer, isRequest, type Message, messagesIn, MODERN, paramsIn } from './message.ts';

type Sent = readonly [method: string, params?: object];

const LEGACY_CALLS: readonly Sent[] = [
  [
    'initialize',
    { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: { name: 'w', version: '1' } },
  ],
  ['resources/subscribe', { uri: 'data://setting' }],
  ['logging/setLevel', { level: 'debug' }],
];
const CALLS: readonly Sent[] = [
  ['tools/list'],
  ['tools/list', { cursor: 'nonsense' }],
  ['tools/call', { name: 'strict', arguments: {} }],
  ['tools/call', { name: 'add', arguments: { a: 1, b: 2 } }],
  ['tools/call', { name: 'chatty' }],
  ['tools/call', { name: 'boom' }],
  ['tools/call', { name: 'everything' }],
  ['tools/call', { name: 'ask' }],
  ['tools/call', { name: 'grow', arguments: { name: 'warm' } }],
  ['tools/call', { name: 'touch', arguments: { uri: 'data://setting' } }],
  ['resources/read', { uri: 'item:///a/1' }],
  ['prompts/get', { name: 'review', arguments: { code: 'x' } }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'review' }, argument: { name: 'style', value: 's' } }],
];

/** Sends every call to a separate server in this process, in both eras, and waits for all responses. */
export async function warmUp(build: StdioBuild): Promise<void> {
  await converse(build, false, [...LEGACY_CALLS, ...CALLS]);
  await converse(build, true, CALLS);
}

async function converse(build: StdioBuild, modern: boolean, calls: readonly Sent[]): Promise<void> {
  const queue: string[] = [];
  let over = false;
  let wake = (): void => {};
  let answered: (message: Message) => void = () => {};
  const take = (message: Message): void => {
    // Decline the elicitation, so that the call ends.
    if (isRequest(message)) send({ jsonrpc: '2.0', id: message.id, result: { action: 'decline' } });
    else if (isAnswer(message)) answered(message);
  };
  const send = (message: object): void => {
    queue.push(JSON.stringify(message));
    wake();
  };
  const served = build.tenon.serve(
    makeApp(build),
    {
      send(text) {
        for (const message of messagesIn(text)) take(message as Message);
      },
      incoming: {
        async *[Symbol.asyncIterator]() {
          for (;;) {
            while (queue.length > 0) yield queue.shift()!;
            if (over) return;
            await new Promise<void>((resolve) => (wake = resolve));
          }
        },
      },
      close() {
        over = true;
        wake();
      },
    },
    { log: () => {}, keys: ['a key for the warm-up'] },
  );
  for (const [at, [method, params]] of calls.entries()) {
    const done = new Promise<Message>((resolve) => (answered = resolve));
    send({ jsonrpc: '2.0', id: at, method, params: modern ? paramsIn(MODERN, params) : params });
    await done;
    if (method === 'initialize') send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }
  if (modern) {
    const params = paramsIn(MODERN, { notifications: { toolsListChanged: true } });
    send({ jsonrpc: '2.0', id: 'listen', method: 'subscriptions/listen', params });
    const last = new Promise<Message>((resolve) => (answered = resolve));
    send({ jsonrpc: '2.0', id: 'last', method: 'server/discover', params: paramsIn(MODERN, undefined) });
    await last;
  }
  await served.close();
}
