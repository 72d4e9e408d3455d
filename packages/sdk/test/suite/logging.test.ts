import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, type ServerLog } from '../../src/entries/client.ts';
import type { LogLevel } from '../../src/entries/index.ts';
import { app } from './app.ts';
import { everywhere, legacy, modern } from './cells.ts';
import { everywhereRaw, type Raw } from './raw.ts';

const LEVEL = 'io.modelcontextprotocol/logLevel';

/** Sets the level of log messages, as the era does: for the session, or for each request. */
async function withLevel(raw: Raw, level: string): Promise<{ meta?: Record<string, unknown> }> {
  if (!legacy(raw.cell)) return { meta: { [LEVEL]: level } };
  assert.deepEqual((await raw.request('logging/setLevel', { level })).result, {});
  return {};
}

function logged(raw: Raw) {
  return raw.received.filter(({ method }) => method === 'notifications/message').map(({ params }) => params);
}

const DEBUG = { level: 'debug', data: 'debug' };
const INFO = { level: 'info', logger: 'suite', data: { what: 'info' } };
const ERROR = { level: 'error', data: 'error' };

everywhereRaw('[LOG-2, LOG-7] messages of the chosen level and above are sent, before the response', async (raw) => {
  const said: [string, object[]][] = [
    ['debug', [DEBUG, INFO, ERROR]],
    ['info', [INFO, ERROR]],
    ['notice', [ERROR]],
    ['warning', [ERROR]],
    ['error', [ERROR]],
    ['critical', []],
    ['alert', []],
    ['emergency', []],
  ];
  for (const [level, expected] of said) {
    const before = logged(raw).length;
    const { result } = await raw.request('tools/call', { name: 'chatty' }, await withLevel(raw, level));
    assert.equal(result?.['content'][0].text, 'said');
    assert.deepEqual(logged(raw).slice(before), expected, level);
  }
  await raw.settled();
  assert.equal(logged(raw).length, 3 + 2 + 3, 'and none after it');
});

everywhereRaw(
  '[LOG-3] a session without a chosen level gets messages from info on',
  async (raw) => {
    await raw.request('tools/call', { name: 'chatty' });
    assert.deepEqual(logged(raw), [INFO, ERROR]);
  },
  { only: legacy, alone: true },
);

everywhereRaw(
  '[LOG-6] a request without a level gets no messages, whatever others ask for',
  async (raw) => {
    const wanted = raw.ask('tools/call', { name: 'chatty' }, { meta: { [LEVEL]: 'error' } });
    const unwanted = [
      raw.ask('tools/call', { name: 'chatty' }),
      raw.ask('prompts/get', { name: 'chatty' }),
      raw.ask('resources/read', { uri: 'suite://chatty' }),
    ];
    for (const id of [wanted, ...unwanted]) assert.ok((await raw.answerTo(id)).result);
    await raw.settled();
    assert.deepEqual(logged(raw), [ERROR]);
  },
  { only: modern },
);

everywhereRaw(
  '[LOG-8] messages do not belong to a subscription',
  async (raw) => {
    raw.ask(
      'subscriptions/listen',
      { notifications: { toolsListChanged: true } },
      { id: 'listen', meta: { [LEVEL]: 'debug' } },
    );
    await raw.nextOf('notifications/subscriptions/acknowledged');
    await raw.request('tools/call', { name: 'chatty' });
    await raw.request('tools/call', { name: 'chatty' }, { meta: { [LEVEL]: 'error' } });
    await raw.settled();
    assert.deepEqual(logged(raw), [ERROR], 'one, and without the id of the subscription');
    raw.notify('notifications/cancelled', { requestId: 'listen' });
  },
  { only: modern },
);

everywhereRaw('prompts and resources can log, too', async (raw) => {
  const level = await withLevel(raw, 'debug');
  await raw.request('prompts/get', { name: 'chatty' }, level);
  await raw.request('resources/read', { uri: 'suite://chatty' }, level);
  assert.deepEqual(
    logged(raw).map((params) => params?.['data']),
    ['from a prompt', 'from a resource'],
  );
});

everywhereRaw(
  'messages logged after the response are not sent',
  async (raw) => {
    await raw.request('tools/call', { name: 'late' }, await withLevel(raw, 'debug'));
    await raw.counted('late', 1);
    await raw.settled();
    assert.deepEqual(logged(raw), []);
  },
  { alone: true },
);

everywhereRaw(
  '[LOG-4, LOG-9] an unknown level is an invalid-params error',
  async (raw) => {
    for (const level of ['loud', '', 'INFO', 'warn', '__proto__', 'constructor', 5, null, {}]) {
      const { error } = legacy(raw.cell)
        ? await raw.request('logging/setLevel', { level })
        : await raw.request('tools/call', { name: 'chatty' }, { meta: { [LEVEL]: level } });
      assert.equal(error?.code, -32602, String(level));
    }
    if (legacy(raw.cell)) assert.equal((await raw.request('logging/setLevel')).error?.code, -32602);
    else assert.deepEqual(logged(raw), []);
  },
  { hostile: true },
);

everywhereRaw(
  'without a session no level can be set for it',
  async (raw) => {
    assert.equal((await raw.request('logging/setLevel', { level: 'debug' })).error?.code, -32601);
  },
  { only: modern, hostile: true },
);

everywhereRaw("[LOG-11] the operator's details of a failure are never sent as a log message", async (raw) => {
  const level = await withLevel(raw, 'debug');
  await raw.request('tools/call', { name: 'boom' }, level);
  await raw.request('prompts/get', { name: 'broken' }, level);
  await raw.request('resources/read', { uri: 'suite://broken' }, level);
  await raw.request('tools/call', { name: 'badOutput' }, level);
  await raw.settled();
  assert.deepEqual(logged(raw), []);
  assert.doesNotMatch(JSON.stringify(raw.received), /SECRETPW/);
  assert.match(raw.log.join('\n'), /SECRETPW/);
});

const heard: ServerLog[] = [];
const listening = { logLevel: 'debug' as LogLevel, onLog: (message: ServerLog) => void heard.push(message) };

everywhere(
  '[LOG-5] a client chooses the level of messages, and may change it',
  async ({ client }) => {
    const levels = async (): Promise<string[]> => {
      heard.length = 0;
      await client.call('chatty');
      return heard.map(({ level }) => level);
    };
    assert.deepEqual(await levels(), ['debug', 'info', 'error']);
    await client.setLogLevel('error');
    assert.deepEqual(await levels(), ['error']);
    await client.setLogLevel('debug');
    assert.deepEqual(await levels(), ['debug', 'info', 'error']);
    assert.deepEqual(heard[1], { level: 'info', logger: 'suite', data: { what: 'info' } });
  },
  { connect: listening },
);

test('a session has its own level', async () => {
  const made = app();
  const messages: [string, string][] = [];
  const open = (who: string) =>
    connect(made, { revision: '2025-11-25', onLog: ({ level }) => void messages.push([who, level]) });
  await using one = await open('one');
  await using other = await open('other');
  await one.setLogLevel('error');
  await Promise.all([one.call('chatty'), other.call('chatty')]);
  assert.deepEqual(messages.sort(), [
    ['one', 'error'],
    ['other', 'error'],
    ['other', 'info'],
  ]);
});
