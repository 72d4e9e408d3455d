// Calls that run for a while: side by side, cancelled, left; changes that are told of meanwhile; the end of the server.
import { META, type Message } from '../message.ts';
import { hasSessions, isHttp, isTwoWay, type Scenario } from '../scenario.ts';
import type { Open, Talk } from '../talk.ts';

const isProgress = ({ method }: Message): boolean => method === 'notifications/progress';
const TELL = { progressToken: 'g', [META.level]: 'debug' } as const;

/** Begins a call that waits, and waits until it does. */
async function waiting(talk: Talk, input: string, name: string, token: string = name): Promise<[Open, Message]> {
  const message = talk.call('gate', { name }, { ...TELL, progressToken: token });
  const open = await talk.begin(input, message);
  await open.next(isProgress);
  return [open, message];
}

async function sideBySide(talk: Talk): Promise<void> {
  await talk.start();
  const [first, one] = await waiting(talk, 'first', 'one');
  const [second, two] = await waiting(talk, 'second', 'two');
  await talk.exchange('open the second', talk.call('open', { name: 'two' }));
  await second.next(({ id }) => id === two.id);
  await talk.exchange('open the first', talk.call('open', { name: 'one' }));
  await first.next(({ id }) => id === one.id);
  for (const open of [first, second]) await open.whole();
}

async function sameId(talk: Talk): Promise<void> {
  await talk.start();
  const [open, message] = await waiting(talk, 'first', 'one');
  if (!talk.http) await talk.exchange('an id in use', { ...talk.call('add', { a: 1, b: 2 }), id: message.id });
  await talk.exchange('the id as a text', { ...talk.call('add', { a: 1, b: 2 }), id: String(message.id) });
  await talk.exchange('open', talk.call('open', { name: 'one' }));
  await open.whole();
  await talk.exchange('an id that was in use', { ...talk.call('add', { a: 1, b: 2 }), id: message.id });
}

async function tooMany(talk: Talk): Promise<void> {
  await talk.start();
  const open: Open[] = [];
  for (const name of ['one', 'two', 'three', 'four']) open.push((await waiting(talk, name, name))[0]);
  await talk.exchange('one more', talk.call('add', { a: 1, b: 2 }));
  await talk.exchange('ping', talk.request('ping'));
  await talk.shutDown('the end');
  for (const one of open) await one.drop();
}

async function cancelling(talk: Talk): Promise<void> {
  await talk.start();
  const [open, { id }] = await waiting(talk, 'call', 'one');
  const wrong = id === undefined ? 0 : String(id);
  await talk.exchange(
    'cancel with the id as a text',
    talk.notification('notifications/cancelled', { requestId: wrong }),
  );
  await talk.exchange('cancel', talk.notification('notifications/cancelled', { requestId: id, reason: 'enough' }));
  if (talk.http) await open.drop();
  await talk.exchange('wait until it is aborted', talk.call('aborted', { count: 1 }));
  await talk.exchange('cancel again', talk.notification('notifications/cancelled', { requestId: id }));
  const [second, message] = await waiting(talk, 'second call', 'two');
  await talk.exchange(
    'cancel without a reason',
    talk.notification('notifications/cancelled', { requestId: message.id }),
  );
  if (talk.http) await second.drop();
  await talk.exchange('wait until that is aborted', talk.call('aborted', { count: 2 }));
}

/** In a session a cancellation ends the answer; nobody leaves it. */
async function cancelledAnswer(talk: Talk): Promise<void> {
  await talk.start();
  const [open, { id }] = await waiting(talk, 'call', 'one');
  await talk.exchange('cancel', talk.notification('notifications/cancelled', { requestId: id, reason: 'enough' }));
  await talk.exchange('wait until it is aborted', talk.call('aborted', { count: 1 }));
  await open.whole();
}

async function leaving(talk: Talk): Promise<void> {
  await talk.start();
  const [open] = await waiting(talk, 'call', 'one');
  await open.drop();
  if (talk.modern) await talk.exchange('wait until it is aborted', talk.call('aborted', { count: 1 }));
  else await talk.exchange('it still runs', talk.call('open', { name: 'one' }));
}

async function levels(talk: Talk): Promise<void> {
  await talk.start();
  await talk.exchange('unset', talk.call('chatty'));
  for (const level of ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']) {
    await talk.exchange(`set ${level}`, talk.request('logging/setLevel', { level }));
    await talk.exchange(`at ${level}`, talk.call('chatty'));
  }
}

