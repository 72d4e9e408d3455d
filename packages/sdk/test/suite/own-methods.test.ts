// Methods and notifications outside the protocol, and messages between calls. The same server, in every revision.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../../src/entries/client.ts';
import { type LogEntry, notification, server } from '../../src/entries/index.ts';
import { featuresOf } from '../../src/protocol/revision.ts';
import { type Cell, everywhere, legacy, modern } from './cells.ts';
import { own } from './fixtures/own.ts';
import { queue } from '../interop/queue.ts';
import { claimed, dialog, KEY } from '../protocol/dialog.ts';

type Heard = readonly [method: string, params: unknown];

const heard = queue<Heard>();
const asked: string[] = [];
const options = {
  fixture: own,
  own: /^(?:notifications\/)?acme\//,
  connect: {
    experimental: { quick: {} },
    logLevel: 'info',
    roots: ['file:///a'],
    onLog: ({ level, logger, data }) => heard.put(['log', { level, logger, data }]),
    onNotification: (method: string, params: unknown) => heard.put([method, params]),
    elicit: {
      url: true,
      handler: (question) => {
        asked.push(question.message);
        return question.mode === 'form'
          ? { action: 'accept', content: { color: `red ${asked.length}` } }
          : { action: 'accept' };
      },
    },
  },
} satisfies Parameters<typeof everywhere<ReturnType<typeof own.make>>>[2];

/** Can the server reach the client between calls? */
function reaches(cell: Cell): boolean {
  return legacy(cell);
}

everywhere(
  'a custom method is answered, with params and result as parsed by its schemas',
  async ({ client }) => {
    const found = await client.request('acme/search', { text: 'tea', most: 2 });
    const hits: readonly string[] = found.hits;
    assert.deepEqual(hits, ['tea', 'tea']);
    assert.deepEqual((await client.request('acme/search', { text: 'tea' })).hits, ['tea']);
    // @ts-expect-error the params lack `text`
    await assert.rejects(client.request('acme/search', { most: 1 }), { code: -32602, message: /text/ });
  },
  options,
);

everywhere(
  'a method that is a plain function gets unchanged params, and may return nothing',
  async ({ client, cell }) => {
    const { _meta, ...plain } = (await client.request('acme/plain', { a: [1] })) as { _meta?: unknown; got: any };
    const { _meta: _sent, ...got } = plain.got;
    assert.deepEqual(
      { ...plain, got },
      {
        got: { a: [1] },
        fast: { quick: {} },
        ...(modern(cell) ? { resultType: 'complete' } : {}),
      },
    );
    const nothing = await client.request('acme/nothing');
    assert.deepEqual(Object.keys(nothing).sort(), modern(cell) ? ['_meta', 'resultType'] : []);
  },
  options,
);

everywhere(
  'errors of a custom method reach the caller like those of a tool, and details of exceptions do not',
  async ({ client }) => {
    await assert.rejects(client.request('acme/refused'), {
      code: 1234,
      message: 'Not today',
      data: { until: 'tomorrow' },
    });
    for (const name of ['acme/broken', 'acme/text', 'acme/wrong'])
      await assert.rejects(client.request(name), (error: Error & { code: number }) => {
        assert.equal(error.code, -32603);
        assert.match(
          error.message,
          /^The method acme\/\w+ failed\. The details are in the server's log under error \w+\.$/,
        );
        return true;
      });
    await assert.rejects(client.request('acme/unknown'), { code: -32601 });
  },
  options,
);

everywhere(
  'a handler can send custom notifications with its answer, but none of the protocol',
  async ({ client }) => {
    await client.request('acme/tells');
    assert.deepEqual(await heard.take(), ['notifications/acme/told', { n: 1 }]);
    await assert.rejects(client.request('acme/pretends'), { code: -32603 });
  },
  options,
);

everywhere(
  'a custom notification reaches its handler; an invalid one, and a handler that throws, do no harm',
  async ({ client }) => {
    await client.call('seen');
    await client.notify('notifications/acme/fails');
    await client.notify('notifications/acme/viewed', { page: 1 } as never);
    await client.notify('notifications/acme/viewed', { page: 'home' });
    await client.notify('notifications/acme/unknown', {});
    let text = '';
    // Over HTTP, the call may overtake the notification.
    while (!text.includes('viewed')) text = (await client.call('seen')) as string;
    assert.match(text, /^(?:initialized, )?viewed home$/);
  },
  options,
);

everywhere(
  'the handler of a notification knows its client, and has the session of its calls',
  async ({ client, cell }) => {
    await client.call('seen');
    await client.notify('notifications/acme/who');
    let text = '';
    while (text === '') text = (await client.call('seen')) as string;
    // Only with a session does the server know that its client became ready before.
    assert.match(text, new RegExp(`\\{"quick":\\{\\}\\} ${reaches(cell) || cell.transport === 'http'}$`));
    assert.equal(await client.call('sameAsNotified'), `${!reaches(cell) && cell.transport === 'http'} true`);
  },
  { ...options, alone: true },
);

everywhere(
  'a server learns that a client is ready, and that its roots have changed',
  async ({ client, cell }) => {
    let text = '';
    while (reaches(cell) && text === '') text = (await client.call('seen')) as string;
    assert.equal(text, reaches(cell) ? 'initialized' : '');
    await client.setRoots(['file:///b']);
    if (!reaches(cell)) return;
    assert.deepEqual((await heard.take())[0], 'notifications/acme/roots-seen');
    assert.equal(await client.call('seen'), 'roots file:///b');
  },
  { ...options, alone: true },
);

