import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, test, type TestContext } from 'node:test';
import { type StoppedTime, stopTime } from '../../../../scripts/lib/test-time.ts';
import { until } from '../../../../scripts/lib/until.ts';
import type { Side, TraceLine } from '../trace/line.ts';
import { createTraceIndex } from '../trace/trace-index.ts';
import { conversationOf, type Recorded } from './conversation.ts';
import { createMock } from './mock.ts';

type RecordedMessage = readonly [from: Side, message: unknown, more?: Partial<TraceLine>];

/** A trace of messages, one millisecond apart. */
function recorded(...messages: readonly RecordedMessage[]): Recorded {
  const index = createTraceIndex();
  const lines = messages.map(([from, message, more], at): TraceLine => {
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    return { n: at + 1, at, session: 's', kind: 'message', from, text, ...more };
  });
  for (const line of lines) index.add(line);
  return { index, read: (from, to) => lines.slice(from - 1, to) };
}

function request(id: unknown, method: string, params?: object): object {
  const message = { jsonrpc: '2.0', id, method };
  return params === undefined ? message : { ...message, params };
}
function result(id: unknown, value: object): object {
  return { jsonrpc: '2.0', id, result: value };
}
function notification(method: string, params?: object): object {
  const message = { jsonrpc: '2.0', method };
  return params === undefined ? message : { ...message, params };
}

let time: StoppedTime;
beforeEach((t) => {
  time = stopTime(t as TestContext, { imported: true });
});

/** Sends messages to a mock, and returns everything that it sends. Its pauses run on a mocked clock. */
function conversation(trace: Recorded) {
  const heard: string[] = [];
  const notes: string[] = [];
  const connection = createMock(conversationOf(trace), { onNote: (text) => notes.push(text) }).connect(
    (text) => void heard.push(text),
  );
  return {
    notes,
    async say(message: unknown): Promise<unknown[]> {
      connection.receive(typeof message === 'string' ? message : JSON.stringify(message));
      let before = -1;
      while (before !== heard.length) {
        before = heard.length;
        // A mock pauses for at most 20 ms between two messages.
        await time.pass(20);
      }
      return heard.splice(0).map((text) => JSON.parse(text) as unknown);
    },
    async raw(text: string): Promise<string> {
      connection.receive(text);
      await until(() => heard.length > 0);
      return heard.splice(0).join('\n');
    },
  };
}

test('an answer is unchanged except for its id', async () => {
  const { raw } = conversation(
    recorded(
      ['client', request(1, 'x')],
      ['server', '{"result" : {"n":9007199254740993,"id":1},"jsonrpc":"2.0", "id":1}'],
    ),
  );
  assert.equal(
    await raw('{"jsonrpc":"2.0","id":"a\\"b","method":"x"}'),
    '{"result" : {"n":9007199254740993,"id":1},"jsonrpc":"2.0", "id":"a\\"b"}',
  );
});

test('requests are matched by params, ignoring their order and _meta; every digit of a number counts', async () => {
  const { say, raw } = conversation(
    recorded(
      [
        'client',
        '{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":9007199254740993,"b":{"c":1,"d":2},"_meta":{"progressToken":5}}}',
      ],
      ['server', result(1, { it: 'is' })],
    ),
  );
  assert.match(
    await raw('{"jsonrpc":"2.0","id":7,"method":"x","params":{"b":{"d":2,"c":1.0},"a":9007199254740993}}'),
    /"it":"is"/,
  );
  assert.match(
    await raw('{"jsonrpc":"2.0","id":7,"method":"x","params":{"b":{"d":2,"c":1},"a":9007199254740992}}'),
    /"code":-32602/,
  );
  assert.deepEqual(await say(request(1, 'y')), [
    { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'The trace has no y', data: { recorded: ['x'] } } },
  ]);
});

test('a repeated request gets the recorded answers in order, then the last one again', async () => {
  const { say } = conversation(
    recorded(
      ['client', request(1, 'x')],
      ['server', result(1, { n: 1 })],
      ['client', request(2, 'x', {})],
      ['server', result(2, { n: 2 })],
    ),
  );
  const answers: unknown[] = [];
  for (let id = 10; id < 13; id++) answers.push(...(await say(request(id, 'x'))));
  assert.deepEqual(answers, [result(10, { n: 1 }), result(11, { n: 2 }), result(12, { n: 2 })]);
});

