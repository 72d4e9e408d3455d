// Whatever values a server uses where others belong, the inspector keeps working: there is no uncaught exception, its pages get a
// state, and each request of the user is answered or fails with a message.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sample } from '../../../scripts/lib/soak.ts';
import { createWorkbench } from '../src/session/workbench.ts';
import { createTraceStore } from '../src/trace/node/trace-store.ts';
import { asHeader, MISSING, withValueAt, WRONG_KINDS, wrongMessages } from './fixtures/wrong-kinds.ts';

type Json = Record<string, unknown>;

const META = 'io.modelcontextprotocol';
const FORM = {
  mode: 'form',
  message: 'How many?',
  requestedSchema: { type: 'object', properties: { cups: { type: 'integer', minimum: 0, default: 1 } } },
};
const SAMPLE = { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 10 };
const SAMPLED = '{"role":"assistant","model":"m","content":{"type":"text","text":"Ho"}}';
const TASK = { taskId: 't', status: 'working', createdAt: '2026-01-01T00:00:00Z', ttl: 1_000, pollInterval: 5 };
const KEPT = { ttlMs: 0, cacheScope: 'private', resultType: 'complete' };

const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
};

/** The valid answers of the server, by method. */
const RESULTS: Readonly<Record<string, Json>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: CAPABILITIES,
    serverInfo: { name: 's', title: 'S', version: '1', websiteUrl: 'http://a', icons: [{ src: 'http://a/i.png' }] },
    instructions: 'Ask.',
  },
  'server/discover': {
    supportedVersions: ['2026-07-28'],
    capabilities: CAPABILITIES,
    instructions: 'Ask.',
    ...KEPT,
    _meta: { [`${META}/serverInfo`]: { name: 's', version: '1' } },
  },
  'tools/list': {
    tools: [
      {
        name: 'a',
        title: 'A',
        description: 'Does a',
        inputSchema: { type: 'object', properties: { n: { type: 'string', 'x-mcp-header': 'N' } } },
        outputSchema: { type: 'object' },
        annotations: { title: 'A', readOnlyHint: true },
        _meta: { ui: { resourceUri: 'ui://a' } },
      },
    ],
    ...KEPT,
  },
  'resources/list': { resources: [{ uri: 'a:b', name: 'b', mimeType: 'text/plain', size: 1 }], ...KEPT },
  'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'a:{b}', name: 'b' }], ...KEPT },
  'prompts/list': { prompts: [{ name: 'p', arguments: [{ name: 'q', required: true }] }], ...KEPT },
  'tasks/list': { tasks: [TASK] },
  'tools/call': { content: [{ type: 'text', text: 'hi' }], structuredContent: { a: 1 }, resultType: 'complete' },
  'resources/read': { contents: [{ uri: 'a:b', mimeType: 'text/plain', text: 'hi' }], ...KEPT },
  'prompts/get': { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], resultType: 'complete' },
  'completion/complete': { completion: { values: ['a'], total: 1, hasMore: false }, resultType: 'complete' },
  'logging/setLevel': {},
  'resources/subscribe': {},
  'resources/unsubscribe': {},
  ping: {},
};
/** The result with questions that it sends first, if the client must answer in the next request. */
const INPUT = {
  resultType: 'input_required',
  requestState: 'state',
  inputRequests: {
    cups: { method: 'elicitation/create', params: FORM },
    model: { method: 'sampling/createMessage', params: SAMPLE },
  },
};
/** Notifications that it sends during a call, or on the stream of its own. */
const SAID: Readonly<Record<string, Json>> = {
  progress: { method: 'notifications/progress', params: { progressToken: 1, progress: 1, total: 2, message: 'half' } },
  log: { method: 'notifications/message', params: { level: 'info', logger: 'l', data: 'd' } },
  changed: { method: 'notifications/tools/list_changed', params: {} },
  updated: { method: 'notifications/resources/updated', params: { uri: 'a:b' } },
  cancelled: { method: 'notifications/cancelled', params: { requestId: 1, reason: 'no' } },
  task: { method: 'notifications/tasks/status', params: TASK },
  complete: { method: 'notifications/elicitation/complete', params: { elicitationId: 'e' } },
  form: { id: 'q1', method: 'elicitation/create', params: FORM },
  url: {
    id: 'q2',
    method: 'elicitation/create',
    params: { mode: 'url', url: 'http://a', message: 'm', elicitationId: 'e' },
  },
  sample: { id: 'q3', method: 'sampling/createMessage', params: SAMPLE },
  roots: { id: 'q4', method: 'roots/list' },
};
const ERROR = { code: -32603, message: 'no', data: { a: 1 } };

