// Lists the functions of the SDK that a warm call enters on the server's side: `npm run trace-call [-- modern|session|stateless|stdio|ask] [--list]
// [--counts]`. The sources of packages/sdk/src are instrumented with a call at the start of each function; the client is not part of the SDK.

import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';
import { PassThrough } from 'node:stream';
import { parseArgs } from 'node:util';
import { type FunctionPlace, watchEntries } from './lib/entries.ts';
import { root } from './lib/files.ts';

const CALLS = {
  modern: 'a 2026-07-28 tools/call over HTTP',
  session: 'a 2025-11-25 tools/call over HTTP in a session',
  stateless: 'a 2025-11-25 tools/call over HTTP without sessions',
  stdio: 'a 2025-11-25 tools/call on a byte stream, as stdio has it',
  ask: 'a 2026-07-28 tools/call over HTTP that asks, and its retry',
} as const;
type Call = keyof typeof CALLS;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { list: { type: 'boolean', default: false }, counts: { type: 'boolean', default: false } },
});
const wanted = (positionals[0] ?? 'modern') as Call;
if (!Object.hasOwn(CALLS, wanted) || positionals.length > 1) {
  console.error(`Usage: npm run trace-call -- [${Object.keys(CALLS).join('|')}] [--list] [--counts]`);
  process.exit(2);
}

const sources = join(root, 'packages/sdk/src');
const entries = watchEntries(sources, root);
// Imported here, because modules loaded earlier are not recorded. The first import sets up the resolution of sources.
await import('./source-condition.mjs');
const { server, serve, tool } = await import('../packages/sdk/src/entries/index.ts');
const { serveHttp, streamChannel } = await import('../packages/sdk/src/entries/node.ts');
const { z } = await import('zod');

const app = server({
  name: 'traced',
  version: '1.0.0',
  tools: {
    echo: tool({ description: 'Gives back its text', input: z.object({ text: z.string() }) }, ({ text }) => text),
    ask: tool({}, async (_, ctx) => (await ctx.ask('name', 'Your name?', z.object({ name: z.string() }))).name),
  },
});

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'client', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};
const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'client', version: '1.0.0' },
};

interface Answer {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Posts a message like a client. */
function post(url: string, message: { readonly method: string }, headers: Record<string, string>): Promise<Answer> {
  const body = JSON.stringify(message);
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'content-length': Buffer.byteLength(body),
        ...headers,
      },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ headers: response.headers, text }));
    });
    request.end(body);
  });
}

/** Sends the call repeatedly, and shuts everything down. */
interface Caller {
  call(id: number): Promise<void>;
  close(): Promise<void>;
}

/** The message in a body or in the last event of a stream. Throws if the call failed. */
function resultIn(text: string): Record<string, unknown> {
  const { result } = JSON.parse(text.slice(text.indexOf('{'))) as { result?: Record<string, unknown> };
  if (result === undefined || result['isError'] === true) throw new Error(`The call failed: ${text}`);
  return result;
}

function message(id: number | undefined, method: string, params: object): { readonly method: string } {
  return { jsonrpc: '2.0', id, method, params } as never;
}

async function overHttp(kind: Call): Promise<Caller> {
  const served = await serveHttp(app, { port: 0, signals: false, sessions: kind !== 'stateless', log: () => {} });
  const { url, close } = served;
  if (kind === 'modern' || kind === 'ask') {
    const name = kind === 'ask' ? 'ask' : 'echo';
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name };
    const send = async (id: number, more: object): Promise<Record<string, unknown>> => {
      const params = { name, arguments: kind === 'ask' ? {} : { text: 'hello' }, ...more, _meta: META };
      return resultIn((await post(url, message(id, 'tools/call', params), headers)).text);
    };
    const call = async (id: number): Promise<void> => {
      const first = await send(id, {});
      if (kind !== 'ask') return;
      const inputResponses = { name: { action: 'accept', content: { name: 'Ann' } } };
      await send(id + 1, { inputResponses, requestState: first['requestState'] });
    };
    return { call, close };
  }
  const greeted = await post(url, message(0, 'initialize', INITIALIZE), {});
  const session = greeted.headers['mcp-session-id'];
  const version = { 'mcp-protocol-version': '2025-11-25' };
  const headers = typeof session === 'string' ? { ...version, 'mcp-session-id': session } : version;
  await post(url, message(undefined, 'notifications/initialized', {}), headers);
  const call = async (id: number): Promise<void> => {
    const params = { name: 'echo', arguments: { text: 'hello' } };
    resultIn((await post(url, message(id, 'tools/call', params), headers)).text);
  };
  return { call, close };
}

async function onStreams(): Promise<Caller> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = serve(app, streamChannel(input, output), { log: () => {} });
  const ask = async (sent: { readonly method: string }): Promise<string> => {
    const answer = new Promise<string>((resolve) => output.once('data', (bytes: Buffer) => resolve(bytes.toString())));
    input.write(`${JSON.stringify(sent)}\n`);
    return answer;
  };
  await ask(message(0, 'initialize', INITIALIZE));
  input.write(`${JSON.stringify(message(undefined, 'notifications/initialized', {}))}\n`);
  const call = async (id: number): Promise<void> =>
    void resultIn(await ask(message(id, 'tools/call', { name: 'echo', arguments: { text: 'hello' } })));
  return { call, close: () => served.close() };
}

/** The number of calls before the recorded one, so that everything is loaded and cached. */
const WARM = 10;
const MAX_TRACED = 50;

/** Waits until the previous call has no work left that could fall into the next one. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Traces calls until two consecutive ones enter the same functions, because occasional background work can fall into any call. */
async function trace(): Promise<readonly FunctionPlace[]> {
  const caller = wanted === 'stdio' ? await onStreams() : await overHttp(wanted);
  for (let at = 1; at <= WARM; at++) await caller.call(at * 10);
  let before: readonly FunctionPlace[] = [];
  for (let at = WARM + 1; at <= WARM + MAX_TRACED; at++) {
    await settle();
    entries.start();
    await caller.call(at * 10);
    await settle();
    const found = entries.stop();
    if (found.length === before.length && found.every((place, index) => place === before[index])) {
      await caller.close();
      return found;
    }
    before = found;
  }
  throw new Error(`No two of ${MAX_TRACED} calls in a row entered the same functions`);
}

function shown({ name, file, line }: FunctionPlace): string {
  return `${name}  ${file}:${line}`;
}

const found = await trace();
const counts = new Map<FunctionPlace, number>();
for (const place of found) counts.set(place, (counts.get(place) ?? 0) + 1);
const files = new Set(found.map(({ file }) => file));
if (values.list) for (const place of found) console.log(shown(place));
if (values.counts)
  for (const [place, count] of [...counts].filter(([, count]) => count > 1).sort(([, a], [, b]) => b - a))
    console.log(`${String(count).padStart(4)}  ${shown(place)}`);
console.log(`${CALLS[wanted]}: ${found.length} entries, ${counts.size} distinct functions, ${files.size} files`);