test('progress comes before the answer, with the token of the current request, and not without a token', async () => {
  const trace = recorded(
    ['client', request(1, 'x', { _meta: { progressToken: 'old' } })],
    ['client', request(2, 'y')],
    ['server', notification('notifications/progress', { progressToken: 'old', progress: 1 })],
    ['server', notification('notifications/message', { level: 'info', data: 'about y' })],
    ['server', result(2, {})],
    ['server', result(1, {})],
  );
  const { say } = conversation(trace);
  assert.deepEqual(await say(request(5, 'x', { _meta: { progressToken: 9 } })), [
    notification('notifications/progress', { progressToken: 9, progress: 1 }),
    result(5, {}),
  ]);
  assert.deepEqual(await say(request(6, 'y')), [
    notification('notifications/message', { level: 'info', data: 'about y' }),
    result(6, {}),
  ]);
  assert.deepEqual(await say(request(7, 'x')), [result(7, {})]);
});

test('a question of the server is asked with a new id, and the answer waits for its reply', async () => {
  const { say } = conversation(
    recorded(
      ['client', request(1, 'x')],
      ['server', request(1, 'sampling/createMessage', { maxTokens: 5 })],
      ['client', result(1, { role: 'assistant' })],
      ['server', result(1, { done: true })],
    ),
  );
  assert.deepEqual(await say(request('a', 'x')), [request(1, 'sampling/createMessage', { maxTokens: 5 })]);
  assert.deepEqual(await say(result(1, { other: 'answer' })), [result('a', { done: true })]);
  assert.deepEqual(await say(request('b', 'x')), [request(2, 'sampling/createMessage', { maxTokens: 5 })]);
  assert.deepEqual(await say({ jsonrpc: '2.0', id: 2, error: { code: -1, message: 'no' } }), [
    result('b', { done: true }),
  ]);
});

test('only the answer is the last message about a request: a stream must not end before it', async () => {
  const sent: [method: string, about: string | undefined, last: boolean][] = [];
  const trace = recorded(
    ['client', request(1, 'tools/call', { name: 'x', _meta: { progressToken: 'p' } })],
    ['server', notification('notifications/progress', { progressToken: 'p', progress: 1 })],
    ['server', request(7, 'roots/list')],
    ['client', result(7, { roots: [] })],
    ['server', result(1, {})],
  );
  const connection = createMock(conversationOf(trace)).connect((text, about, last) => {
    const { id, method } = JSON.parse(text) as { id?: unknown; method?: string };
    sent.push([method ?? 'answer', about, last]);
    if (method === 'roots/list') connection.receive(JSON.stringify(result(id, { roots: [] })));
  });
  connection.receive(JSON.stringify(request(5, 'tools/call', { name: 'x', _meta: { progressToken: 't' } })));
  for (let turn = 0; turn < 5; turn++) await time.pass(20);
  assert.deepEqual(sent, [
    ['notifications/progress', '5', false],
    ['roots/list', '5', false],
    ['answer', '5', true],
  ]);
});

test('messages recorded after `initialized` are sent after it', async () => {
  const { say } = conversation(
    recorded(
      ['client', request(1, 'initialize', { protocolVersion: '2025-06-18' })],
      ['server', result(1, { protocolVersion: '2025-06-18' })],
      ['client', notification('notifications/initialized')],
      ['server', notification('notifications/tools/list_changed')],
      ['server', request(1, 'roots/list')],
    ),
  );
  assert.deepEqual(await say(request(0, 'initialize', { protocolVersion: '2025-11-25' })), [
    result(0, { protocolVersion: '2025-06-18' }),
  ]);
  assert.deepEqual(await say(notification('notifications/initialized')), [
    notification('notifications/tools/list_changed'),
    request(1, 'roots/list'),
  ]);
  assert.deepEqual(await say(request(1, 'ping')), [result(1, {})]);
});

test('over HTTP the messages of an exchange belong to its request, even if others were running', async () => {
  const http = (exchange: number, part: 'request' | 'answer' | 'event') => ({
    kind: 'http' as const,
    http: { exchange, part },
  });
  const { say } = conversation(
    recorded(
      ['client', request(1, 'x')],
      ['client', '', { ...http(1, 'request'), cause: 1 }],
      ['client', request(2, 'y')],
      ['client', '', { ...http(2, 'request'), cause: 3 }],
      ['server', '', { ...http(1, 'event'), cause: 2 }],
      ['server', notification('notifications/message', { data: 'about x' }), { cause: 5 }],
      ['server', result(2, {})],
      ['server', result(1, {})],
    ),
  );
  assert.deepEqual(await say(request(1, 'y')), [result(1, {})]);
  assert.deepEqual(await say(request(2, 'x')), [
    notification('notifications/message', { data: 'about x' }),
    result(2, {}),
  ]);
});