/** The place of the fault: the kind of answer, or of its parts. */
interface Slot {
  readonly in: 'result' | 'input' | 'error' | 'envelope' | 'said' | 'header' | 'event';
  /** The method, or the name of the notification, the header or the event field. */
  readonly of: string;
  readonly at: string;
}
function placesIn(where: Slot['in'], of: string, ...pointers: readonly string[]): Slot[] {
  return pointers.map((at) => ({ in: where, of, at }));
}

const BOTH: readonly Slot[] = [
  ...placesIn('result', 'tools/list', '', '/tools', '/nextCursor', '/tools/0', '/tools/0/name', '/tools/0/title'),
  ...placesIn('result', 'tools/list', '/tools/0/description', '/tools/0/inputSchema', '/tools/0/inputSchema/type'),
  ...placesIn('result', 'tools/list', '/tools/0/inputSchema/properties', '/tools/0/inputSchema/properties/n'),
  ...placesIn('result', 'tools/list', '/tools/0/outputSchema', '/tools/0/annotations', '/tools/0/_meta'),
  ...placesIn('result', 'tools/list', '/tools/0/_meta/ui/resourceUri'),
  ...placesIn('result', 'resources/list', '', '/resources', '/resources/0/uri', '/resources/0/size'),
  ...placesIn('result', 'resources/templates/list', '/resourceTemplates', '/resourceTemplates/0/uriTemplate'),
  ...placesIn(
    'result',
    'prompts/list',
    '/prompts',
    '/prompts/0/name',
    '/prompts/0/arguments',
    '/prompts/0/arguments/0',
  ),
  ...placesIn('result', 'tools/call', '', '/content', '/content/0', '/content/0/type', '/content/0/text', '/isError'),
  ...placesIn('result', 'tools/call', '/structuredContent', '/_meta', '/resultType', '/task', '/task/taskId'),
  ...placesIn('result', 'resources/read', '', '/contents', '/contents/0/uri', '/contents/0/text', '/contents/0/blob'),
  ...placesIn('result', 'prompts/get', '', '/messages', '/messages/0/role', '/messages/0/content', '/description'),
  ...placesIn('result', 'completion/complete', '', '/completion', '/completion/values', '/completion/total'),
  ...placesIn('error', 'tools/call', '', '/code', '/message', '/data'),
  ...placesIn('error', 'tools/list', '', '/code', '/message', '/data'),
  ...placesIn('envelope', 'tools/call', '', '/id', '/jsonrpc', '/method', '/error', '/result'),
  ...placesIn(
    'said',
    'progress',
    '/params',
    '/params/progressToken',
    '/params/progress',
    '/params/total',
    '/params/message',
  ),
  ...placesIn('said', 'log', '/params', '/params/level', '/params/logger', '/params/data', '/method'),
  ...placesIn('header', 'content-type', ''),
  ...placesIn('header', 'retry-after', ''),
  ...placesIn('header', 'www-authenticate', ''),
  ...placesIn('event', 'id', ''),
  ...placesIn('event', 'retry', ''),
  ...placesIn('event', 'event', ''),
  ...placesIn('event', 'data', ''),
];
const LEGACY: readonly Slot[] = [
  ...placesIn('result', 'initialize', '', '/protocolVersion', '/capabilities', '/capabilities/tools', '/serverInfo'),
  ...placesIn('result', 'initialize', '/capabilities/tasks/list', '/capabilities/resources', '/instructions'),
  ...placesIn(
    'result',
    'initialize',
    '/serverInfo/name',
    '/serverInfo/version',
    '/serverInfo/title',
    '/serverInfo/icons',
  ),
  ...placesIn('error', 'initialize', '', '/code', '/message', '/data', '/data/supported'),
  ...placesIn(
    'result',
    'tasks/list',
    '',
    '/tasks',
    '/nextCursor',
    '/tasks/0/taskId',
    '/tasks/0/pollInterval',
    '/tasks/0/ttl',
  ),
  ...placesIn('said', 'changed', '/params', '/method'),
  ...placesIn('said', 'updated', '/params', '/params/uri'),
  ...placesIn('said', 'cancelled', '/params', '/params/requestId', '/params/reason'),
  ...placesIn('said', 'task', '/params', '/params/taskId', '/params/status', '/params/pollInterval'),
  ...placesIn('said', 'complete', '/params', '/params/elicitationId'),
  ...placesIn('said', 'form', '/id', '/params', '/params/message', '/params/mode', '/params/requestedSchema'),
  ...placesIn('said', 'form', '/params/requestedSchema/properties', '/params/requestedSchema/properties/cups'),
  ...placesIn('said', 'form', '/params/requestedSchema/properties/cups/default', '/params/_meta'),
  ...placesIn('said', 'url', '/id', '/params/url', '/params/elicitationId', '/params/message'),
  ...placesIn('said', 'sample', '/id', '/params', '/params/messages', '/params/messages/0', '/params/maxTokens'),
  ...placesIn('said', 'sample', '/params/messages/0/content', '/params/messages/0/content/text'),
  ...placesIn('said', 'roots', '/id', '/params', '/method'),
  ...placesIn('header', 'mcp-session-id', ''),
];
const MODERN: readonly Slot[] = [
  ...placesIn('result', 'server/discover', '', '/supportedVersions', '/capabilities', '/capabilities/tools', '/_meta'),
  ...placesIn('result', 'server/discover', '/instructions', '/ttlMs', '/cacheScope', '/resultType'),
  ...placesIn('result', 'server/discover', `/_meta/${META}~1serverInfo`),
  ...placesIn('error', 'server/discover', '', '/code', '/message', '/data', '/data/supported'),
  ...placesIn('result', 'tools/list', '/ttlMs', '/cacheScope', '/resultType'),
  ...placesIn('input', 'tools/call', '', '/requestState', '/inputRequests', '/inputRequests/cups', '/resultType'),
  ...placesIn('input', 'tools/call', '/inputRequests/cups/method', '/inputRequests/cups/params'),
  ...placesIn(
    'input',
    'tools/call',
    '/inputRequests/cups/params/message',
    '/inputRequests/cups/params/requestedSchema',
  ),
  ...placesIn('input', 'tools/call', '/inputRequests/model/params', '/inputRequests/model/params/messages'),
];