async function pages(talk: Talk): Promise<void> {
  await talk.start();
  for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']) {
    let cursor: unknown;
    for (let page = 1; page <= 9; page++) {
      const message = talk.request(method, cursor === undefined ? {} : { cursor });
      const open = await talk.begin(`${method}, page ${page}`, message);
      const { result } = await open.next(({ id }) => id === message.id);
      await open.whole();
      cursor = result?.['nextCursor'];
      if (cursor === undefined) break;
    }
  }
  await talk.exchange('grow', talk.call('grow', { name: 'extra' }));
  await talk.exchange('tools/list after a change', talk.request('tools/list'));
  await talk.exchange('call of what is new', talk.call('extra'));
}

/** Resources that a legacy client subscribes to; over HTTP it listens with a GET. */
async function subscriptions(talk: Talk): Promise<void> {
  await talk.start();
  const stream = talk.http ? await talk.begin('stream', '', { method: 'GET' }) : undefined;
  const touch = async (input: string, uri: string, told: boolean): Promise<void> => {
    const open = await talk.begin(input, talk.call('touch', { uri }));
    await open.whole();
    if (told) await (stream ?? open).next(({ method }) => method === 'notifications/resources/updated');
  };
  await touch('change before', 'data://setting', false);
  await talk.exchange('subscribe', talk.request('resources/subscribe', { uri: 'data://setting' }));
  await talk.exchange('subscribe to another', talk.request('resources/subscribe', { uri: 'item:///a/1' }));
  await touch('change', 'data://setting', true);
  await touch('change of a third', 'data://json', false);
  await touch('change of the other', 'item:///a/1', true);
  await talk.exchange('unsubscribe', talk.request('resources/unsubscribe', { uri: 'data://setting' }));
  await touch('change after', 'data://setting', false);
  const grow = await talk.begin('change of lists', talk.call('grow', { name: 'extra' }));
  const left = new Set(['tools', 'prompts', 'resources'].map((list) => `notifications/${list}/list_changed`));
  while (left.size > 0) {
    const { method = '' } = await (stream ?? grow).next(
      ({ method }) => method === undefined || left.has(method) || method.startsWith('('),
    );
    if (method.startsWith('(')) break;
    left.delete(method);
  }
  await grow.whole();
  await talk.exchange('ping', talk.request('ping'));
  if (stream !== undefined) await talk.exchange('a second stream', '', { method: 'GET' });
  await talk.shutDown('the end');
}

/** What is listened to, and how many notifications come of it: of lists that change, and of a resource. */
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
  ['a filter nobody knows', { moonsChanged: true, toolsListChanged: 'yes' }],
];

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

/** What a modern client listens to, one filter after the other. */
async function listening(talk: Talk): Promise<void> {
  for (const [name, notifications, lists = 0, resources = 0] of FILTERS) {
    const message = talk.request('subscriptions/listen', notifications === undefined ? {} : { notifications });
    const open = await talk.begin(`listen to ${name}`, message);
    const { method } = await open.next(({ id, method }) => id === message.id || method === ACKNOWLEDGED);
    if (method !== ACKNOWLEDGED) {
      await open.whole();
      continue;
    }
    await talk.exchange(
      `grow while listening to ${name}`,
      talk.call('grow', { name: `new-${name.replaceAll(' ', '-')}` }),
    );
    for (let told = 0; told < lists; told++) await open.next(isNotice);
    await talk.exchange(`touch while listening to ${name}`, talk.call('touch', { uri: 'data://setting' }));
    for (let told = 0; told < resources; told++) await open.next(isNotice);
    await talk.exchange(
      `cancel listening to ${name}`,
      talk.notification('notifications/cancelled', { requestId: message.id }),
    );
    await open.drop();
  }
  const last = talk.request('subscriptions/listen', { notifications: { toolsListChanged: true } });
  const open = await talk.begin('listen until the end', last);
  await open.next(({ method }) => method === ACKNOWLEDGED);
  await talk.exchange('ping', talk.request('server/discover'));
  await talk.shutDown('the end');
}

function isNotice({ method = '' }: Message): boolean {
  return /\/(?:list_changed|updated)$/.test(method);
}

/** The client says nothing more while calls run, or the server is closed. */
async function ending(talk: Talk): Promise<void> {
  await talk.start();
  const [open] = await waiting(talk, 'call', 'one');
  await talk.shutDown('the end');
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
    // The fetch entry leaves a modern call running when it is closed: nothing would come that could be waited for.
    only: (cell) => isTwoWay(cell) && !(cell.transport.startsWith('fetch') && cell.revision === '2026-07-28'),
    run: ending,
  },
];