test('redacted values match anything', async () => {
  const { say } = conversation(
    recorded(
      [
        'client',
        request(1, 'x', { password: '[redacted]', note: 'it is [redacted], yes', n: '[redacted]', user: 'me' }),
        { redacted: true },
      ],
      ['server', result(1, {})],
    ),
  );
  const ask = async (params: object): Promise<boolean> =>
    'result' in ((await say(request(1, 'x', params)))[0] as object);
  const own = { password: 'other', note: 'it is secret, yes', n: 12345678, user: 'me' };
  assert.equal(await ask(own), true);
  assert.equal(await ask({ ...own, user: 'you' }), false);
  assert.equal(await ask({ ...own, note: 'it was secret, yes' }), false);
  assert.equal(await ask({ ...own, more: 1 }), false);
});

test('an unknown request is an error that names the nearest one, and is reported', async () => {
  const { say, notes } = conversation(
    recorded(
      ['client', request(1, 'tools/call', { name: 'a', arguments: { x: 1, y: 1 } })],
      ['server', result(1, {})],
      ['client', request(2, 'tools/call', { name: 'a', arguments: { x: 1, y: 2 } })],
      ['server', result(2, {})],
      ['client', request(3, 'tools/call', { name: 'b', arguments: { x: 1, y: 3 } })],
      ['server', result(3, {})],
    ),
  );
  const [answer] = (await say(request(1, 'tools/call', { name: 'a', arguments: { x: 2, y: 2 } }))) as {
    error: { message: string; data: unknown };
  }[];
  assert.equal(
    answer!.error.message,
    'The trace has no tools/call of a with these params. The nearest is line 3: {"name":"a","arguments":{"x":1,"y":2}}',
  );
  assert.deepEqual(answer!.error.data, { nearest: { line: 3, params: { name: 'a', arguments: { x: 1, y: 2 } } } });
  assert.deepEqual(notes, [answer!.error.message]);
});

test('an unanswered request is an error; a cancelled one stays unanswered', async () => {
  const { say } = conversation(
    recorded(
      ['client', request(1, 'x')],
      ['client', request(2, 'y')],
      ['client', notification('notifications/cancelled', { requestId: 2 })],
    ),
  );
  assert.deepEqual(await say(request(1, 'x')), [
    { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'The trace has no answer to line 1' } },
  ]);
  assert.deepEqual(await say(request(2, 'y')), []);
});

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

test('a modern server rejects another revision and names its own, and tags a subscription with its current id', async () => {
  const { say } = conversation(
    recorded(
      ['client', request('old', 'subscriptions/listen', { notifications: { toolsListChanged: true }, _meta: META })],
      [
        'server',
        notification('notifications/tools/list_changed', {
          _meta: { 'io.modelcontextprotocol/subscriptionId': 'old' },
        }),
      ],
    ),
  );
  assert.deepEqual(
    await say(request('new', 'subscriptions/listen', { notifications: { toolsListChanged: true }, _meta: META })),
    [notification('notifications/tools/list_changed', { _meta: { 'io.modelcontextprotocol/subscriptionId': 'new' } })],
  );
  assert.deepEqual(await say(request(1, 'initialize', { protocolVersion: '2025-06-18' })), [
    {
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32022,
        message: 'The trace is of revision 2026-07-28',
        data: { supported: ['2026-07-28'], requested: '2025-06-18' },
      },
    },
  ]);
});

const INFO = { 'io.modelcontextprotocol/serverInfo': { name: 'shop', version: '3' } };