everywhere(
  'all calls of a session have the same session',
  async ({ client, cell }) => {
    const expected = reaches(cell) ? 'false true' : cell.transport === 'http' ? 'true true' : 'false false';
    assert.equal(await client.call('same'), expected);
    assert.equal(await client.call('same'), expected);
  },
  options,
);

everywhere(
  'after a call the server can still log, notify and ask, if the revision allows it',
  async ({ client, cell, wire }) => {
    asked.length = 0;
    assert.equal(await client.call('later'), 'now');
    if (!reaches(cell)) {
      await client.call('seen');
      assert.deepEqual(
        wire.filter(({ message }) => message.method?.startsWith('notifications/acme/') === true),
        [],
      );
      return;
    }
    assert.deepEqual(await heard.take(), ['log', { level: 'warning', logger: 'own', data: 'after the call' }]);
    assert.deepEqual((await heard.take())[0], 'notifications/acme/later');
    const elicits = featuresOf(cell.revision).elicitation !== 'none';
    const failure = `'color' cannot be asked: revision ${cell.revision} has no elicitation`;
    for (const color of ['red 1', 'red 2'])
      assert.deepEqual(await heard.take(), [
        'notifications/acme/answered',
        elicits ? { answer: { color } } : { failure },
      ]);
  },
  options,
);

everywhere(
  '[ELIC-20] the client learns that the user has finished on a page, also after the call',
  async ({ client, wire }) => {
    assert.equal(await client.call('page'), 'accept');
    const [method, params] = await heard.take();
    assert.equal(method, 'notifications/elicitation/complete');
    const question = wire.find(({ message }) => message.method === 'elicitation/create');
    assert.deepEqual(params, { elicitationId: question?.message.params?.['elicitationId'] });
    assert.match((params as { elicitationId: string }).elicitationId, /./);
  },
  { ...options, only: ({ revision }) => revision === '2025-11-25' },
);

everywhere(
  'the server declares its experimental features, and extensions if the revision has them',
  async ({ client, cell }) => {
    assert.deepEqual(client.capabilities.experimental, { fast: { level: 2 } });
    assert.deepEqual(
      client.capabilities.extensions,
      featuresOf(cell.revision).extensions ? { 'com.example/own': { on: true } } : undefined,
    );
  },
  options,
);

everywhere(
  'a handler sees the headers of its HTTP request, but no credentials',
  async ({ client, cell }) => {
    const overHttp = cell.transport === 'http';
    assert.match(
      String(await client.call('header', { name: 'Content-Type' })),
      overHttp ? /^application\/json/ : /^none$/,
    );
    for (const name of ['authorization', 'Cookie', 'x-unknown'])
      assert.equal(await client.call('header', { name }), 'none');
  },
  options,
);

test('a name that belongs to the protocol, or has other characters, is refused', () => {
  const handler = (): void => {};
  for (const name of ['tools/call', 'notifications/initialized', 'a b', '', 'x\n', 'ä', 'a'.repeat(129)])
    assert.throws(() => server({ name: 'x', methods: { [name]: handler } }), { code: 'invalid-definition' }, name);
  for (const name of ['notifications/cancelled', 'notifications/progress', 'tools/call', 'a b'])
    assert.throws(
      () => server({ name: 'x', notifications: { [name]: handler } }),
      { code: 'invalid-definition' },
      name,
    );
  assert.throws(() => server({ name: 'x', methods: { 'acme/x': 'text' as never } }), { code: 'invalid-definition' });
});

test('a client cannot keep more notification handlers busy than its limit of calls', async () => {
  const log: LogEntry[] = [];
  let release = (): void => {};
  let running = 0;
  const gate = new Promise<void>((resolve) => void (release = resolve));
  const app = server({
    name: 'busy',
    notifications: {
      'notifications/acme/slow': async () => {
        running += 1;
        await gate;
      },
    },
  });
  await using client = await connect(app, { serve: { limits: { inFlight: 3 }, log: (entry) => void log.push(entry) } });
  for (let at = 0; at < 5; at += 1) await client.notify('notifications/acme/slow');
  await client.ping();
  assert.equal(running, 3);
  assert.equal(log.filter(({ event }) => event === 'overload').length, 2);
  release();
});

test('params that do not match are logged with the reason, and the handler does not run', async () => {
  const log: LogEntry[] = [];
  const app = server({
    name: 'strict',
    notifications: {
      'notifications/acme/n': notification({ type: 'object', required: ['n'] }, () => assert.fail('it ran')),
    },
  });
  await using client = await connect(app, {
    revision: '2025-11-25',
    serve: { log: (entry) => void log.push(entry) },
  });
  await client.notify('notifications/acme/n', {});
  while (log.length === 0) await client.ping();
  assert.match(log[0]!.message, /^notifications\/acme\/n: Invalid params: .*n/);
});

test('a notification with a claim belongs to the client that it claims, even on a shared connection, and one with an invalid claim is ignored', async (t) => {
  const seen: string[] = [];
  const app = server({
    name: 'shared',
    notifications: {
      'notifications/acme/who': (_, { client, session }) =>
        void seen.push(`${client.name} ${client.can('sampling')} ${typeof session}`),
    },
  });
  const it = dialog(t, app);
  await it.handshake('2025-11-25');
  const info = { name: 'newer', version: '2' };
  for (const params of [
    undefined,
    claimed({}, { [KEY.info]: info }, { sampling: {} }),
    claimed({}, { [KEY.version]: '2099-01-01' }),
    claimed({}, { [KEY.capabilities]: 'all' }),
  ])
    it.notify('notifications/acme/who', params);
  await it.request('ping');
  assert.match(seen.join(), /^[^ ]+ false object,newer true object$/);
  assert.deepEqual(
    it.log.map(({ event }) => event),
    ['invalid-message', 'invalid-message'],
  );
});
