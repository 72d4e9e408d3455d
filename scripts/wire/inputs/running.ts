// Long calls: concurrent, cancelled, left; notifications of changes meanwhile; the end of the server.
import { META, type Message } from '../message.ts';
import { hasSessions, isHttp, isTwoWay, type Scenario } from '../scenario.ts';
import type { Open, Conversation } from '../conversation.ts';

function isProgress({ method }: Message): boolean {
  return method === 'notifications/progress';
}
const TELL = { progressToken: 'g', [META.level]: 'debug' } as const;

/** Starts a call that waits, and resolves when it waits. */
async function waiting(
  conversation: Conversation,
  input: string,
  name: string,
  token: string = name,
): Promise<[Open, Message]> {
  const message = conversation.call('gate', { name }, { ...TELL, progressToken: token });
  const open = await conversation.begin(input, message);
  await open.next(isProgress);
  return [open, message];
}

async function sideBySide(conversation: Conversation): Promise<void> {
  await conversation.start();
  const [first, one] = await waiting(conversation, 'first', 'one');
  const [second, two] = await waiting(conversation, 'second', 'two');
  await conversation.exchange('open the second', conversation.call('open', { name: 'two' }));
  await second.next(({ id }) => id === two.id);
  await conversation.exchange('open the first', conversation.call('open', { name: 'one' }));
  await first.next(({ id }) => id === one.id);
  for (const open of [first, second]) await open.whole();
}

async function sameId(conversation: Conversation): Promise<void> {
  await conversation.start();
  const [open, message] = await waiting(conversation, 'first', 'one');
  if (!conversation.http)
    await conversation.exchange('an id in use', { ...conversation.call('add', { a: 1, b: 2 }), id: message.id });
  await conversation.exchange('the id as a text', {
    ...conversation.call('add', { a: 1, b: 2 }),
    id: String(message.id),
  });
  await conversation.exchange('open', conversation.call('open', { name: 'one' }));
  // The rejection above has the same id, and arrived before.
  await open.next(({ id, result }) => id === message.id && result !== undefined);
  await open.whole();
  await conversation.exchange('an id that was in use', { ...conversation.call('add', { a: 1, b: 2 }), id: message.id });
}

async function tooMany(conversation: Conversation): Promise<void> {
  await conversation.start();
  const open: Open[] = [];
  for (const name of ['one', 'two', 'three', 'four']) open.push((await waiting(conversation, name, name))[0]);
  await conversation.exchange('one more', conversation.call('add', { a: 1, b: 2 }));
  await conversation.exchange('ping', conversation.request('ping'));
  await conversation.shutDown('the end');
  for (const one of open) await one.drop();
}

async function cancelling(conversation: Conversation): Promise<void> {
  await conversation.start();
  const [open, { id }] = await waiting(conversation, 'call', 'one');
  const wrong = id === undefined ? 0 : String(id);
  await conversation.exchange(
    'cancel with the id as a text',
    conversation.notification('notifications/cancelled', { requestId: wrong }),
  );
  await conversation.exchange(
    'cancel',
    conversation.notification('notifications/cancelled', { requestId: id, reason: 'enough' }),
  );
  if (conversation.http) await open.drop();
  await conversation.exchange('wait until it is aborted', conversation.call('aborted', { count: 1 }));
  await conversation.exchange('cancel again', conversation.notification('notifications/cancelled', { requestId: id }));
  const [second, message] = await waiting(conversation, 'second call', 'two');
  await conversation.exchange(
    'cancel without a reason',
    conversation.notification('notifications/cancelled', { requestId: message.id }),
  );
  if (conversation.http) await second.drop();
  await conversation.exchange('wait until that is aborted', conversation.call('aborted', { count: 2 }));
}