test('a modern session recorded without server/discover can be served', async () => {
  const { say, notes } = conversation(
    recorded(
      ['client', request(1, 'tools/list', { _meta: META })],
      ['server', result(1, { tools: [], _meta: INFO })],
      ['client', request(2, 'prompts/list', { _meta: META })],
      ['server', { jsonrpc: '2.0', id: 2, error: { code: -32601, message: 'Method not found' } }],
      [
        'client',
        request(3, 'subscriptions/listen', { notifications: { resourceSubscriptions: ['a:b'] }, _meta: META }),
      ],
      [
        'server',
        notification('notifications/subscriptions/acknowledged', { notifications: { resourceSubscriptions: ['a:b'] } }),
      ],
      ['client', request(4, 'completion/complete', { _meta: META })],
      ['server', { jsonrpc: '2.0', id: 4, error: { code: -32602, message: 'No such prompt' } }],
    ),
  );
  assert.deepEqual(await say(request('d', 'server/discover', { _meta: META })), [
    result('d', {
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {}, resources: { subscribe: true }, completions: {} },
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
      _meta: INFO,
    }),
  ]);
  assert.deepEqual(notes, ['The trace has no server/discover. The answer is derived from the rest of the trace']);
  assert.match(JSON.stringify(await say(request(9, 'initialize', { protocolVersion: '2025-06-18' }))), /-32022/);
});

test('a legacy session recorded without initialize can be served', async () => {
  const headers = (revision: string): Partial<TraceLine> => ({
    kind: 'http',
    cause: 1,
    http: { exchange: 1, part: 'request', headers: { 'mcp-protocol-version': revision } },
  });
  const listed: readonly RecordedMessage[] = [
    ['server', result(1, { tools: [] })],
    ['server', notification('notifications/tools/list_changed')],
  ];
  const asked: RecordedMessage = ['client', request(1, 'tools/list')];
  const greeting = request(5, 'initialize', { protocolVersion: '2025-06-18' });
  const expected = (protocolVersion: string): object[] => [
    result(5, {
      protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 's', version: 'unknown' },
    }),
  ];
  assert.deepEqual(await conversation(recorded(asked, ...listed)).say(greeting), expected('2025-06-18'));
  assert.deepEqual(
    await conversation(recorded(asked, ['client', '', headers('2025-03-26')], ...listed)).say(greeting),
    expected('2025-03-26'),
  );
});

test('a trace with only server/discover says where the rest is', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenon mock '));
  const probed = async (answer: object): Promise<unknown[]> => {
    const trace = recorded(['client', request(1, 'server/discover', { _meta: META })], ['server', answer]);
    const { say, notes } = conversation({ ...trace, file: join(folder, 'x-2.mcptrace') });
    const [first] = (await say(request(2, 'tools/list', { _meta: META }))) as { error: { message: string } }[];
    const [second] = (await say(request(3, 'initialize', { protocolVersion: '2025-06-18' }))) as {
      error: { message: string };
    }[];
    return [first!.error.message, second!.error.message, notes[0]];
  };
  const yes = result(1, { supportedVersions: ['2026-07-28'] });
  const no = { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } };
  const where = (file: string): string =>
    `The client started the server a second time for everything else: look at ${file}`;
  const unnamed = where('the trace that was recorded right after it');
  assert.deepEqual(await probed(yes), [
    `The trace has no tools/list. ${unnamed}`,
    'The trace is of revision 2026-07-28',
    `The trace holds server/discover only. ${unnamed}`,
  ]);
  writeFileSync(join(folder, 'x-3.mcptrace'), '');
  assert.deepEqual(await probed(no), [
    `The trace has no tools/list. ${where('x-3.mcptrace')}`,
    `The trace has no initialize. ${where('x-3.mcptrace')}`,
    `The trace holds server/discover only. ${where('x-3.mcptrace')}`,
  ]);
  rmSync(folder, { recursive: true });
});

test('if the handshake was tried twice, the mock replays the successful one', async () => {
  const greeting = (id: number): object => request(id, 'initialize', { protocolVersion: '2025-06-18' });
  const { say } = conversation(
    recorded(
      ['client', request('p', 'server/discover', { _meta: META })],
      ['client', greeting(1)],
      ['client', greeting(2)],
      ['server', result(2, { protocolVersion: '2025-06-18' })],
    ),
  );
  assert.match(JSON.stringify(await say(request(8, 'server/discover', { _meta: META }))), /"code":-32601/);
  assert.deepEqual(await say(greeting(9)), [result(9, { protocolVersion: '2025-06-18' })]);
});

test('text that is not a message is rejected as such', async () => {
  const { say } = conversation(recorded(['client', request(1, 'x')]));
  assert.deepEqual(await say('{'), [
    { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'This is not a JSON-RPC message' } },
  ]);
});