interface Wrong {
  readonly revision: '2025-11-25' | '2026-07-28';
  readonly slot: Slot;
  readonly value: unknown;
  /** It is no longer inspected. */
  isOver?: boolean;
}
/** By the path of the server that has this fault. */
const wrongs: Wrong[] = [];

function changed(base: unknown, slot: Slot, where: Slot['in'], of: string, value: unknown): unknown {
  return slot.in === where && slot.of === of ? withValueAt(base, slot.at, value) : base;
}

/** The message with which the server answers a request. */
function answerTo(message: Json, { slot, value }: Wrong): unknown {
  const method = String(message['method']);
  const head = { jsonrpc: '2.0', id: message['id'] };
  const known = RESULTS[method];
  if (known === undefined) return { ...head, error: { code: -32601, message: `No ${method}` } };
  if (slot.in === 'error' && slot.of === method) return { ...head, error: withValueAt(ERROR, slot.at, value) };
  const isAnswered = Object.hasOwn((message['params'] ?? {}) as object, 'inputResponses');
  const asks = slot.in === 'input' && method === slot.of && !isAnswered;
  const result = asks ? withValueAt(INPUT, slot.at, value) : changed(known, slot, 'result', method, value);
  return changed({ ...head, result }, slot, 'envelope', method, value);
}