/** In a session a cancellation ends the response without a disconnect. */
async function cancelledAnswer(conversation: Conversation): Promise<void> {
  await conversation.start();
  const [open, { id }] = await waiting(conversation, 'call', 'one');
  await conversation.exchange(
    'cancel',
    conversation.notification('notifications/cancelled', { requestId: id, reason: 'enough' }),
  );
  await conversation.exchange('wait until it is aborted', conversation.call('aborted', { count: 1 }));
  await open.whole();
}

async function leaving(conversation: Conversation): Promise<void> {
  await conversation.start();
  const [open] = await waiting(conversation, 'call', 'one');
  await open.drop();
  if (conversation.modern)
    await conversation.exchange('wait until it is aborted', conversation.call('aborted', { count: 1 }));
  else await conversation.exchange('it still runs', conversation.call('open', { name: 'one' }));
}

async function levels(conversation: Conversation): Promise<void> {
  await conversation.start();
  await conversation.exchange('unset', conversation.call('chatty'));
  for (const level of ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']) {
    await conversation.exchange(`set ${level}`, conversation.request('logging/setLevel', { level }));
    await conversation.exchange(`at ${level}`, conversation.call('chatty'));
  }
}

async function pages(conversation: Conversation): Promise<void> {
  await conversation.start();
  for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']) {
    let cursor: unknown;
    for (let page = 1; page <= 9; page++) {
      const message = conversation.request(method, cursor === undefined ? {} : { cursor });
      const open = await conversation.begin(`${method}, page ${page}`, message);
      const { result } = await open.next(({ id }) => id === message.id);
      await open.whole();
      cursor = result?.['nextCursor'];
      if (cursor === undefined) break;
    }
  }
  await conversation.exchange('grow', conversation.call('grow', { name: 'extra' }));
  await conversation.exchange('tools/list after a change', conversation.request('tools/list'));
  await conversation.exchange('call of a new tool', conversation.call('extra'));
}

/** Resources that a legacy client subscribes to; over HTTP it listens with a GET. */
async function subscriptions(conversation: Conversation): Promise<void> {
  await conversation.start();
  const stream = conversation.http ? await conversation.begin('stream', '', { method: 'GET' }) : undefined;
  const touch = async (input: string, uri: string, told: boolean): Promise<void> => {
    const open = await conversation.begin(input, conversation.call('touch', { uri }));
    await open.whole();
    if (told) await (stream ?? open).next(({ method }) => method === 'notifications/resources/updated');
  };
  await touch('change before', 'data://setting', false);
  await conversation.exchange('subscribe', conversation.request('resources/subscribe', { uri: 'data://setting' }));
  await conversation.exchange(
    'subscribe to another',
    conversation.request('resources/subscribe', { uri: 'item:///a/1' }),
  );
  await touch('change', 'data://setting', true);
  await touch('change of a third', 'data://json', false);
  await touch('change of the other', 'item:///a/1', true);
  await conversation.exchange('unsubscribe', conversation.request('resources/unsubscribe', { uri: 'data://setting' }));
  await touch('change after', 'data://setting', false);
  const grow = await conversation.begin('change of lists', conversation.call('grow', { name: 'extra' }));
  const left = new Set(['tools', 'prompts', 'resources'].map((list) => `notifications/${list}/list_changed`));
  while (left.size > 0) {
    const { method = '' } = await (stream ?? grow).next(
      ({ method }) => method === undefined || left.has(method) || method.startsWith('('),
    );
    if (method.startsWith('(')) break;
    left.delete(method);
  }
  await grow.whole();
  await conversation.exchange('ping', conversation.request('ping'));
  if (stream !== undefined) {
    // It replaces the first stream, which ends.
    const second = await conversation.begin('a second stream', '', { method: 'GET' });
    await stream.whole();
    await conversation.exchange('change with a second stream', conversation.call('touch', { uri: 'item:///a/1' }));
    await second.next(({ method }) => method === 'notifications/resources/updated');
  }
  await conversation.shutDown('the end');
}