function eventOf(message: unknown, { slot, value }: Wrong): string {
  const fields: Record<string, string | undefined> = { data: JSON.stringify(message) };
  if (slot.in === 'event') fields[slot.of] = asHeader(value);
  return `${Object.entries(fields)
    .filter(([, text]) => text !== undefined)
    .map(([name, text]) => `${name}: ${text}`)
    .join('\n')}\n\n`;
}

/** The notifications before the answer to a call, or on the stream that belongs to no request. */
function saidIn({ slot, value, revision }: Wrong, names: readonly string[], message?: Json): unknown[] {
  return names
    .filter((name) => revision === '2025-11-25' || SAID[name]!['id'] === undefined)
    .map((name) => {
      const token = (message?.['params'] as Json | undefined)?.['_meta'] as Json | undefined;
      const own = withValueAt(
        { jsonrpc: '2.0', ...SAID[name] },
        '/params/progressToken',
        token?.['progressToken'] ?? MISSING,
      );
      return changed(own, slot, 'said', name, value);
    });
}

function respond(message: Json | undefined, wrong: Wrong, response: ServerResponse): void {
  const { slot, value } = wrong;
  const isCall = message?.['method'] === 'tools/call';
  const isStream = message === undefined || isCall || slot.in === 'event';
  const text = asHeader(value);
  const isHeader =
    slot.in === 'header' && (slot.of === 'mcp-session-id' ? message?.['method'] === 'initialize' : isCall);
  // Node does not write invalid headers: such values are left to the raw tests.
  const own = isHeader && text !== undefined && /^[\t\x20-\x7e]{1,10000}$/.test(text) ? { [slot.of]: text } : {};
  response.writeHead(
    isHeader && slot.of === 'www-authenticate' ? 401 : isHeader && slot.of === 'retry-after' ? 503 : 200,
    {
      'content-type': isStream ? 'text/event-stream' : 'application/json',
      ...own,
    },
  );
  const said =
    message === undefined
      ? ['changed', 'updated', 'cancelled', 'task', 'complete', 'roots']
      : ['progress', 'log', 'form', 'url', 'sample'];
  if (isStream && (message === undefined || isCall))
    for (const each of saidIn(wrong, said, message)) response.write(eventOf(each, wrong));
  if (message === undefined) return;
  const answer = answerTo(message, wrong);
  if (isStream) response.end(eventOf(answer, wrong));
  else response.end(JSON.stringify(answer) ?? '');
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const wrong = wrongs[Number(request.url?.split('/')[1])];
  if (wrong === undefined) return void response.writeHead(404).end();
  if (wrong.isOver === true) return void response.writeHead(405).end();
  if (request.method === 'DELETE') return void response.writeHead(204).end();
  if (request.method === 'GET')
    return wrong.revision === '2025-11-25' ? respond(undefined, wrong, response) : void response.writeHead(405).end();
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const message = JSON.parse(Buffer.concat(chunks).toString()) as Json;
  if (message['method'] === undefined || message['id'] === undefined) return void response.writeHead(202).end();
  if (message['method'] === 'server/discover' && wrong.revision === '2025-11-25')
    return void response.writeHead(404).end();
  return respond(message, wrong, response);
}

const server = createServer((request, response) => {
  response.on('error', () => {});
  handle(request, response).catch(() => response.destroy());
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
// A client abandoned while connecting may open another stream, and then learns that nothing is served.
server.unref();
after(() => server.closeAllConnections());
const { port } = server.address() as AddressInfo;

const folder = mkdtempSync(join(tmpdir(), 'tenon-wrong-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** The time limit for a server that does not answer, in milliseconds. */
const TIMEOUT_MS = 200;
const PATIENCE_MS = 30_000;
const OUTCOMES = new Set(['ok', 'error', 'tool-error', 'timeout', 'cancelled', 'lost']);

/** Methods that the user calls, which are skipped if the fault is elsewhere. */
const REQUESTED = new Set(['tools/call', 'resources/read', 'prompts/get', 'completion/complete']);

/** Does everything with a server that a page does. Throws if something fails without a message. */
async function lookAt(index: number, outcomes?: string[]): Promise<readonly string[]> {
  const wrong = wrongs[index]!;
  const store = createTraceStore(join(folder, `${index}.mcptrace`), 'test');
  const workbench = createWorkbench({
    store,
    targets: [{ id: 'it', name: 'it', launch: { url: `http://127.0.0.1:${port}/${index}` }, revision: wrong.revision }],
    by: 'test',
    timeoutMs: outcomes === undefined ? TIMEOUT_MS : PATIENCE_MS,
    idleMs: 0,
  });
  const settled = async (what: () => unknown): Promise<void> => {
    try {
      JSON.stringify(await what());
    } catch (error) {
      const { name, message, stack } = error as Error;
      assert.ok(message.length > 5 && name !== 'TypeError' && name !== 'RangeError', stack);
    }
  };
  try {
    workbench.setScript('{"*":"decline"}');
    // Answers the questions that no script answers.
    const answer = (): void => {
      for (const { id, kind, status } of workbench.inbox())
        if (status === 'open')
          workbench.answer(id, kind === 'sampling' ? { action: 'accept', content: SAMPLED } : { action: 'decline' });
    };
    workbench.watch(({ type }) => type === 'inbox' && setImmediate(answer));
    const view = await workbench.connect('it');
    assert.ok(['ready', 'failed', 'closed', 'login'].includes(view.status), view.status);
    const { problem, status } = view;
    if (status === 'failed') assert.ok(problem !== undefined && problem.message.length > 5, 'a failure has words');
    for (const { problem: unread } of view.lists) if (unread !== undefined) assert.ok(unread.message.length > 5);
    for (const [method, params] of [
      ['tools/call', { name: 'a', arguments: { n: 'x' } }],
      ['resources/read', { uri: 'a:b' }],
      ['prompts/get', { name: 'p', arguments: { q: 'x' } }],
      ['completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'q', value: 'x' } }],
    ] as const) {
      const isElsewhere =
        ['result', 'error', 'envelope', 'input'].includes(wrong.slot.in) && REQUESTED.has(wrong.slot.of);
      if (outcomes === undefined && isElsewhere && wrong.slot.of !== method) continue;
      await settled(async () => {
        const answer = await workbench.request('it', { method, params: JSON.stringify(params), key: method });
        assert.ok(OUTCOMES.has(answer.outcome), answer.outcome);
        if (answer.outcome === 'lost' || answer.outcome === 'timeout')
          assert.ok((answer.problem?.message ?? '').length > 5);
        outcomes?.push(`${method} ${answer.outcome}`);
        return answer;
      });
    }
    await settled(() => workbench.complete('it', { ref: { prompt: 'p' }, argument: 'q', typed: 'x' }));
    await settled(() => workbench.watchResource('it', 'a:b', true));
    await settled(() => workbench.setLogLevel('it', 'info'));
    await settled(() => workbench.refresh('it'));
    for (const kind of ['tools', 'resources', 'templates', 'prompts', 'tasks'] as const)
      assert.ok(Array.isArray(workbench.list('it', kind).entries));
    JSON.stringify(workbench.state());
    await settled(() => workbench.disconnect('it'));
    const broken = workbench.state().findings.filter(({ rule }) => rule === 'rule-failed');
    assert.deepEqual(broken, [], 'no rule of the diagnosis fails');
    return [...new Set(workbench.inbox().map(({ kind }) => kind))].toSorted();
  } finally {
    await workbench.close();
    store.close();
    wrong.isOver = true;
  }
}

const AT_ONCE = 8;

for (const revision of ['2025-11-25', '2026-07-28'] as const)
  test(`a valid server is asked for everything, and asks: ${revision}`, async () => {
    const outcomes: string[] = [];
    // An answer without a member that it never had.
    const right = { in: 'input', of: 'tools/call', at: '/nothing' } as const;
    const asked = await lookAt(wrongs.push({ revision, slot: right, value: MISSING }) - 1, outcomes);
    assert.deepEqual(
      outcomes,
      [...REQUESTED].map((method) => `${method} ok`),
    );
    assert.deepEqual(asked, revision === '2025-11-25' ? ['form', 'roots', 'sampling', 'url'] : ['form', 'sampling']);
  });

/** The content of lists is read in the same way in every revision. */
const SHARED = BOTH.filter(({ in: where, of }) => where !== 'result' || of === 'tools/call');

/**
 * The fraction of rows tried in `npm test`. It is a prime below the number of kinds, so that each place is tried with some kind.
 */
const STEP = 11;

for (const [revision, slots] of [
  ['2025-11-25', [...BOTH, ...LEGACY]],
  ['2026-07-28', [...SHARED, ...MODERN]],
] as const)
  test(`a server with any wrong value is inspected to the end: ${revision}`, async (t) => {
    const uncaught: unknown[] = [];
    const note = (error: unknown): void => void uncaught.push(error);
    process.on('uncaughtExceptionMonitor', note);
    t.after(() => void process.off('uncaughtExceptionMonitor', note));
    const rows = slots.flatMap((slot) => WRONG_KINDS.map(([, value]) => ({ revision, slot, value })));
    const left = sample(rows, STEP).map((row) => wrongs.push(row) - 1);
    t.diagnostic(`${left.length} servers`);
    const failures: string[] = [];
    const work = async (): Promise<void> => {
      for (let index = left.shift(); index !== undefined; index = left.shift()) {
        const { slot, value } = wrongs[index]!;
        const kind = WRONG_KINDS.find(([, known]) => known === value)![0];
        await lookAt(index).catch((error: Error) =>
          failures.push(`${slot.in} ${slot.of} ${slot.at}: ${kind}: ${error.stack}`),
        );
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    assert.deepEqual([failures, uncaught], [[], []]);
  });

test('a server that writes anything to its stdout is inspected to the end', async () => {
  const lines = sample([...wrongMessages()], STEP).map(([, text]) => text);
  const file = join(folder, 'lines.json');
  writeFileSync(file, JSON.stringify(lines));
  // Sends one of the lines before each answer to a call. Lines with the id of the call also get the right answer after them.
  const source = `
    const lines = JSON.parse(require('node:fs').readFileSync(${JSON.stringify(file)}, 'utf8'));
    const results = ${JSON.stringify(RESULTS)};
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      if (id === undefined || method === undefined) return;
      const known = method === 'server/discover' ? undefined : results[method];
      if (method === 'tools/call') console.log((lines.shift() ?? '').replace('"id":1,', '"id":' + JSON.stringify(id) + ','));
      const answer = known === undefined ? { error: { code: -32601, message: 'No ' + method } } : { result: known };
      console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });`;
  const store = createTraceStore(join(folder, 'stdio.mcptrace'), 'test');
  const launch = { command: process.execPath, args: ['-e', source] };
  const workbench = createWorkbench({ store, targets: [{ id: 'it', name: 'it', launch }], by: 'test', idleMs: 0 });
  try {
    workbench.setScript('{"*":"decline"}');
    assert.equal((await workbench.connect('it')).status, 'ready');
    const call = { method: 'tools/call', params: '{"name":"a","arguments":{"n":"x"}}' };
    for (const [index, line] of lines.entries()) {
      const { outcome, problem } = await workbench.request('it', { ...call, key: String(index) });
      const said = `${outcome} after ${line.slice(0, 200)}: ${problem?.message}`;
      assert.ok(OUTCOMES.has(outcome) && outcome !== 'timeout', said);
      if (outcome === 'lost') assert.ok((problem?.message ?? '').length > 5, said);
      JSON.stringify(workbench.state());
    }
    const last = await workbench.request('it', { ...call, key: 'last' });
    assert.equal(last.outcome, 'ok');
    await workbench.disconnect('it');
    assert.deepEqual(
      workbench.state().findings.filter(({ rule }) => rule === 'rule-failed'),
      [],
    );
  } finally {
    await workbench.close();
    store.close();
  }
});