/** Subscription filters, with the expected number of notifications: of list changes, and of a resource. */
const FILTERS: readonly (readonly [name: string, notifications: unknown, lists?: number, resources?: number])[] = [
  ['nothing', {}],
  ['tools', { toolsListChanged: true }, 1],
  ['all lists', { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }, 3],
  ['a resource', { resourceSubscriptions: ['data://setting', 'item:///a/1', 'data://missing'] }, 0, 1],
  ['a list and a resource', { promptsListChanged: true, resourceSubscriptions: ['data://setting'] }, 1, 1],
  ['too many resources', { resourceSubscriptions: ['1', '2', '3', '4', '5'] }],
  ['a text', 'tools'],
  ['no filter', undefined],
  ['resources that are a text', { resourceSubscriptions: 'data://setting' }],
  ['an unknown filter', { moonsChanged: true, toolsListChanged: 'yes' }],
];

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

/** Subscriptions of a modern client, one filter after the other. */
async function listening(conversation: Conversation): Promise<void> {
  for (const [name, notifications, lists = 0, resources = 0] of FILTERS) {
    const message = conversation.request('subscriptions/listen', notifications === undefined ? {} : { notifications });
    const open = await conversation.begin(`listen to ${name}`, message);
    const { method } = await open.next(({ id, method }) => id === message.id || method === ACKNOWLEDGED);
    if (method !== ACKNOWLEDGED) {
      await open.whole();
      continue;
    }
    await conversation.exchange(
      `grow while listening to ${name}`,
      conversation.call('grow', { name: `new-${name.replaceAll(' ', '-')}` }),
    );
    for (let told = 0; told < lists; told++) await open.next(isNotice);
    await conversation.exchange(
      `touch while listening to ${name}`,
      conversation.call('touch', { uri: 'data://setting' }),
    );
    for (let told = 0; told < resources; told++) await open.next(isNotice);
    await conversation.exchange(
      `cancel listening to ${name}`,
      conversation.notification('notifications/cancelled', { requestId: message.id }),
    );
    await open.drop();
  }
  const last = conversation.request('subscriptions/listen', { notifications: { toolsListChanged: true } });
  const open = await conversation.begin('listen until the end', last);
  await open.next(({ method }) => method === ACKNOWLEDGED);
  await conversation.exchange('ping', conversation.request('server/discover'));
  await conversation.shutDown('the end');
}

function isNotice({ method = '' }: Message): boolean {
  return /\/(?:list_changed|updated)$/.test(method);
}

/** The client closes its side while calls run, or the server is closed. */
async function ending(conversation: Conversation): Promise<void> {
  await conversation.start();
  const [open] = await waiting(conversation, 'call', 'one');
  await conversation.shutDown('the end');
  await open.drop();
}

export const RUNNING: readonly Scenario[] = [
  { name: 'pages', run: pages },
  { name: 'side by side', only: isTwoWay, run: sideBySide },
  { name: 'same id', only: isTwoWay, run: sameId },
  { name: 'too many', only: (cell) => !isHttp(cell), run: tooMany },
  {
    name: 'cancelling',
    only: (cell) => isTwoWay(cell) && (!isHttp(cell) || cell.revision === '2026-07-28'),
    run: cancelling,
  },
  { name: 'cancelling in a session', only: hasSessions, run: cancelledAnswer },
  { name: 'leaving', only: (cell) => isHttp(cell) && isTwoWay(cell), run: leaving },
  { name: 'levels', run: levels },
  {
    name: 'subscriptions',
    only: (cell) => cell.revision !== '2026-07-28' && isTwoWay(cell),
    run: subscriptions,
  },
  { name: 'listening', only: ({ revision }) => revision === '2026-07-28', run: listening },
  {
    name: 'ending',
    // The fetch entry leaves a modern call running when it is closed, so there would be no event to wait for.
    only: (cell) => isTwoWay(cell) && !(cell.transport.startsWith('fetch') && cell.revision === '2026-07-28'),
    run: ending,
  },
];
